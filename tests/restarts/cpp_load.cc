// The C++ client under restarts: cpp_load ADDRESS
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>
#include <utility>

#include "client/cpp/client.h"
#include "tests/restarts/load.h"

namespace torqued::restarts {
namespace {

namespace tq = torqued::client;

constexpr Eigen::Index kJoints = 7;
constexpr std::chrono::seconds kDeadline{30};

tq::Batch Angles(Eigen::Index rows, double phase) {
  tq::Batch batch(rows, kJoints);
  for (Eigen::Index row = 0; row < rows; ++row) {
    for (Eigen::Index j = 0; j < kJoints; ++j) {
      batch(row, j) = std::sin(phase + 0.01 * static_cast<double>(row) +
                               static_cast<double>(j));
    }
  }
  return batch;
}

tq::States StatesOf(Eigen::Index rows) {
  return {.q = Angles(rows, 0), .v = Angles(rows, 1), .a = Angles(rows, 2)};
}

std::string BytesOf(const tq::Batch& batch) {
  return {reinterpret_cast<const char*>(batch.data()),
          static_cast<std::size_t>(batch.size()) * sizeof(double)};
}

// Error, with its code.
template <class Function>
Ask Coded(Function function) {
  return [function = std::move(function)] {
    try {
      return function();
    } catch (const tq::Error& error) {
      throw std::runtime_error(tq::ToString(error.code()) + ": " +
                               error.what());
    }
  };
}

std::string Unary(const tq::Client& client, const tq::States& states) {
  const tq::Evaluation answer = client.Compute(
      "panda", {v1::QUANTITY_INVERSE_DYNAMICS, v1::QUANTITY_MASS_MATRIX},
      states);
  return BytesOf(answer.tau) + BytesOf(answer.mass_matrix);
}

std::string Torques(const tq::Client& client, const tq::States& states) {
  return BytesOf(client.InverseDynamics("panda", states).tau);
}

std::string TorquesWithoutWaiting(const tq::Client& client,
                                  const tq::States& states) {
  return BytesOf(
      client.ComputeAsync("panda", {v1::QUANTITY_INVERSE_DYNAMICS}, states)
          .Get()
          .tau);
}

std::string Check(const tq::Client& client) {
  constexpr int kSamples = 2001;
  v1::CheckTrajectoryStart start;
  start.set_model("panda");
  start.set_derive(v1::DIFFERENTIATION_CUBIC_SPLINE);
  start.add_tables(v1::TRAJECTORY_TABLE_TAU);
  tq::TrajectorySamples samples;
  samples.q = 0.3 * Angles(kSamples, 0);
  for (int k = 0; k < kSamples; ++k) samples.time.push_back(0.01 * k);
  tq::TrajectoryCheck check = client.CheckTrajectory(start, samples);
  // The time that it took.
  check.verdict.mutable_echo()->clear_timing();
  return check.verdict.SerializeAsString() + BytesOf(check.tau);
}

int Main(const std::string& address) {
  tq::ConnectOptions options;
  options.deadline = kDeadline;
  const tq::Client client = tq::Client::Connect(address, options);
  const tq::States few = StatesOf(10), many = StatesOf(50'000);
  Load load;
  load.Add("unary", Coded([&] { return Unary(client, few); }));
  load.Add("batch", Coded([&] { return Torques(client, many); }));
  load.Add("async", Coded([&] { return TorquesWithoutWaiting(client, many); }));
  load.Add("check", Coded([&] { return Check(client); }));
  return load.Run() ? 0 : 1;
}

}  // namespace
}  // namespace torqued::restarts

int main(int argc, char** argv) {
  return torqued::restarts::RunAgainst(argc, argv, &torqued::restarts::Main);
}
