#include "bench/robots.h"

#include <numbers>
#include <random>
#include <set>
#include <stdexcept>

namespace torqued::bench {
namespace {

class Uniform {
 public:
  /// The same with every standard library.
  double Between(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }

 private:
  // NOLINTNEXTLINE(bugprone-random-generator-seed): repeatable on purpose
  std::mt19937_64 engine_{20240607};
};

std::vector<double> Columns(const std::vector<double>& table, int columns,
                            const std::vector<int>& order, std::int64_t rows) {
  std::vector<double> result;
  result.reserve(static_cast<std::size_t>(rows * columns));
  for (std::int64_t row = 0; row < rows; ++row) {
    for (const int column : order) {
      result.push_back(table[static_cast<std::size_t>(row * columns + column)]);
    }
  }
  return result;
}

}  // namespace

States RandomStates(const Model& model, std::int64_t rows) {
  Uniform random;
  States states;
  states.rows = rows;
  states.columns = model.nv();
  const auto size = static_cast<std::size_t>(rows * states.columns);
  for (auto* table : {&states.q, &states.v, &states.a, &states.tau}) {
    table->reserve(size);
  }
  for (std::int64_t row = 0; row < rows; ++row) {
    for (const Joint& joint : model.joints()) {
      states.q.push_back(
          random.Between(joint.limits.lower.value_or(-std::numbers::pi),
                         joint.limits.upper.value_or(std::numbers::pi)));
      states.v.push_back(random.Between(-2, 2));
      states.a.push_back(random.Between(-5, 5));
      states.tau.push_back(random.Between(-20, 20));
    }
  }
  return states;
}

std::vector<int> JointIndices(const Model& model,
                              const std::vector<std::string>& names) {
  std::vector<int> indices;
  for (const std::string& name : names) {
    const std::optional<int> index = model.FindJoint(name);
    if (!index) throw std::runtime_error("no joint " + name);
    indices.push_back(*index);
  }
  const std::set<int> distinct(indices.begin(), indices.end());
  if (indices.size() != model.joints().size() ||
      distinct.size() != indices.size()) {
    throw std::runtime_error("a joint is missing or named twice");
  }
  return indices;
}

States WithColumns(const States& states, const std::vector<int>& joints,
                   std::int64_t rows) {
  const int n = states.columns;
  return {rows,
          n,
          Columns(states.q, n, joints, rows),
          Columns(states.v, n, joints, rows),
          Columns(states.a, n, joints, rows),
          Columns(states.tau, n, joints, rows)};
}

}  // namespace torqued::bench
