// Messages that clients do not take.
#pragma once

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace torqued::server {

/// Ends calls whose message has waited too long for its client: until then it
/// takes memory and counts among the work under way. Thread-safe.
class WriteWatch {
 public:
  /// A message of a call at a time. Begin and End are not to be called under a
  /// lock that a reaction of the call takes.
  class Write {
   public:
    /// `method` must live for ever, the call as long as this.
    Write(WriteWatch& watch, grpc::CallbackServerContext* call,
          std::string_view method)
        : watch_(watch), call_(call), method_(method) {}
    ~Write() { End(); }
    Write(const Write&) = delete;
    Write& operator=(const Write&) = delete;

    void Begin();
    void End();

   private:
    friend class WriteWatch;

    WriteWatch& watch_;
    grpc::CallbackServerContext* const call_;
    const std::string_view method_;
    // Guarded by the watch.
    std::chrono::steady_clock::time_point begun_;
    bool watched_ = false;
    Write* before_ = nullptr;
    Write* behind_ = nullptr;
  };

  /// 0: no message waits too long.
  explicit WriteWatch(std::chrono::milliseconds deadline);
  ~WriteWatch();
  WriteWatch(const WriteWatch&) = delete;
  WriteWatch& operator=(const WriteWatch&) = delete;

 private:
  /// For a log line.
  struct Ended {
    std::string_view method;
    std::string peer;
  };

  void Watch();
  /// Ends the call of the first write where that has waited too long. Under the
  /// lock: who ends the write waits, and the call is there.
  std::optional<Ended> EndFirst();
  void LogEnd(const Ended& ended) const;
  void Forget(Write& write);

  const std::chrono::milliseconds deadline_;
  /// A cancelled call may end, and forget its write, on the cancelling thread.
  std::recursive_mutex mutex_;
  std::condition_variable_any stop_;
  bool stopping_ = false;
  // In the order in which they began.
  Write* first_ = nullptr;
  Write* last_ = nullptr;
  std::thread thread_;
};

}  // namespace torqued::server
