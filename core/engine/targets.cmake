# Compiling a unit once for each target.
#
# Sets TORQUED_TARGETS and defines
#   torqued_compile_for_targets(OBJECTS NAME SOURCE [ONE_LANE])
# which sets OBJECTS to the object files to link, with ONE_LANE also those of
# units of packs of one lane, TARGET_one. Under sanitizers the baseline units
# alone are checked. With TORQUED_NATIVE there is one target, which saves two
# thirds of the kernels' compile time and runs on machines like this one alone.

set(TORQUED_TARGETS baseline)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  list(APPEND TORQUED_TARGETS avx2 avx512)
endif()
if(TORQUED_NATIVE)
  file(STRINGS /proc/cpuinfo flags REGEX "^flags" LIMIT_COUNT 1)
  if(flags MATCHES " avx512f .*avx512dq .*avx512bw .*avx512vl ")
    set(TORQUED_TARGETS avx512)
  elseif(flags MATCHES " fma .*avx2 ")
    set(TORQUED_TARGETS avx2)
  else()
    set(TORQUED_TARGETS baseline)
  endif()
endif()
# Clang learns too late that it will spill wide registers to align the stack for
# them; every other of 64 bytes would cross a cache line.
set(TORQUED_TARGET_FLAGS_baseline "")
set(TORQUED_TARGET_FLAGS_avx2 -mavx2 -mfma -mstackrealign)
set(TORQUED_TARGET_FLAGS_avx512 -mavx2 -mfma -mavx512f -mavx512dq -mavx512vl
  -mavx512bw -mprefer-vector-width=512 -mstackrealign)

# Exact arithmetic but for two liberties: products and sums may be fused, and
# floating-point exceptions leave no flags.
set(TORQUED_KERNEL_FLAGS -O3 -fno-math-errno -fno-trapping-math
  -ffp-contract=fast)

function(torqued_compile_for_targets OBJECTS NAME SOURCE)
  set(units ${TORQUED_TARGETS})
  if("ONE_LANE" IN_LIST ARGN)
    list(TRANSFORM TORQUED_TARGETS APPEND _one OUTPUT_VARIABLE one)
    list(APPEND units ${one})
  endif()
  set(objects)
  foreach(unit IN LISTS units)
    set(name ${NAME}_${unit})
    string(REGEX REPLACE "_one$" "" target ${unit})
    add_library(${name} OBJECT ${SOURCE})
    target_link_libraries(${name} PRIVATE torqued_warnings)
    target_compile_options(${name} PRIVATE
      ${TORQUED_TARGET_FLAGS_${target}} ${TORQUED_KERNEL_FLAGS}
      # GCC 12 warns inside its own header of intrinsics (PR 105593).
      $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
    target_compile_definitions(${name} PRIVATE TORQUED_TARGET=${unit})
    if(NOT unit STREQUAL target)
      target_compile_definitions(${name} PRIVATE TORQUED_ONE_LANE)
      # The compiler must fuse the same products and sums as in lanes, which it
      # neither groups nor knows to be different numbers.
      target_compile_options(${name} PRIVATE -fno-strict-aliasing
        $<IF:$<CXX_COMPILER_ID:GNU>,-fno-tree-slp-vectorize,-fno-slp-vectorize>)
    endif()
    if(TORQUED_SANITIZE AND target STREQUAL "baseline")
      target_link_libraries(${name} PRIVATE torqued_compile_options)
      target_compile_options(${name} PRIVATE -O1)
      target_compile_definitions(${name} PRIVATE TORQUED_NO_FORCED_INLINING)
    endif()
    list(APPEND objects $<TARGET_OBJECTS:${name}>)
  endforeach()
  set(${OBJECTS} ${objects} PARENT_SCOPE)
endfunction()
