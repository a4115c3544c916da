// Rates of sampled positions, and extrema between samples.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
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
/// column. `time` increases strictly, s, one number per row. Nothing where
/// there are too few samples, where steps are too uneven, or where the
/// derivatives overflow.
std::optional<SampleRates> Differentiate(std::span<const double> time,
                                         const SampleView& positions,
                                         SplineMethod method);

/// Computes what Differentiate does in steps of some rows. The caller may stop
/// after each step. `time` needs at least FewestSamples and must not be
/// TooUneven. The constructor alone reads `time` and `positions`.
class SplineDerivatives {
 public:
  SplineDerivatives(std::span<const double> time, const SampleView& positions,
                    SplineMethod method);
  SplineDerivatives(SplineDerivatives&&) noexcept;
  SplineDerivatives& operator=(SplineDerivatives&&) noexcept;
  ~SplineDerivatives();

  /// At most so many rows further; the passes over all rows are 5. True: all of
  /// them are over.
  bool Advance(std::int64_t rows);

  /// Once Advance says true. Nothing where the derivatives overflow.
  std::optional<SampleRates> Finish();

 private:
  class Run;
  std::unique_ptr<Run> run_;
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

/// At most so many, in order of time.
template <std::size_t kMost>
class SplineExtrema {
 public:
  void Add(const SplineExtremum& extremum) { list_[count_++] = extremum; }
  const SplineExtremum* begin() const { return list_.data(); }
  const SplineExtremum* end() const { return list_.data() + count_; }

 private:
  std::array<SplineExtremum, kMost> list_{};
  std::size_t count_ = 0;
};

/// Extrema that lie beyond the values at both samples, by more than rounding.
struct ExtremaBetween {
  SplineExtrema<4> positions;
  SplineExtrema<3> velocities;
};

/// Of the piece between two samples `step` seconds apart: the polynomial of the
/// spline's degree that the numbers at both of them determine (of a cubic, q
/// and v do).
ExtremaBetween FindExtremaBetween(SplineMethod method, double step,
                                  const SplineNode& begin,
                                  const SplineNode& end);

/// Where c[0] + c[1] u + c[2] u² + ... changes its sign for u in (0, 1): each
/// such place, in order. At most 5 coefficients; `roots` has room for one less.
std::size_t SignChanges(std::span<const double> coefficients,
                        std::span<double> roots);

}  // namespace torqued
