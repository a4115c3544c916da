# Compiling a unit once for each target.
#
# Sets TORQUED_TARGETS and TORQUED_KERNEL_COMPILER_NAME, and defines
#   torqued_compile_for_targets(OBJECTS NAME SOURCE)
# which sets OBJECTS to the object files to link. Clang is taken where it is
# found, whatever compiles the rest: it keeps more of the kernels' state in
# registers than GCC 12. Nothing but plain data crosses the boundary, so the two
# mix freely. Under sanitizers the baseline unit is compiled as the rest is, and
# checked; the others are left as they are, for they take GCC minutes.

set(TORQUED_KERNEL_COMPILER "" CACHE FILEPATH
    "Compiler of the lane kernels; empty: clang++-19 where there is one")
set(TORQUED_KERNEL_COMPILER_USED ${TORQUED_KERNEL_COMPILER})
if(NOT TORQUED_KERNEL_COMPILER_USED)
  find_program(TORQUED_CLANG clang++-19)
  if(TORQUED_CLANG)
    set(TORQUED_KERNEL_COMPILER_USED ${TORQUED_CLANG})
  endif()
endif()
if(NOT TORQUED_KERNEL_COMPILER_USED)
  set(TORQUED_KERNEL_COMPILER_USED ${CMAKE_CXX_COMPILER})
endif()

execute_process(COMMAND ${TORQUED_KERNEL_COMPILER_USED} --version
  OUTPUT_VARIABLE kernel_compiler_version)
string(REGEX MATCH "^[^\n(]*" kernel_compiler_version
  "${kernel_compiler_version}")
string(STRIP "${kernel_compiler_version}" TORQUED_KERNEL_COMPILER_NAME)
message(STATUS "Lane kernels compiled by: ${TORQUED_KERNEL_COMPILER_NAME}")

set(TORQUED_TARGETS baseline)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  list(APPEND TORQUED_TARGETS avx2 avx512)
endif()
# Clang learns too late that it will spill wide registers to align the stack for
# them; every other of 64 bytes would cross a cache line.
set(TORQUED_TARGET_FLAGS_baseline "")
set(TORQUED_TARGET_FLAGS_avx2 -mavx2 -mfma -mstackrealign)
set(TORQUED_TARGET_FLAGS_avx512 -mavx2 -mfma -mavx512f -mavx512dq -mavx512vl
  -mavx512bw -mprefer-vector-width=512 -mstackrealign)

# Exact arithmetic but for three liberties: products and sums may be fused,
# floating-point exceptions leave no flags, and the sign of a zero may change.
set(TORQUED_KERNEL_FLAGS -O3 -fno-math-errno -fno-trapping-math
  -ffp-contract=fast -fno-signed-zeros)

function(torqued_compile_for_targets OBJECTS NAME SOURCE)
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/${SOURCE})
  set(objects)
  foreach(target IN LISTS TORQUED_TARGETS)
    set(flags ${TORQUED_TARGET_FLAGS_${target}} ${TORQUED_KERNEL_FLAGS}
      -DTORQUED_TARGET=${target})
    set(name ${NAME}_${target})
    set(checked FALSE)
    if(TORQUED_SANITIZE AND target STREQUAL "baseline")
      set(checked TRUE)
      list(APPEND flags -O1 -DTORQUED_NO_FORCED_INLINING)
    endif()
    if(checked OR (NOT TORQUED_SANITIZE AND
                   TORQUED_KERNEL_COMPILER_USED STREQUAL CMAKE_CXX_COMPILER))
      add_library(${name} OBJECT ${source})
      target_link_libraries(${name} PRIVATE torqued_settings)
      target_compile_options(${name} PRIVATE ${flags}
        # GCC 12 warns inside its own header of intrinsics (PR 105593).
        $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
      list(APPEND objects $<TARGET_OBJECTS:${name}>)
    else()
      separate_arguments(user_flags NATIVE_COMMAND "${CMAKE_CXX_FLAGS}")
      set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.o)
      add_custom_command(
        OUTPUT ${object}
        COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${TORQUED_KERNEL_COMPILER_USED}
          -std=c++20 -fPIC -I${PROJECT_SOURCE_DIR} -Wall -Wextra -Wpedantic
          -Wshadow -Wcast-qual -Wdouble-promotion -Wundef
          $<$<BOOL:${TORQUED_WERROR}>:-Werror> ${user_flags} ${flags}
          -MD -MT ${object} -MF ${object}.d -c ${source} -o ${object}
        DEPENDS ${source}
        DEPFILE ${object}.d
        COMMENT "Compiling ${SOURCE} for ${target}"
        VERBATIM COMMAND_EXPAND_LISTS)
      set_source_files_properties(${object} PROPERTIES
        EXTERNAL_OBJECT TRUE GENERATED TRUE)
      list(APPEND objects ${object})
    endif()
  endforeach()
  set(${OBJECTS} ${objects} PARENT_SCOPE)
endfunction()
