#include "core/dynamics/rank_decision.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace torqued {
namespace {

constexpr int kMax = kMaxTaskAxes;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

bool IsLinear(const TaskOptions& options, int k) {
  return options.axes[static_cast<std::size_t>(k)] >= 3;
}

bool Slides(const Tree& tree, int column) {
  return tree.bodies[column].motion == JointMotion::kPrismatic;
}

/// Factor of an entry in the frame's scaling. What it leaves out is zero:
/// a prismatic joint has no angular entries.
double FrameFactor(const TaskOptions& options, const Tree& tree,
                   const FrameScale& frame, int row, int column) {
  return IsLinear(options, row) && !Slides(tree, column) ? 1 / frame.reach : 1;
}

int CountAbove(const TaskSpectrum& spectrum, int count, double bound) {
  return static_cast<int>(
      std::count_if(spectrum.sigma, spectrum.sigma + count,
                    [bound](double sigma) { return sigma > bound; }));
}

/// The task Jacobian in the frame's scaling.
void ScaleLikeFrame(const TaskOptions& options, const Tree& tree,
                    const FrameScale& frame, const double* J, double* scaled) {
  const int n = tree.n;
  for (int i = 0; i < options.axis_count; ++i) {
    for (int j = 0; j < n; ++j) {
      scaled[i * n + j] =
          J[i * n + j] * FrameFactor(options, tree, frame, i, j);
    }
  }
}

/// From the frame's scaling to the task's own, with nothing left outside the
/// first `rank` columns of U.
void KeepDirections(const TaskOptions& options, const Tree& tree,
                    const FrameScale& frame, const TaskSpectrum& spectrum,
                    int rank, double* rows) {
  const int m = options.axis_count, n = tree.n;
  for (int j = 0; j < n; ++j) {
    double kept[kMax] = {};
    for (int k = 0; k < rank; ++k) {
      double part = 0;
      for (int i = 0; i < m; ++i) {
        part += spectrum.U[i * kMax + k] * rows[i * n + j];
      }
      for (int i = 0; i < m; ++i) kept[i] += spectrum.U[i * kMax + k] * part;
    }
    for (int i = 0; i < m; ++i) {
      const double row = IsLinear(options, i) ? frame.reach : 1;
      const double column = Slides(tree, j) ? frame.reach : 1;
      rows[i * n + j] = kept[i] * (row / column) * RowScale(options, i);
    }
  }
}

}  // namespace

double RowScale(const TaskOptions& options, int k) {
  return IsLinear(options, k) ? 1 / options.characteristic_length : 1.0;
}

void ScaleTaskRows(const TaskOptions& options, int n, const double* J,
                   double* scaled) {
  for (int i = 0; i < options.axis_count; ++i) {
    const double scale = RowScale(options, i);
    for (int j = 0; j < n; ++j) scaled[i * n + j] = J[i * n + j] * scale;
  }
}

double LeastOfFrameScaling(const TaskOptions& options, bool slides,
                           double reach) {
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < options.axis_count; ++k) {
    least = std::min(least, IsLinear(options, k)
                                ? options.characteristic_length / reach
                                : 1.0);
  }
  return slides ? least * std::min(1.0, reach) : least;
}

RankDecision DecideRank(const TaskOptions& options, const Tree& tree,
                        const FrameScale& frame, const double* J,
                        double* work) {
  const int m = options.axis_count, n = tree.n, count = std::min(m, n);
  bool slides = false;
  for (int j = 0; j < n; ++j) slides = slides || Slides(tree, j);

  RankDecision decision;
  ScaleTaskRows(options, n, J, work);
  decision.spectrum = DecomposeRows(m, n, work);
  decision.sigma_min = n < m ? 0 : decision.spectrum.sigma[m - 1];
  // Round-off limits what can be told apart.
  const double tolerance =
      std::max(options.rank_tolerance, std::max(m, n) * kEpsilon);
  const auto rank_by_tolerance = [&] {
    const TaskSpectrum& spectrum = decision.spectrum;
    return CountAbove(spectrum, count, tolerance * spectrum.sigma[0]);
  };
  decision.rank = rank_by_tolerance();

  // Far enough above both bounds there is nothing more to find out.
  const double least = LeastOfFrameScaling(options, slides, frame.reach);
  const double floor = frame.round_off * frame.norm;
  const double weakness = options.rank_tolerance * frame.norm;
  const bool all_real =
      tolerance * decision.spectrum.sigma[0] * least >= 2 * floor;
  const bool strong = decision.sigma_min * least > weakness;
  if (all_real && (strong || decision.rank < m)) return decision;

  ScaleLikeFrame(options, tree, frame, J, work);
  const TaskSpectrum beside_frame = DecomposeRows(m, n, work);
  const int real = CountAbove(beside_frame, count, floor);
  if (real == 0) {
    decision.rank = 0;
  } else if (real < m) {
    ScaleLikeFrame(options, tree, frame, J, work);
    KeepDirections(options, tree, frame, beside_frame, real, work);
    decision.spectrum = DecomposeRows(m, n, work);
    decision.rank = std::min(real, rank_by_tolerance());
  }
  if (decision.rank == m && beside_frame.sigma[m - 1] <= weakness) {
    decision.weak = true;
    decision.share = beside_frame.sigma[m - 1] / frame.norm;
  }
  return decision;
}

}  // namespace torqued
