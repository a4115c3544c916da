// Rates of sampled positions.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <span>

namespace torqued {

/// One row per sample.
using SampleTable =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
/// A table in memory of another, without gaps.
using SampleView = Eigen::Map<const SampleTable>;

inline SampleView ViewOf(const SampleTable& table) {
  return {table.data(), table.rows(), table.cols()};
}

/// Interpolating splines with not-a-knot ends: a cubic has two continuous
/// derivatives, a quintic four. Polynomials of the spline's degree are met
/// exactly, up to rounding.
enum class SplineMethod : std::uint8_t { kCubic, kQuintic };

/// How many samples a spline needs at least: 4 or 6.
int FewestSamples(SplineMethod method);

struct SampleRates {
  SampleTable v;  // first derivative at every sample
  SampleTable a;  // second
};

/// Derivatives at its samples of the spline through `positions`, column by
/// column. `time` increases strictly, s, one number per row. Nothing where
/// there are too few samples, or where times are so unevenly spaced that the
/// spline cannot be told.
std::optional<SampleRates> Differentiate(std::span<const double> time,
                                         const SampleView& positions,
                                         SplineMethod method);

}  // namespace torqued
