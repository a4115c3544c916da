#include "core/model/regrouping.h"

namespace torqued {
namespace {

using Eigen::Matrix3d;
using Eigen::Matrix4d;

// Of the body in {i}: S = ½ tr(I) 1 − I.
Matrix4d PseudoInertia(const TreeBody& body) {
  const double* I = body.I;
  Matrix3d inertia;
  inertia << I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5];
  Matrix4d sigma;
  sigma.topLeftCorner<3, 3>() =
      0.5 * inertia.trace() * Matrix3d::Identity() - inertia;
  sigma.topRightCorner<3, 1>() = Eigen::Map<const Eigen::Vector3d>(body.h);
  sigma.bottomLeftCorner<1, 3>() = sigma.topRightCorner<3, 1>().transpose();
  sigma(3, 3) = body.mass;
  return sigma;
}

// Σ_a = T_ab Σ_b T_abᵀ.
Matrix4d ToParent(const Eigen::Isometry3d& ab, const Matrix4d& sigma) {
  return ab.matrix() * sigma * ab.matrix().transpose();
}

// The part Λ with [A_i] Λ = 0: of it T Λ Tᵀ does not depend on q_i. A rotation
// about z does not move matter on z; a translation leaves second moments about
// the body's own origin, without mass, as they are.
Matrix4d PartAtRestInParent(JointMotion motion, const Matrix4d& sigma) {
  Matrix4d part = Matrix4d::Zero();
  if (motion == JointMotion::kRevolute) {
    part.bottomRightCorner<2, 2>() = sigma.bottomRightCorner<2, 2>();
  } else {
    part.topLeftCorner<3, 3>() = sigma.topLeftCorner<3, 3>();
  }
  return part;
}

}  // namespace

std::vector<Matrix4d> Regroup(const Tree& tree,
                              std::span<const ReframedJoint> joints) {
  std::vector<Matrix4d> kept;
  kept.reserve(tree.n);
  for (int i = 0; i < tree.n; ++i) {
    kept.push_back(
        ToParent(joints[i].C.inverse(), PseudoInertia(tree.bodies[i])));
  }
  for (int i = tree.n; i-- > 0;) {
    const TreeBody& body = tree.bodies[i];
    const Matrix4d handed = PartAtRestInParent(body.motion, kept[i]);
    kept[i] -= handed;
    if (body.parent == kBase) continue;
    kept[body.parent] += ToParent(HomePlacement(joints[i]), handed);
  }
  return kept;
}

}  // namespace torqued
