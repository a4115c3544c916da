// Calls of several kinds at once, repeated until told to stop, each held
// against the answer that it had before.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace torqued::restarts {

/// The bytes of one answer.
using Ask = std::function<std::string()>;

/// A line on stdout for each call that fails or answers otherwise.
class Load {
 public:
  /// Asks once, for the answer to compare with.
  void Add(const std::string& kind, Ask ask);
  /// Repeats all of them, each on a thread of its own, and answers lines on
  /// stdin with the number of calls that were answered, by kind, until stdin
  /// ends. Then prints a summary. True: no failure and no other answer.
  bool Run();

 private:
  struct Kind {
    std::string name;
    Ask ask;
    std::string expected;
    std::int64_t answered = 0;  // guarded by mutex_
  };

  void Repeat(Kind& kind);
  void Tell(const std::string& line);
  std::string Counts() const;

  std::vector<Kind> kinds_;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  std::int64_t failed_ = 0;
  std::int64_t wrong_ = 0;
};

/// Tells of something that the run is to have met.
void Saw(const std::string& what);

/// What main does with the arguments of a load, the address of a server.
int RunAgainst(int argc, char** argv, int (*load)(const std::string& address));

}  // namespace torqued::restarts
