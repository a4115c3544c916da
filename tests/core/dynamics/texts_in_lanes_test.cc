// The algorithm texts in lanes of every target, against the same in double
// precision, one state at a time.
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "core/lanes/targets.h"
#include "tests/core/dynamics/all_texts-inl.h"
#include "tests/core/dynamics/random_cases.h"

namespace torqued {

#define TORQUED_DECLARE(target)                                          \
  namespace target {                                                     \
  long EvaluateTexts(const Tree& tree, const BodyFrame& tip,             \
                     const double* rows, void* memory, double* results); \
  long EvaluateTexts(const Tree& tree, const BodyFrame& tip,             \
                     const float* rows, void* memory, float* results);   \
  }
TORQUED_DECLARE(baseline)
#ifdef TORQUED_X86_TARGETS
TORQUED_DECLARE(avx2)
TORQUED_DECLARE(avx512)
#endif
#undef TORQUED_DECLARE

namespace {

using Eigen::VectorXd;
using testing_support::MakeRandomCases;
using testing_support::Random;
using testing_support::RandomCase;

constexpr int kMostLanes = 16;

template <class N>
using Function = long (*)(const Tree&, const BodyFrame&, const N*, void*, N*);

template <class N>
Function<N> FunctionOf(const std::string& target) {
#ifdef TORQUED_X86_TARGETS
  if (target == "avx2") return avx2::EvaluateTexts;
  if (target == "avx512") return avx512::EvaluateTexts;
#endif
  EXPECT_EQ(target, "baseline");
  return baseline::EvaluateTexts;
}

constexpr std::align_val_t kAlignment{64};

struct Free {
  void operator()(void* p) const { ::operator delete(p, kAlignment); }
};
using Memory = std::unique_ptr<void, Free>;

Memory Allocate(unsigned long bytes) {
  return Memory(::operator new(bytes, kAlignment));
}

VectorXd OneByOne(const RandomCase& c, const VectorXd& inputs) {
  const unsigned long bytes =
      AllTexts<double>(c.tree(), c.tip, nullptr).bytes();
  const Memory memory = Allocate(bytes);
  AllTexts<double> texts(c.tree(), c.tip, memory.get());
  for (int k = 0; k < inputs.size(); ++k) texts.inputs[k] = inputs[k];
  texts.Run();
  EXPECT_EQ(texts.written(), TextOutputs(c.n()));
  return Eigen::Map<const VectorXd>(texts.outputs, TextOutputs(c.n()));
}

/// Largest error over the lanes, relative to the largest result.
template <class N>
double Error(const std::string& target, const RandomCase& c, Random& random) {
  const int n = c.n(), inputs = TextInputs(n), outputs = TextOutputs(n);
  std::vector<N> rows;
  std::vector<VectorXd> expected;
  for (int l = 0; l < kMostLanes; ++l) {
    VectorXd row(inputs);
    row << c.state.q + random.Vector(n, -0.1, 0.1), random.Vector(n, -2, 2),
        random.Vector(n, -2, 2), random.Vector(18, -2, 2);
    for (const double x : row) rows.push_back(static_cast<N>(x));
    expected.push_back(OneByOne(c, row));
  }
  std::vector<N> results(static_cast<std::size_t>(kMostLanes * outputs));
  const Function<N> evaluate = FunctionOf<N>(target);
  const N* const none = nullptr;
  const long bytes = evaluate(c.tree(), c.tip, none, nullptr, results.data());
  const Memory memory = Allocate(static_cast<unsigned long>(bytes));
  const long lanes =
      evaluate(c.tree(), c.tip, rows.data(), memory.get(), results.data());
  EXPECT_GE(lanes, 2);
  double error = 0;
  for (long l = 0; l < lanes; ++l) {
    const double scale = expected[l].cwiseAbs().maxCoeff();
    for (int k = 0; k < outputs; ++k) {
      const double difference =
          std::abs(double(results[l * outputs + k]) - expected[l][k]);
      EXPECT_TRUE(difference < 1e3 * scale) << "lane " << l << ", " << k;
      error = std::max(error, difference / scale);
    }
  }
  return error;
}

TEST(TextsInLanes, AgreeWithOneStateAtATime) {
  Random random(23);
  for (const LaneKernels* kernels : Targets()) {
    const std::string target = kernels->target;
    SCOPED_TRACE(target);
    double f64 = 0, f32 = 0;
    for (const RandomCase& c :
         MakeRandomCases({.count = 9, .friction = true, .armature = true})) {
      f64 = std::max(f64, Error<double>(target, c, random));
      f32 = std::max(f32, Error<float>(target, c, random));
    }
    EXPECT_LT(f64, 1e-13);
    EXPECT_LT(f32, 1e-4);
    // Twin: precision is that of the numbers.
    EXPECT_GT(f32, 1e-8);
  }
}

}  // namespace
}  // namespace torqued
