// Who loads a revision while others want it, too.
#pragma once

#include <condition_variable>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace torqued::server {

/// One at a time loads a revision; the others wait, and find it loaded.
class LoadingTurns {
 public:
  /// From when nobody else has one for the revision until it goes.
  class Turn {
   public:
    Turn(LoadingTurns& turns, std::string_view revision);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    LoadingTurns& turns_;
    std::set<std::string>::iterator place_;
  };

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  std::set<std::string> taken_;
};

}  // namespace torqued::server
