// The instruction set a translation unit is compiled for, as a namespace.
//
// Everything in core/math and every kernel in core/dynamics lives in
// the inline namespace TORQUED_TARGET. A unit that is compiled with wider
// instructions defines another name first, so that no function of its own is
// ever merged by the linker with one of baseline code. For the same reason
// these include no standard headers and no Eigen.
#pragma once

#ifndef TORQUED_TARGET
#define TORQUED_TARGET baseline
#endif

/// Sanitized code is left to the compiler, which takes minutes over it when all
/// of it has to be inlined.
#ifdef TORQUED_NO_FORCED_INLINING
#define TORQUED_INLINE inline
#define TORQUED_INLINE_BODY
#else
#define TORQUED_INLINE inline __attribute__((always_inline))
/// In front of the body of a lambda that is called where it stands.
#define TORQUED_INLINE_BODY __attribute__((always_inline))
#endif

/// Compiled once, whichever function calls it: the compiler may fuse products
/// and sums differently in each copy.
#if defined(__GNUC__) && !defined(__clang__)
#define TORQUED_ONE_COPY __attribute__((noinline, noclone))
#else
#define TORQUED_ONE_COPY __attribute__((noinline))
#endif

namespace torqued {
inline namespace TORQUED_TARGET {}  // namespace TORQUED_TARGET
}  // namespace torqued
