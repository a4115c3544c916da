# Compiling a unit once for each target.
#
# Sets TORQUED_TARGETS and defines
#   torqued_compile_for_targets(OBJECTS NAME SOURCE)
# which sets OBJECTS to the object files to link. Under sanitizers the baseline
# unit alone is checked.

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
  -ffp-contract=fast)
# GCC 12 then takes 0 times a vector for 0, which hides numbers that are not finite.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  list(APPEND TORQUED_KERNEL_FLAGS -fno-signed-zeros)
endif()

function(torqued_compile_for_targets OBJECTS NAME SOURCE)
  set(objects)
  foreach(target IN LISTS TORQUED_TARGETS)
    set(name ${NAME}_${target})
    add_library(${name} OBJECT ${SOURCE})
    target_link_libraries(${name} PRIVATE torqued_warnings)
    target_compile_options(${name} PRIVATE
      ${TORQUED_TARGET_FLAGS_${target}} ${TORQUED_KERNEL_FLAGS}
      # GCC 12 warns inside its own header of intrinsics (PR 105593).
      $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
    target_compile_definitions(${name} PRIVATE TORQUED_TARGET=${target})
    if(TORQUED_SANITIZE AND target STREQUAL "baseline")
      target_link_libraries(${name} PRIVATE torqued_settings)
      target_compile_options(${name} PRIVATE -O1)
      target_compile_definitions(${name} PRIVATE TORQUED_NO_FORCED_INLINING)
    endif()
    list(APPEND objects $<TARGET_OBJECTS:${name}>)
  endforeach()
  set(${OBJECTS} ${objects} PARENT_SCOPE)
endfunction()
