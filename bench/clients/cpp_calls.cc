// Round trips of one state of a seven-axis arm with the C++ client: calls that
// wait, calls in flight, and a stream that stays open.
//
// Usage: cpp_calls ADDRESS MODEL   of a server that knows the model
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <vector>

#include "client/cpp/client.h"

namespace torqued::client {
namespace {

using Steady = std::chrono::steady_clock;

constexpr int kRounds = 9;
constexpr int kCalls = 4000;
constexpr v1::Quantity kQuantity[] = {v1::QUANTITY_INVERSE_DYNAMICS};

const States kState{.q = Batch::Constant(1, 7, 0.3),
                    .v = Batch::Constant(1, 7, 0.2),
                    .a = Batch::Constant(1, 7, 0.1)};

/// Microseconds per call of the whole, and of its calls the middle and the 99th
/// of a hundred.
struct Times {
  double mean = 0, median = 0, p99 = 0;
};

template <class Call>
Times OneAfterTheOther(const Call& call) {
  std::vector<double> times;
  times.reserve(kCalls);
  const auto begin = Steady::now();
  for (int k = 0; k < kCalls; ++k) {
    const auto before = Steady::now();
    call();
    times.push_back(
        std::chrono::duration<double, std::micro>(Steady::now() - before)
            .count());
  }
  const double all =
      std::chrono::duration<double, std::micro>(Steady::now() - begin).count();
  std::sort(times.begin(), times.end());
  return {all / kCalls, times[kCalls / 2], times[kCalls * 99 / 100]};
}

/// Microseconds per call with so many of them under way.
double InFlight(const Client& client, const char* model, std::size_t count) {
  std::vector<PendingEvaluation> pending(count);
  const auto begin = Steady::now();
  for (std::size_t k = 0; k < kCalls; ++k) {
    PendingEvaluation& next = pending[k % count];
    if (next.valid()) next.Get();
    next = client.ComputeAsync(model, kQuantity, kState);
  }
  for (PendingEvaluation& last : pending) {
    if (last.valid()) last.Get();
  }
  return std::chrono::duration<double, std::micro>(Steady::now() - begin)
             .count() /
         kCalls;
}

/// Microseconds per chunk with so many of them under way.
double Windowed(EvaluationStream& stream, int count) {
  const auto begin = Steady::now();
  for (int k = 0; k < kCalls; ++k) {
    if (stream.unread() == count) stream.Read();
    stream.Write(kState);
  }
  while (stream.unread() > 0) stream.Read();
  return std::chrono::duration<double, std::micro>(Steady::now() - begin)
             .count() /
         kCalls;
}

template <class T, class Field>
double Median(std::vector<T>& rounds, const Field& field) {
  std::sort(rounds.begin(), rounds.end(),
            [&](const T& a, const T& b) { return field(a) < field(b); });
  return field(rounds[rounds.size() / 2]);
}

void Print(const char* what, std::vector<Times> rounds) {
  const double mean = Median(rounds, [](const Times& t) { return t.mean; });
  const double median = Median(rounds, [](const Times& t) { return t.median; });
  const double p99 = Median(rounds, [](const Times& t) { return t.p99; });
  std::printf("%-28s %8.1f us  median %6.1f  p99 %6.1f  %8.0f /s\n", what, mean,
              median, p99, 1e6 / mean);
}

void Print(const char* what, std::vector<double> rounds) {
  const double mean = Median(rounds, [](double time) { return time; });
  std::printf("%-28s %8.1f us %33.0f /s\n", what, mean, 1e6 / mean);
}

void Measure(const char* address, const char* model) {
  const Client client = Client::Connect(address);
  std::vector<Times> waiting, stream_each;
  constexpr std::size_t kInFlight[] = {1, 8, 64, 512};
  std::vector<std::vector<double>> in_flight(std::size(kInFlight));
  std::vector<double> windowed;
  for (int round = 0; round < kRounds; ++round) {
    waiting.push_back(
        OneAfterTheOther([&] { client.Compute(model, kQuantity, kState); }));
    EvaluationStream stream = client.OpenStream(model, kQuantity);
    stream_each.push_back(OneAfterTheOther([&] { stream.Exchange(kState); }));
    windowed.push_back(Windowed(stream, EvaluationStream::kWindow));
    for (std::size_t k = 0; k < std::size(kInFlight); ++k) {
      in_flight[k].push_back(InFlight(client, model, kInFlight[k]));
    }
  }
  Print("Compute", waiting);
  Print("stream, Exchange", stream_each);
  Print("stream, 16 under way", windowed);
  for (std::size_t k = 0; k < std::size(kInFlight); ++k) {
    const std::string what =
        "ComputeAsync, " + std::to_string(kInFlight[k]) + " in flight";
    Print(what.c_str(), in_flight[k]);
  }
}

}  // namespace
}  // namespace torqued::client

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::fprintf(stderr, "usage: cpp_calls ADDRESS MODEL\n");
    return 2;
  }
  torqued::client::Measure(argv[1], argv[2]);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
