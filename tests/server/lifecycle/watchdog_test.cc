#include "server/lifecycle/supervision.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "tests/support/await.h"

namespace torqued::server {
namespace {

constexpr std::chrono::milliseconds kInterval{5};

TEST(Watchdog, TellsOfTheFirstFailureAndOfTheRecovery) {
  // Twice as many failures as may follow each other.
  const std::vector<bool> answers{true,  false, false, true,  false,
                                  false, true,  false, false, true};
  std::atomic<std::size_t> checks{0};
  std::vector<bool> told;
  {
    const std::jthread watchdog = Watch(
        [&] {
          const std::size_t check = checks++;
          const bool good = check >= answers.size() || answers[check];
          return good ? "" : throw std::runtime_error("silent");
        },
        [&](bool answer) { told.push_back(answer); }, kInterval);
    Await([&] { return checks > answers.size(); });
  }
  EXPECT_EQ(told, std::vector<bool>({false, true, false, true, false, true}));
}

}  // namespace
}  // namespace torqued::server
