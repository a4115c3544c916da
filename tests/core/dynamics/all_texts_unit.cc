// Compiled for every target: all algorithm texts in lanes.
#include "core/lanes/sin_cos.h"
#include "tests/core/dynamics/all_texts-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {
namespace {

template <class N>
long Evaluate(const Tree& tree, const BodyFrame& tip, const N* rows,
              void* memory, N* results) {
  constexpr int kLanes = Pack<N>::kLanes;
  AllTexts<Pack<N>> texts(tree, tip, memory);
  if (memory == nullptr) return static_cast<long>(texts.bytes());
  const int inputs = TextInputs(tree.n), outputs = TextOutputs(tree.n);
  for (int l = 0; l < kLanes; ++l) {
    for (int k = 0; k < inputs; ++k) {
      texts.inputs[k].v[l] = rows[l * inputs + k];
    }
  }
  texts.Run();
  for (int l = 0; l < kLanes; ++l) {
    for (int k = 0; k < outputs; ++k) {
      results[l * outputs + k] = texts.outputs[k].v[l];
    }
  }
  return kLanes;
}

}  // namespace

/// A block of states, one in each lane; returns how many that are. With null
/// memory: the bytes that it takes.
long EvaluateTexts(const Tree& tree, const BodyFrame& tip, const double* rows,
                   void* memory, double* results) {
  return Evaluate(tree, tip, rows, memory, results);
}
long EvaluateTexts(const Tree& tree, const BodyFrame& tip, const float* rows,
                   void* memory, float* results) {
  return Evaluate(tree, tip, rows, memory, results);
}

}  // namespace TORQUED_TARGET
}  // namespace torqued
