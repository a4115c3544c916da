// Twists and accelerations of the bodies and of frames on them.
#pragma once

#include "core/dynamics/base_motion.h"
#include "core/dynamics/scratch.h"
#include "core/model/tree.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// scratch.V, body twists V_i in {i}. Needs X. Null v means zeros.
template <class T>
void ComputeBodyTwists(const Tree& tree, const T* v, Scratch<T>& scratch,
                       const BaseMotion<T>* base = nullptr);

/// scratch.V, and scratch.A with the body accelerations V̇_i: rates of the
/// components of V_i in {i}, gravity not in them. Needs X. Null v or a means
/// zeros.
template <class T>
void ComputeBodyMotions(const Tree& tree, const T* v, const T* a,
                        Scratch<T>& scratch,
                        const BaseMotion<T>* base = nullptr);

/// n rows of 6 numbers, (angular; linear), from scratch.V or scratch.A.
template <class T>
void StoreBodyVectors(const Tree& tree, const Twist<T>* vectors, T* rows);

/// Twist of a frame, 6 numbers; equal to J q̇ where the base rests. Needs V of
/// the frame's body, and X_world unless kLocal. On a moving base it is the
/// twist against the inertial frame, in axes (and about the origin) of the
/// base; a frame fixed to the base moves with it.
template <class T>
void FrameTwist(const Tree& tree, const BodyFrame& frame,
                ReferenceFrame reference, const Scratch<T>& scratch, T* twist,
                const BaseMotion<T>* base = nullptr);

/// Acceleration of a frame, 6 numbers (angular; linear). Needs V and A of the
/// frame's body, and X_world unless kLocal. With the frame's own V, V̇:
///                   spatial                 classical
///   local           V̇                       V̇ + (0; ω × v)
///   world-aligned   blkdiag(R, R) V̇         blkdiag(R, R) (V̇ + (0; ω × v))
///   world           V̇_s = Ad_{T_0,tip} V̇    V̇_s + (0; ω_s × v_s)
/// The linear part of the classical one is the second derivative of the
/// position of the frame's origin (kWorld: of the point of the body that passes
/// through the base origin). On a base at rest J q̈ + J̇ q̇ is the spatial
/// acceleration for kLocal and kWorld and the classical one for
/// kLocalWorldAligned. Axes on a moving base as for FrameTwist; rates are those
/// that an inertial observer sees.
template <class T>
void FrameAcceleration(const Tree& tree, const BodyFrame& frame,
                       ReferenceFrame reference, AccelerationKind kind,
                       const Scratch<T>& scratch, T* acceleration,
                       const BaseMotion<T>* base = nullptr);

/// Drift J̇ q̇ of a frame, in the given reference frame; `drift` has 6 numbers,
/// (angular; linear): its acceleration for q̈ = 0, of the kind that belongs to
/// the Jacobian (see FrameAcceleration). On a moving base it has the base's
/// share as well. Null v means zeros. Needs X; needs X_world unless kLocal.
/// Uses V, A.
template <class T>
void FrameDrift(const Tree& tree, const BodyFrame& frame,
                ReferenceFrame reference, const T* v, Scratch<T>& scratch,
                T* drift, const BaseMotion<T>* base = nullptr);

}  // namespace TORQUED_TARGET
}  // namespace torqued
