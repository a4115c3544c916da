#include "core/trajectory/spline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
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
struct LocalBasis {
  std::array<Row, 3> of{};
};

/// B-splines whose knots are samples: all but the (degree - 1) / 2 next to
/// either end, and the ends degree + 1 times (de Boor 2001, chapter XIII).
class Basis {
 public:
  Basis(std::span<const double> time, int degree) : degree_(degree) {
    const std::size_t left_out = static_cast<std::size_t>(degree - 1) / 2;
    const auto ends = static_cast<std::size_t>(degree) + 1;
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
      const Row& below = by_degree[static_cast<std::size_t>(d - 1)];
      Row& row = by_degree[static_cast<std::size_t>(d)];
      for (int j = 0; j <= d; ++j) {
        const int i = span - d + j;
        const auto entry = static_cast<std::size_t>(j);
        if (j > 0) row[entry] += Share(i, d, t) * below[entry - 1];
        if (j < d) row[entry] += (1 - Share(i + 1, d, t)) * below[entry];
      }
    }
    LocalBasis basis;
    const auto p = static_cast<std::size_t>(degree_);
    basis.of[0] = by_degree[p];
    basis.of[1] = Slopes(by_degree[p - 1], degree_, span);
    basis.of[2] =
        Slopes(Slopes(by_degree[p - 2], degree_ - 1, span), degree_, span);
    return basis;
  }

  int degree() const { return degree_; }

 private:
  double Knot(int k) const { return knots_[static_cast<std::size_t>(k)]; }

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
        return width > 0 ? below[static_cast<std::size_t>(entry)] / width : 0;
      };
      double slope = 0;
      if (j > 0) slope += quotient(i, j - 1);
      if (j < degree) slope -= quotient(i + 1, j);
      slopes[static_cast<std::size_t>(j)] = degree * slope;
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
  Banded(std::size_t size, int width)
      : size_(size), width_(static_cast<std::size_t>(width)) {
    entries_.reserve(size * (2 * width_ + 1));
  }

  /// The next one, of zeros.
  void AddRow() { entries_.resize(entries_.size() + 2 * width_ + 1, 0.0); }

  double& At(std::size_t row, std::size_t column) {
    return entries_[row * (2 * width_ + 1) + column + width_ - row];
  }

  /// Of the factors, by each k from 0 on. False where the pivot vanishes.
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
    x.row(static_cast<Eigen::Index>(i)) /= At(i, i);
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
    x.row(static_cast<Eigen::Index>(row)) -=
        factor * x.row(static_cast<Eigen::Index>(other));
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

class SplineDerivatives::Run {
 public:
  Run(std::span<const double> time, const SampleView& positions,
      SplineMethod method)
      : degree_(Degree(method)),
        since_(SinceTheFirst(time)),
        basis_(since_, degree_),
        collocation_(since_.size(), degree_),
        coefficients_(positions) {
    // What the passes fill takes time when it is first written.
    local_.reserve(since_.size());
    spans_.reserve(since_.size());
    rates_.v.resize(positions.rows(), positions.cols());
    rates_.a.resize(positions.rows(), positions.cols());
  }

  bool Advance(std::int64_t rows) {
    for (; rows > 0 && pass_ != Pass::kOver; --rows) {
      DoRow();
      if (++row_ < since_.size()) continue;
      row_ = 0;
      pass_ = static_cast<Pass>(static_cast<int>(pass_) + 1);
    }
    return pass_ == Pass::kOver;
  }

  std::optional<SampleRates> Finish() {
    if (!finite_) return std::nullopt;
    return std::move(rates_);
  }

 private:
  /// Over all rows, one after the other.
  enum class Pass : std::uint8_t {
    kCollocate,
    kFactor,
    kForward,
    kBackward,
    kDifferentiate,
    kOver,
  };

  void DoRow() {
    switch (pass_) {
      case Pass::kCollocate:
        return Collocate();
      case Pass::kFactor:
        finite_ = finite_ && collocation_.Eliminate(row_);
        return;
      case Pass::kForward:
        return collocation_.Forward(coefficients_, row_);
      case Pass::kBackward:
        return collocation_.Backward(coefficients_, since_.size() - 1 - row_);
      case Pass::kDifferentiate:
        return Rates();
      case Pass::kOver:
        return;
    }
  }

  void Collocate() {
    const int span = basis_.Span(since_[row_]);
    const LocalBasis local = basis_.At(since_[row_], span);
    collocation_.AddRow();
    for (int j = 0; j <= degree_; ++j) {
      const double entry = local.of[0][static_cast<std::size_t>(j)];
      // Zeros may stand beyond the band.
      if (entry == 0) continue;
      const int column = span - degree_ + j;
      collocation_.At(row_, static_cast<std::size_t>(column)) = entry;
    }
    spans_.push_back(span);
    local_.push_back(local);
  }

  void Rates() {
    auto v = rates_.v.row(static_cast<Eigen::Index>(row_));
    auto a = rates_.a.row(static_cast<Eigen::Index>(row_));
    v.setZero();
    a.setZero();
    for (int j = 0; j <= degree_; ++j) {
      const auto entry = static_cast<std::size_t>(j);
      const auto spline = coefficients_.row(spans_[row_] - degree_ + j);
      v += local_[row_].of[1][entry] * spline;
      a += local_[row_].of[2][entry] * spline;
    }
    finite_ = finite_ && v.allFinite() && a.allFinite();
  }

  int degree_;
  std::vector<double> since_;
  Basis basis_;
  std::vector<LocalBasis> local_;
  std::vector<int> spans_;
  Banded collocation_;
  SampleTable coefficients_;
  SampleRates rates_;
  bool finite_ = true;
  Pass pass_ = Pass::kCollocate;
  std::size_t row_ = 0;  // of the pass
};

SplineDerivatives::SplineDerivatives(std::span<const double> time,
                                     const SampleView& positions,
                                     SplineMethod method)
    : run_(std::make_unique<Run>(time, positions, method)) {}
SplineDerivatives::SplineDerivatives(SplineDerivatives&&) noexcept = default;
SplineDerivatives& SplineDerivatives::operator=(SplineDerivatives&&) noexcept =
    default;
SplineDerivatives::~SplineDerivatives() = default;

bool SplineDerivatives::Advance(std::int64_t rows) {
  return run_->Advance(rows);
}

std::optional<SampleRates> SplineDerivatives::Finish() {
  return run_->Finish();
}

std::optional<SampleRates> Differentiate(std::span<const double> time,
                                         const SampleView& positions,
                                         SplineMethod method) {
  if (time.size() < static_cast<std::size_t>(FewestSamples(method)) ||
      TooUneven(time, method)) {
    return std::nullopt;
  }
  SplineDerivatives derivatives(time, positions, method);
  derivatives.Advance(std::numeric_limits<std::int64_t>::max());
  return derivatives.Finish();
}

}  // namespace torqued
