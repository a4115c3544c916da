#include "core/trajectory/verdict.h"

namespace torqued {
namespace {

constexpr int kMaxDegree = 5;

int Degree(SplineMethod method) {
  return method == SplineMethod::kCubic ? 3 : 5;
}

using Row = std::array<double, kMaxDegree + 1>;

/// The degree + 1 B-splines that are not zero at a point, from `first` on.
struct LocalBasis {
  int first = 0;
  Row values, slopes, curvatures;
};

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

  /// By the recurrence of Cox and de Boor; a derivative of a B-spline is a
  /// difference of two of the degree below.
  LocalBasis At(double t) const {
    // Knot span <= t < knot span + 1; at the end the last that is not empty.
    const auto above = std::upper_bound(knots_.begin() + degree_,
                                        knots_.end() - degree_ - 1, t);
    const int span = static_cast<int>(above - knots_.begin()) - 1;
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
    return {span - degree_, by_degree[degree_],
            Slopes(by_degree[degree_ - 1], degree_, span),
            Slopes(Slopes(by_degree[degree_ - 2], degree_ - 1, span), degree_,
                   span)};
  }

 private:
  /// A number over the distance from knot i to knot i + degree; over 0 it is 0.
  double Per(int i, int degree, double number) const {
    const double width = knots_[i + degree] - knots_[i];
    return width > 0 ? number / width : 0;
  }
  /// How far t is on the way between these.
  double Share(int i, int degree, double t) const {
    return Per(i, degree, t - knots_[i]);
  }

  /// Derivatives of the B-splines of `degree` from numbers of those of the
  /// degree below.
  Row Slopes(const Row& below, int degree, int span) const {
    Row slopes{};
    for (int j = 0; j <= degree; ++j) {
      const int i = span - degree + j;
      double slope = 0;
      if (j > 0) slope += Per(i, degree, below[j - 1]);
      if (j < degree) slope -= Per(i + 1, degree, below[j]);
      slopes[j] = degree * slope;
    }
    return slopes;
  }

  int degree_;
  std::vector<double> knots_;
};

// From 0 on: times since some epoch would lose digits.
std::vector<double> SinceTheFirst(std::span<const double> time) {
  std::vector<double> since(time.size());
  for (std::size_t k = 0; k < time.size(); ++k) since[k] = time[k] - time[0];
  return since;
}

/// Relative to the numbers at both samples: smaller differences are rounding.
constexpr double kMargin = 1e-10;

/// c[0] + c[1] u + c[2] u² + ...
using Polynomial = std::array<double, kMaxDegree + 1>;

double ValueAt(const Polynomial& c, double u) {
  double value = 0;
  for (std::size_t k = c.size(); k-- > 0;) value = value * u + c[k];
  return value;
}

Polynomial Derivative(const Polynomial& of) {
  Polynomial derivative{};
  for (std::size_t k = 1; k < of.size(); ++k) {
    derivative[k - 1] = static_cast<double>(k) * of[k];
  }
  return derivative;
}

/// Between a and b the polynomial is monotone and changes its sign.
double Bisected(const Polynomial& c, double a, double b) {
  const bool rises = ValueAt(c, b) > 0;
  // Near 0 the absolute distance of the ends counts.
  while (b - a > 0x1p-64) {
    const double middle = a + (b - a) / 2;
    if (!(middle > a && middle < b)) break;
    ((ValueAt(c, middle) > 0) == rises ? b : a) = middle;
  }
  return b;
}

/// The piece with u = t / step. Position 0 is that of the first sample.
Polynomial PieceOf(SplineMethod method, double h, const SplineNode& begin,
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

/// Where the polynomial changes its sign for u in (0, 1), in order.
std::vector<double> SignChanges(const Polynomial& c, int degree) {
  double rest = 0;
  for (int k = 1; k <= degree; ++k) rest += std::abs(c[k]);
  if (std::abs(c[0]) > rest) return {};
  // Between the turns it is monotone.
  std::vector<double> ends;
  if (degree > 1) ends = SignChanges(Derivative(c), degree - 1);
  ends.push_back(1);
  std::vector<double> roots;
  double from = 0, at_from = c[0];
  for (const double to : ends) {
    const double at_to = ValueAt(c, to);
    if ((at_from < 0 && at_to > 0) || (at_from > 0 && at_to < 0)) {
      roots.push_back(Bisected(c, from, to));
    }
    from = to;
    // Where a turn touches 0 the sign before it counts on.
    if (at_to != 0) at_from = at_to;
  }
  return roots;
}

/// Where the slope of a polynomial of this degree changes its sign; `size`:
/// that of the numbers at both samples.
std::vector<SplineExtremum> Extrema(const Polynomial& polynomial, int degree,
                                    double step, double size) {
  std::vector<SplineExtremum> extrema;
  const double end = ValueAt(polynomial, 1), margin = kMargin * size;
  const double low = std::min(polynomial[0], end);
  const double high = std::max(polynomial[0], end);
  for (const double u : SignChanges(Derivative(polynomial), degree - 1)) {
    const double value = ValueAt(polynomial, u);
    if (!(value < low - margin) && !(value > high + margin)) continue;
    if (!std::isfinite(value)) continue;
    // A sample's own time is not between it and the next one.
    extrema.push_back({std::clamp(u * step, 0x1p-52 * step, step), value});
  }
  return extrema;
}

/// Coefficients of B-splines from the positions at the samples, without pivots
/// (de Boor & Pinkus 1977), and rates from the coefficients.
class Derivation final : public SplineDerivatives {
 public:
  Derivation(std::span<const double> time, const SampleView& positions,
             SplineMethod method)
      : degree_(Degree(method)),
        since_(SinceTheFirst(time)),
        basis_(since_, degree_),
        x_(Eigen::Map<const Table>(positions.data, positions.rows,
                                   positions.columns)) {
    // The first write to memory takes time, so the passes do it.
    band_.reserve(since_.size() * BandWidth());
    rates_.v.reserve(x_.size());
    rates_.a.reserve(x_.size());
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
  using Table =
      Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  std::size_t BandWidth() const { return 2 * degree_ + 1; }
  double& Entry(std::size_t row, std::size_t column) {
    return band_[row * BandWidth() + column + degree_ - row];
  }
  std::size_t LastOf(std::size_t row) const {
    return std::min(row + degree_, since_.size() - 1);
  }

  /// The equation of a sample, less those before it.
  void Eliminate() {
    const LocalBasis local = basis_.At(since_[row_]);
    band_.resize(band_.size() + BandWidth(), 0.0);
    for (int j = 0; j <= degree_; ++j) {
      // Zeros may stand beyond the band.
      if (local.values[j] != 0) Entry(row_, local.first + j) = local.values[j];
    }
    const std::size_t width = degree_;
    for (std::size_t k = row_ - std::min(row_, width); k < row_; ++k) {
      const double factor = Entry(row_, k) /= Entry(k, k);
      for (std::size_t j = k + 1; j <= LastOf(k); ++j) {
        Entry(row_, j) -= factor * Entry(k, j);
      }
      x_.row(row_) -= factor * x_.row(k);
    }
    finite_ = finite_ && std::abs(Entry(row_, row_)) > 1e-300;
  }

  void Substitute() {
    const std::size_t i = since_.size() - 1 - row_;
    for (std::size_t k = i + 1; k <= LastOf(i); ++k) {
      x_.row(i) -= Entry(i, k) * x_.row(k);
    }
    x_.row(i) /= Entry(i, i);
  }

  void Rates() {
    const LocalBasis local = basis_.At(since_[row_]);
    const auto add_zeros = [this](std::vector<double>& table) {
      table.resize(table.size() + x_.cols());
      return Eigen::Map<Eigen::RowVectorXd>(
          table.data() + table.size() - x_.cols(), x_.cols());
    };
    auto v = add_zeros(rates_.v), a = add_zeros(rates_.a);
    for (int j = 0; j <= degree_; ++j) {
      const auto spline = x_.row(local.first + j);
      v += local.slopes[j] * spline;
      a += local.curvatures[j] * spline;
    }
    finite_ = finite_ && v.allFinite() && a.allFinite();
  }

  /// Over all rows, one after the other.
  static constexpr void (Derivation::* kPasses[])() = {
      &Derivation::Eliminate, &Derivation::Substitute, &Derivation::Rates};

  int degree_;
  std::vector<double> since_;
  Basis basis_;
  std::vector<double> band_;  // by row: as many diagonals below as above
  Table x_;                   // positions, then coefficients
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
  return std::make_unique<Derivation>(time, positions, method);
}

ExtremaBetween FindExtremaBetween(SplineMethod method, double step,
                                  const SplineNode& begin,
                                  const SplineNode& end) {
  const int degree = Degree(method);
  Polynomial position = PieceOf(method, step, begin, end);
  const Polynomial velocity = Derivative(position);
  // Rounding of a position is that of the numbers, not of their difference.
  position[0] = begin.q;
  const double size = std::abs(begin.q) + std::abs(end.q) +
                      step * (std::abs(begin.v) + std::abs(end.v));
  ExtremaBetween extrema;
  extrema.positions = Extrema(position, degree, step, size);
  for (const SplineExtremum& turn : Extrema(velocity, degree - 1, step, size)) {
    const double value = turn.value / step;
    if (std::isfinite(value)) extrema.velocities.push_back({turn.after, value});
  }
  return extrema;
}

}  // namespace torqued
