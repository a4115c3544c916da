// Rates of sampled positions, and extrema between samples.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

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

/// The shortest and the longest step between samples, by the row each ends at.
struct UnevenSteps {
  std::size_t shortest = 0;
  std::size_t longest = 0;
};

/// How often the longest step may hold the shortest: 1e5 or 1000. Splines
/// through steps of very different length amplify rounding with the square and
/// the cube of that ratio. Against splines in exact numbers, with 150 random
/// spacings of six kinds, the worst acceleration at these ratios was off by
/// 3e-5 and 3e-4 of the largest one; at ten times the ratio by 1e-3 and by 2.
double MostUneven(SplineMethod method);

/// Steps beyond that; nothing: there are none. `time` increases strictly.
std::optional<UnevenSteps> TooUneven(std::span<const double> time,
                                     SplineMethod method);

/// Derivatives at its samples of the spline through `positions`, column by
/// column, in steps of some rows. The caller may stop after each step. `time`
/// increases strictly, s, one number per row; it needs at least FewestSamples
/// and must not be TooUneven. Create alone reads `time` and `positions`.
class SplineDerivatives {
 public:
  static std::unique_ptr<SplineDerivatives> Create(std::span<const double> time,
                                                   const SampleView& positions,
                                                   SplineMethod method);
  virtual ~SplineDerivatives() = default;

  /// At most so many rows further; the passes over all rows are 3. True: all of
  /// them are over.
  virtual bool Advance(std::int64_t rows) = 0;

  /// Once Advance says true. Nothing where the derivatives overflow.
  virtual std::optional<SampleRates> Finish() = 0;
};

/// Position, velocity and acceleration at a sample.
struct SplineNode {
  double q = 0;
  double v = 0;
  double a = 0;
};

struct SplineExtremum {
  double after = 0;  // s, since the sample before it
  double value = 0;
};

/// Extrema that lie beyond the values at both samples, by more than rounding;
/// in order of time.
struct ExtremaBetween {
  std::vector<SplineExtremum> positions;
  std::vector<SplineExtremum> velocities;
};

/// Of the piece between two samples `step` seconds apart: the polynomial of the
/// spline's degree that the numbers at both of them determine (of a cubic, q
/// and v do).
ExtremaBetween FindExtremaBetween(SplineMethod method, double step,
                                  const SplineNode& begin,
                                  const SplineNode& end);

}  // namespace torqued
