// How rows of outputs are made of the numbers that the kernels store.
#include <algorithm>
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
  const bool is_mass = output == Output::kMassMatrix;
  const bool packed = is_mass && layout == MassMatrixLayout::kPackedLower;
  const bool in_pairs = (is_mass || output == Output::kRegressor) &&
                        layout == MassMatrixLayout::kAncestorPairs;
  bool permuted = false;
  std::vector<int> orders[3];  // canonical indices
  for (int d = 0; d < 3; ++d) {
    permuted |= !Permutation(dimensions[d]).empty();
    for (int k = 0; k < SizeOf(dimensions[d]); ++k)
      orders[d].push_back(CanonicalIndex(Permutation(dimensions[d]), k));
  }
  KernelShape made{};
  // Of n³ numbers no zeros are looked for.
  if (!in_pairs && !packed && dimensions[2] != table::kJoints) {
    auto& zeros = zero_pieces[static_cast<std::size_t>(output)];
    const int whole = rows * columns * depth / KernelShape::kPiece;
    zeros.assign(static_cast<std::size_t>(whole) + 1, 1);
    int k = 0;
    for (const int i : orders[0]) {
      for (const int j : orders[1]) {
        const int end = k + depth;
        if (IsAlwaysZero(output, i, j)) k = end;
        for (; k < end; ++k) zeros[k / KernelShape::kPiece] = 0;
      }
    }
    zeros.pop_back();
    if (std::ranges::count(zeros, 1) > 0) made.zeros = zeros.data();
  }
  if (!permuted && !in_pairs && (packed || !symmetric)) {
    made.columns = packed ? PackedSize(rows) : rows * columns * depth;
    return made;
  }
  auto& permutation = output_permutations[static_cast<std::size_t>(output)];
  const auto add = [&](int i, int j) {
    const auto [low, high] = std::minmax({i, j});
    for (int k = 0; k < depth; ++k) {
      permutation.push_back(symmetric
                                ? PackedSize(high) + low
                                : (i * columns + j) * depth + orders[2][k]);
    }
  };
  if (in_pairs) {
    for (const auto& [i, j] : ancestor_pairs) add(j, i);
  } else {
    permutation.reserve(static_cast<std::size_t>(rows * columns * depth));
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < (packed ? i + 1 : columns); ++j)
        add(orders[0][i], orders[1][j]);
  }
  made.columns = static_cast<int>(permutation.size());
  made.permutation = permutation.data();
  made.symmetric = permuted || in_pairs ? 0 : rows;
  return made;
}

}  // namespace torqued
