// Where a spline turns between two samples.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "core/trajectory/spline.h"

namespace torqued {

/// What a spline has at a sample.
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
