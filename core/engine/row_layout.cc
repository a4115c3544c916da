// How rows of outputs are made of the numbers that the kernels store.
#include <algorithm>
#include <utility>
#include <vector>

#include "core/engine/evaluation_plan.h"
#include "core/math/packed.h"

namespace torqued {

bool EvaluationPlan::Checked::IsAlwaysZero(Output output, int i, int j) const {
  const auto carries = [this](int joint, int body) {
    return joint <= body && body < setup.compiled_f64.bodies[joint].subtree_end;
  };
  switch (output) {
    case Output::kJacobian:
    case Output::kJacobianRate: {
      const int body = model->frames()[*tip_frame].body;
      return body == kBase || !carries(j, body);
    }
    case Output::kMassMatrix:
    case Output::kMassMatrixRate:
    case Output::kCoriolisMatrix:
    case Output::kTauByQ:
    case Output::kTauByV:
      return !carries(i, j) && !carries(j, i);
    case Output::kRegressor:
      return !carries(i, j);
    case Output::kMassMatrixInverse:
    case Output::kAccelerationByQ:
    case Output::kAccelerationByV:
    case Output::kAccelerationByTau:
      return roots[i] != roots[j];
    default:
      return false;
  }
}

/// How rows of an output are made of the numbers that the algorithms store.
KernelShape EvaluationPlan::Checked::LayOut(Output output) {
  const Shape& shape = RowOf(output).shape;
  const bool symmetric = shape.sizes[1] == table::kSymmetric;
  const int dimensions[] = {shape.sizes[0], shape.sizes[symmetric ? 0 : 1],
                            shape.sizes[2]};
  const int rows = SizeOf(dimensions[0]), columns = SizeOf(dimensions[1]),
            depth = SizeOf(dimensions[2]);
  const MassMatrixLayout layout = options.mass_matrix_layout;
  const bool packed =
      output == Output::kMassMatrix && layout == MassMatrixLayout::kPackedLower;
  const bool in_pairs =
      (output == Output::kMassMatrix || output == Output::kRegressor) &&
      layout == MassMatrixLayout::kAncestorPairs;
  const auto is_permuted = [&](int d) { return !Permutation(d).empty(); };
  const bool permuted = std::ranges::any_of(dimensions, is_permuted);
  const auto place = [&](int dimension, int index) {
    return CanonicalIndex(Permutation(dimensions[dimension]), index);
  };
  KernelShape made{};
  if (!in_pairs && !packed) {
    auto& zeros = zero_pieces[static_cast<std::size_t>(output)];
    const int pieces = rows * columns * depth / KernelShape::kPiece;
    zeros.assign(static_cast<std::size_t>(pieces), 1);
    for (int k = 0; k < pieces * KernelShape::kPiece; ++k) {
      const int i = k / depth / columns, j = k / depth % columns;
      zeros[k / KernelShape::kPiece] &=
          IsAlwaysZero(output, place(0, i), place(1, j)) ? 1 : 0;
    }
    if (std::ranges::count(zeros, 1) > 0) made.zeros = zeros.data();
  }
  if (!permuted && !in_pairs && (packed || !symmetric)) {
    made.columns = packed ? PackedSize(rows) : rows * columns * depth;
    return made;
  }
  std::vector<std::pair<int, int>> entries;
  if (in_pairs) {
    for (const auto& [i, j] : ancestor_pairs) entries.emplace_back(j, i);
  } else {
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < (packed ? i + 1 : columns); ++j) {
        entries.emplace_back(place(0, i), place(1, j));
      }
    }
  }
  auto& permutation = output_permutations[static_cast<std::size_t>(output)];
  for (const auto& [i, j] : entries) {
    const auto [low, high] = std::minmax(i, j);
    for (int k = 0; k < depth; ++k) {
      permutation.push_back(symmetric
                                ? PackedSize(high) + low
                                : (i * columns + j) * depth + place(2, k));
    }
  }
  made.columns = static_cast<int>(permutation.size());
  made.permutation = permutation.data();
  made.symmetric = permuted || in_pairs ? 0 : rows;
  return made;
}

}  // namespace torqued
