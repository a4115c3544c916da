#include "server/registry/store_watch.h"

#include <new>
#include <utility>

namespace torqued::server {

StoreWatch::StoreWatch(OpenFiles files, Times times,
                       std::function<void(const std::string&)> tell)
    : files_(std::move(files)), times_(times), tell_(std::move(tell)) {
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

std::string StoreWatch::Problem() {
  for (;;) {
    const auto problem = files_.KnownProblem();
    if (problem && problem->empty()) return {};
    std::unique_lock lock(mutex_);
    look_ = true;
    wake_.notify_one();
    if (problem) {
      return *problem +
             "; nothing is stored until it is back or the server is started "
             "again";
    }
    if (!behind_since_) behind_since_ = Clock::now();
    const auto end = *behind_since_ + times_.patience;
    if (Clock::now() >= end) {
      return files_.path() +
             " looks changed and is looked through; until that is done, "
             "nothing "
             "more is stored, and what was asked for may have been";
    }
    looked_.wait_until(lock, end,
                       [this, looks = looks_] { return looks_ != looks; });
  }
}

void StoreWatch::Run(const std::stop_token& stop) {
  std::string told;
  for (bool last = false;;) {
    bool behind = false;
    try {
      LookAndTell(told);
      behind = !files_.KnownProblem();
    } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch)
      // The next look tells.
    }
    if (last) return;
    std::unique_lock lock(mutex_);
    ++looks_;
    if (!behind) behind_since_.reset();
    looked_.notify_all();
    wake_.wait_for(lock, stop, times_.between_looks, [this] { return look_; });
    look_ = false;
    last = stop.stop_requested();
  }
}

void StoreWatch::LookAndTell(std::string& told) {
  std::string problem = files_.Problem();
  if (problem == told) return;
  if (tell_) tell_(problem);
  told = std::move(problem);
}

}  // namespace torqued::server
