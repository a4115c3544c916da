#include "core/trajectory/spline.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

namespace torqued {
namespace {

constexpr int kMaxDegree = 5;

int Degree(SplineMethod method) {
  return method == SplineMethod::kCubic ? 3 : 5;
}

using Row = std::array<double, kMaxDegree + 1>;

/// The degree + 1 B-splines that are not zero at a point: values, first and
/// second derivatives.
using LocalBasis = std::array<Row, 3>;

/// B-splines whose knots are samples: all but the (degree - 1) / 2 next to
/// either end, and the ends degree + 1 times (de Boor 2001, chapter XIII).
class Basis {
 public:
  Basis(std::span<const double> time, int degree) : degree_(degree) {
    const std::size_t left_out = (degree - 1) / 2, ends = degree + 1;
    knots_.assign(ends, time.front());
    for (std::size_t k = 1 + left_out; k + 1 + left_out < time.size(); ++k) {
      knots_.push_back(time[k]);
    }
    knots_.insert(knots_.end(), ends, time.back());
  }

  /// k with knot k <= t < knot k + 1; at the end the last one that is not
  /// empty. The B-splines that are not zero there are k - degree to k.
  int Span(double t) const {
    const auto first = knots_.begin() + degree_;
    const auto last = knots_.end() - degree_ - 1;
    const auto above = std::upper_bound(first, last, t);
    return static_cast<int>(above - knots_.begin()) - 1;
  }

  /// By the recurrence of Cox and de Boor; a derivative of a B-spline is a
  /// difference of two of the degree below.
  LocalBasis At(double t, int span) const {
    // Entry j of degree d: B-spline span - d + j.
    std::array<Row, kMaxDegree + 1> by_degree{};
    by_degree[0][0] = 1;
    for (int d = 1; d <= degree_; ++d) {
      const Row& below = by_degree[d - 1];
      Row& row = by_degree[d];
      for (int j = 0; j <= d; ++j) {
        const int i = span - d + j;
        if (j > 0) row[j] += Share(i, d, t) * below[j - 1];
        if (j < d) row[j] += (1 - Share(i + 1, d, t)) * below[j];
      }
    }
    return {by_degree[degree_], Slopes(by_degree[degree_ - 1], degree_, span),
            Slopes(Slopes(by_degree[degree_ - 2], degree_ - 1, span), degree_,
                   span)};
  }

 private:
  double Knot(int k) const { return knots_[k]; }

  /// How far t is from knot i to knot i + degree.
  double Share(int i, int degree, double t) const {
    const double width = Knot(i + degree) - Knot(i);
    return width > 0 ? (t - Knot(i)) / width : 0;
  }

  /// Derivatives of the B-splines of `degree` from numbers of those of the
  /// degree below.
  Row Slopes(const Row& below, int degree, int span) const {
    Row slopes{};
    for (int j = 0; j <= degree; ++j) {
      const int i = span - degree + j;
      const auto quotient = [&](int first, int entry) {
        const double width = Knot(first + degree) - Knot(first);
        return width > 0 ? below[entry] / width : 0;
      };
      double slope = 0;
      if (j > 0) slope += quotient(i, j - 1);
      if (j < degree) slope -= quotient(i + 1, j);
      slopes[j] = degree * slope;
    }
    return slopes;
  }

  int degree_;
  std::vector<double> knots_;
};

/// A matrix with as many diagonals below the main one as above it, and its
/// factors in the same place. Collocation by B-splines needs no pivoting (de
/// Boor & Pinkus 1977).
class Banded {
 public:
  Banded(std::size_t size, int width) : size_(size), width_(width) {
    entries_.reserve(size * (2 * width_ + 1));
  }

  /// The next one, of zeros.
  void AddRow() { entries_.resize(entries_.size() + 2 * width_ + 1, 0.0); }

  double& At(std::size_t row, std::size_t column) {
    return entries_[row * (2 * width_ + 1) + column + width_ - row];
  }

  /// Eliminates column k; call it for each k from 0 on. False: the pivot is 0.
  bool Eliminate(std::size_t k) {
    if (!(std::abs(At(k, k)) > 1e-300)) return false;
    for (std::size_t i = k + 1; i <= Last(k); ++i) {
      const double factor = At(i, k) /= At(k, k);
      if (factor == 0) continue;
      for (std::size_t j = k + 1; j <= Last(k); ++j) {
        At(i, j) -= factor * At(k, j);
      }
    }
    return true;
  }

  // The factors solve for every column of `x` in its place: forward for each i
  // from 0 on, then backward for each i from the last one down.
  void Forward(SampleTable& x, std::size_t i) {
    for (std::size_t k = First(i); k < i; ++k) Subtract(x, i, At(i, k), k);
  }
  void Backward(SampleTable& x, std::size_t i) {
    for (std::size_t k = i + 1; k <= Last(i); ++k) Subtract(x, i, At(i, k), k);
    x.row(i) /= At(i, i);
  }

 private:
  std::size_t First(std::size_t row) const {
    return row > width_ ? row - width_ : 0;
  }
  std::size_t Last(std::size_t row) const {
    return std::min(row + width_, size_ - 1);
  }
  static void Subtract(SampleTable& x, std::size_t row, double factor,
                       std::size_t other) {
    x.row(row) -= factor * x.row(other);
  }

  std::size_t size_;
  std::size_t width_;
  std::vector<double> entries_;  // by row
};

// From 0 on: times since some epoch would lose digits.
std::vector<double> SinceTheFirst(std::span<const double> time) {
  std::vector<double> since(time.size());
  for (std::size_t k = 0; k < time.size(); ++k) since[k] = time[k] - time[0];
  return since;
}

constexpr std::size_t kMostCoefficients = 6;

/// Relative to the numbers at both samples: smaller differences are rounding.
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
  // Near 0 the absolute distance of the ends counts.
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

/// Where c[0] + c[1] u + c[2] u² + ... changes its sign for u in (0, 1): each
/// such place, in order, and how many.
std::size_t SignChanges(std::span<const double> coefficients,
                        Coefficients& roots) {
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

void Find(std::span<const double> polynomial, std::span<const double> slope,
          double step, double size, std::vector<SplineExtremum>* extrema) {
  Coefficients roots{};
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
    extrema->push_back(
        {std::clamp(roots[k] * step, 0x1p-52 * step, step), value});
  }
}

class Run final : public SplineDerivatives {
 public:
  Run(std::span<const double> time, const SampleView& positions,
      SplineMethod method)
      : degree_(Degree(method)),
        since_(SinceTheFirst(time)),
        basis_(since_, degree_),
        collocation_(since_.size(), degree_),
        coefficients_(positions) {
    // The first write to memory takes time, so the passes do it.
    local_.reserve(since_.size());
    spans_.reserve(since_.size());
    rates_.v.resize(positions.rows(), positions.cols());
    rates_.a.resize(positions.rows(), positions.cols());
  }

  bool Advance(std::int64_t rows) override {
    for (; rows > 0 && pass_ < std::size(kPasses); --rows) {
      (this->*kPasses[pass_])();
      if (++row_ < since_.size()) continue;
      row_ = 0;
      ++pass_;
    }
    return pass_ == std::size(kPasses);
  }

  std::optional<SampleRates> Finish() override {
    if (!finite_) return std::nullopt;
    return std::move(rates_);
  }

 private:
  void Factor() { finite_ = finite_ && collocation_.Eliminate(row_); }
  void Forward() { collocation_.Forward(coefficients_, row_); }
  void Backward() {
    collocation_.Backward(coefficients_, since_.size() - 1 - row_);
  }

  void Collocate() {
    const int span = basis_.Span(since_[row_]);
    const LocalBasis local = basis_.At(since_[row_], span);
    collocation_.AddRow();
    for (int j = 0; j <= degree_; ++j) {
      const double entry = local[0][j];
      // Zeros may stand beyond the band.
      if (entry == 0) continue;
      collocation_.At(row_, span - degree_ + j) = entry;
    }
    spans_.push_back(span);
    local_.push_back(local);
  }

  void Rates() {
    auto v = rates_.v.row(row_);
    auto a = rates_.a.row(row_);
    v.setZero();
    a.setZero();
    for (int j = 0; j <= degree_; ++j) {
      const auto spline = coefficients_.row(spans_[row_] - degree_ + j);
      v += local_[row_][1][j] * spline;
      a += local_[row_][2][j] * spline;
    }
    finite_ = finite_ && v.allFinite() && a.allFinite();
  }

  /// Over all rows, one after the other.
  static constexpr void (Run::* kPasses[])() = {&Run::Collocate, &Run::Factor,
                                                &Run::Forward, &Run::Backward,
                                                &Run::Rates};

  int degree_;
  std::vector<double> since_;
  Basis basis_;
  std::vector<LocalBasis> local_;
  std::vector<int> spans_;
  Banded collocation_;
  SampleTable coefficients_;
  SampleRates rates_;
  bool finite_ = true;
  std::size_t pass_ = 0;
  std::size_t row_ = 0;  // of the pass
};

}  // namespace

int FewestSamples(SplineMethod method) { return Degree(method) + 1; }

double MostUneven(SplineMethod method) {
  return method == SplineMethod::kCubic ? 1e5 : 1e3;
}

std::optional<UnevenSteps> TooUneven(std::span<const double> time,
                                     SplineMethod method) {
  const auto step = [&](std::size_t row) { return time[row] - time[row - 1]; };
  UnevenSteps steps{1, 1};
  for (std::size_t row = 2; row < time.size(); ++row) {
    if (step(row) < step(steps.shortest)) steps.shortest = row;
    if (step(row) > step(steps.longest)) steps.longest = row;
  }
  if (time.size() < 2 ||
      step(steps.longest) <= MostUneven(method) * step(steps.shortest)) {
    return std::nullopt;
  }
  return steps;
}

std::unique_ptr<SplineDerivatives> SplineDerivatives::Create(
    std::span<const double> time, const SampleView& positions,
    SplineMethod method) {
  return std::make_unique<Run>(time, positions, method);
}

std::optional<SampleRates> Differentiate(std::span<const double> time,
                                         const SampleView& positions,
                                         SplineMethod method) {
  if (time.size() < static_cast<std::size_t>(FewestSamples(method)) ||
      TooUneven(time, method)) {
    return std::nullopt;
  }
  const auto derivatives = SplineDerivatives::Create(time, positions, method);
  derivatives->Advance(std::numeric_limits<std::int64_t>::max());
  return derivatives->Finish();
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
  std::vector<SplineExtremum> of_step;
  Find(first(velocity, terms - 1), first(acceleration, terms - 2), step,
       swing + std::abs(begin.q) + std::abs(end.q), &of_step);
  for (const SplineExtremum& turn : of_step) {
    const double value = turn.value / step;
    if (std::isfinite(value)) extrema.velocities.push_back({turn.after, value});
  }
  return extrema;
}

}  // namespace torqued
