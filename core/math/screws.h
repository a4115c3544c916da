// Twists, wrenches, poses and joint screws as Eigen matrices (Lynch & Park
// 2017, chapters 3, 4 and 8): to state models in and to check results with.
// Spatial vectors are (angular; linear), poses homogeneous 4 x 4 matrices.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

namespace torqued {

using Vector6d = Eigen::Matrix<double, 6, 1>;
using Matrix6d = Eigen::Matrix<double, 6, 6>;

/// [a] with [a] x = a × x.
Eigen::Matrix3d Skew(const Eigen::Vector3d& a);
/// T⁻¹ of a rigid T.
Eigen::Matrix4d InversePose(const Eigen::Matrix4d& T);
/// Ad_T = [[R, 0], [[p] R, R]]: V_a = Ad_{T_ab} V_b and F_a = Ad_{T_ba}ᵀ F_b.
Matrix6d Adjoint(const Eigen::Matrix4d& T);
/// ad_V = [[[ω], 0], [[v], [ω]]]: ad_{V1} V2 is the Lie bracket of two twists,
/// −ad_Vᵀ F that of a twist and a wrench.
Matrix6d LieBracketMatrix(const Vector6d& V);
/// [[I, [h]], [[h]ᵀ, m 1]]: the spatial inertia of a mass m with centre of mass
/// c, inertia I_c about it, h = m c and I = I_c + m [c][c]ᵀ.
Matrix6d SpatialInertiaMatrix(double mass, const Eigen::Vector3d& c,
                              const Eigen::Matrix3d& I_c);

/// (s; −s × r + pitch s): the screw about the axis of direction s through r,
/// pitch in m/rad.
Vector6d ScrewAbout(const Eigen::Vector3d& direction,
                    const Eigen::Vector3d& point, double pitch = 0);
/// (0; s).
Vector6d ScrewAlong(const Eigen::Vector3d& direction);
/// e^{[S] q}; a screw that is not a unit vector counts |ω| times, as the matrix
/// exponential has it.
Eigen::Matrix4d ExpScrew(const Vector6d& S, double q);

// Poses of link frames at q = 0: M_{i-1,i} in the link before, M_i in the base.

/// M_i = M_01 M_12 … M_{i-1,i}, as many as are given.
std::vector<Eigen::Matrix4d> HomePoses(
    std::span<const Eigen::Matrix4d> relative);
/// M_{i-1,i} = M_{i-1}⁻¹ M_i.
std::vector<Eigen::Matrix4d> RelativeHomePoses(
    std::span<const Eigen::Matrix4d> home);

// Joint screws at q = 0: S_i in base axes, A_i in link frame {i}, B_i in the
// tip frame.

/// A_i = Ad_{M_i⁻¹} S_i.
std::vector<Vector6d> LinkScrews(std::span<const Eigen::Matrix4d> home,
                                 std::span<const Vector6d> space);
/// S_i = Ad_{M_i} A_i.
std::vector<Vector6d> SpaceScrews(std::span<const Eigen::Matrix4d> home,
                                  std::span<const Vector6d> link);
/// B_i = Ad_{M⁻¹} S_i, M the home pose of the tip.
std::vector<Vector6d> TipScrews(const Eigen::Matrix4d& tip_home,
                                std::span<const Vector6d> space);

/// T_{i-1,i}(q_i) = M_{i-1,i} e^{[A_i] q_i}.
Eigen::Matrix4d RelativePose(const Eigen::Matrix4d& relative_home,
                             const Vector6d& link_screw, double q);
/// e^{[S_1] q_1} … e^{[S_k] q_k} M: the pose of a frame with home pose M that
/// the first k joints carry, k being the number of screws.
Eigen::Matrix4d ProductOfExponentials(
    std::span<const Vector6d> space, const Eigen::Matrix4d& home,
    const Eigen::Ref<const Eigen::VectorXd>& q);

}  // namespace torqued
