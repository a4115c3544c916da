#include "core/trajectory/spline_extrema.h"

#include <algorithm>
#include <cmath>

namespace torqued {
namespace {

constexpr std::size_t kMostCoefficients = 6;

/// Of the numbers at both samples; what is less comes from rounding.
constexpr double kRounding = 1e-10;

using Coefficients = std::array<double, kMostCoefficients>;

double ValueAt(std::span<const double> coefficients, double u) {
  double value = 0;
  for (std::size_t k = coefficients.size(); k-- > 0;) {
    value = value * u + coefficients[k];
  }
  return value;
}

/// Whether all coefficients by Bernstein's polynomials have one sign: then so
/// has the polynomial.
bool HasOneSign(std::span<const double> coefficients) {
  const std::size_t degree = coefficients.size() - 1;
  bool above = true, below = true;
  for (std::size_t i = 0; i <= degree; ++i) {
    // i over j by degree over j.
    double share = 1, sum = 0;
    for (std::size_t j = 0; j <= i; ++j) {
      sum += share * coefficients[j];
      if (j == i) break;
      share *= static_cast<double>(i - j) / static_cast<double>(degree - j);
    }
    above = above && sum > 0;
    below = below && sum < 0;
  }
  return above || below;
}

/// Between a and b the polynomial is monotone and changes its sign.
double Bisected(std::span<const double> coefficients, double a, double b) {
  const bool rises = ValueAt(coefficients, b) > 0;
  // Of a root near 0 the distance counts, not its share.
  while (b - a > 0x1p-64) {
    const double middle = a + (b - a) / 2;
    if (!(middle > a && middle < b)) break;
    ((ValueAt(coefficients, middle) > 0) == rises ? b : a) = middle;
  }
  return b;
}

Coefficients Derivative(std::span<const double> of) {
  Coefficients derivative{};
  for (std::size_t k = 1; k < of.size(); ++k) {
    derivative[k - 1] = static_cast<double>(k) * of[k];
  }
  return derivative;
}

/// The piece with u = t / step. Position 0 is that of the first sample.
Coefficients PieceOf(SplineMethod method, double h, const SplineNode& begin,
                     const SplineNode& end) {
  const double change = end.q - begin.q;
  const double v0 = h * begin.v, v1 = h * end.v;
  if (method == SplineMethod::kCubic) {
    return {0, v0, 3 * change - 2 * v0 - v1, v0 + v1 - 2 * change, 0, 0};
  }
  const double a0 = h * h * begin.a / 2, a1 = h * h * end.a / 2;
  const double d = change - v0 - a0, v = v1 - v0 - 2 * a0, a = a1 - a0;
  return {0,
          v0,
          a0,
          10 * d - 4 * v + a,
          -15 * d + 7 * v - 2 * a,
          6 * d - 3 * v + a};
}

template <std::size_t kMost>
void Find(std::span<const double> polynomial, std::span<const double> slope,
          double step, double size, SplineExtrema<kMost>* extrema) {
  std::array<double, kMost> roots{};
  const std::size_t count = SignChanges(slope, roots);
  const double end = ValueAt(polynomial, 1);
  const double low = std::min(polynomial[0], end);
  const double high = std::max(polynomial[0], end);
  for (std::size_t k = 0; k < count; ++k) {
    const double value = ValueAt(polynomial, roots[k]);
    const double margin = kRounding * size;
    if (!(value < low - margin) && !(value > high + margin)) continue;
    if (!std::isfinite(value)) continue;
    // A sample's own time is not between it and the next one.
    extrema->Add({std::clamp(roots[k] * step, 0x1p-52 * step, step), value});
  }
}

}  // namespace

std::size_t SignChanges(std::span<const double> coefficients,
                        std::span<double> roots) {
  const std::size_t terms = coefficients.size();
  if (terms < 2 || HasOneSign(coefficients)) return 0;
  // Between the turns it is monotone.
  Coefficients turns{};
  std::size_t turn_count = 0;
  if (terms > 2) {
    const Coefficients slope = Derivative(coefficients);
    turn_count = SignChanges(std::span(slope).first(terms - 1), turns);
  }
  turns[turn_count++] = 1;
  std::size_t count = 0;
  double from = 0, at_from = coefficients[0];
  for (std::size_t k = 0; k < turn_count; ++k) {
    const double to = turns[k], at_to = ValueAt(coefficients, to);
    if ((at_from < 0 && at_to > 0) || (at_from > 0 && at_to < 0)) {
      roots[count++] = Bisected(coefficients, from, to);
    }
    from = to;
    // Where a turn touches 0 the sign before it counts on.
    if (at_to != 0) at_from = at_to;
  }
  return count;
}

ExtremaBetween FindExtremaBetween(SplineMethod method, double step,
                                  const SplineNode& begin,
                                  const SplineNode& end) {
  const std::size_t terms = method == SplineMethod::kCubic ? 4 : 6;
  const Coefficients position = PieceOf(method, step, begin, end);
  const Coefficients velocity = Derivative(position);
  const Coefficients acceleration = Derivative(velocity);
  const double swing = step * (std::abs(begin.v) + std::abs(end.v));
  ExtremaBetween extrema;
  const auto first = [](const Coefficients& of, std::size_t count) {
    return std::span(of).first(count);
  };
  // Rounding of a position is that of the numbers, not of their difference.
  Coefficients lifted = position;
  lifted[0] = begin.q;
  Find(first(lifted, terms), first(velocity, terms - 1), step,
       std::abs(begin.q) + std::abs(end.q) + swing, &extrema.positions);
  SplineExtrema<3> of_step;
  Find(first(velocity, terms - 1), first(acceleration, terms - 2), step,
       swing + std::abs(begin.q) + std::abs(end.q), &of_step);
  for (const SplineExtremum& turn : of_step) {
    const double value = turn.value / step;
    if (std::isfinite(value)) extrema.velocities.Add({turn.after, value});
  }
  return extrema;
}

}  // namespace torqued
