// How much work may be under way at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "server/errors/error.h"

namespace torqued::server {

/// Counts rows and bytes of the calls in flight, and streams. What does not fit
/// is refused at once: a queue would only make everybody late. Thread-safe.
class Admission {
 public:
  struct Load {
    std::int64_t rows = 0;
    std::int64_t bytes = 0;
    std::int64_t streams = 0;
  };

  /// Gives its load back when it goes. Must not outlive the Admission.
  class Ticket {
   public:
    Ticket() = default;
    Ticket(Ticket&& other) noexcept
        : owner_(std::exchange(other.owner_, nullptr)), load_(other.load_) {}
    Ticket& operator=(Ticket&& other) noexcept {
      std::swap(owner_, other.owner_);
      std::swap(load_, other.load_);
      return *this;
    }
    ~Ticket();

   private:
    friend class Admission;
    Ticket(Admission* owner, Load load) : owner_(owner), load_(load) {}

    Admission* owner_ = nullptr;
    Load load_;
  };

  /// How much may be under way, of all calls together, once a load is admitted.
  enum class Reach : std::uint8_t {
    kLimit,
    /// Half of the rows and of the bytes. For what can wait as well: others
    /// always find some room.
    kHalfTheLimit,
  };

  explicit Admission(Load limit) : limit_(limit) {}

  /// REQUEST_TOO_LARGE for what never fits, OVERLOADED for what does not now.
  OrError<Ticket> Admit(Load load, Reach reach = Reach::kLimit);

  /// Of all calls together.
  const Load& limit() const { return limit_; }

 private:
  Load limit_;
  std::atomic<std::int64_t> rows_{0};
  std::atomic<std::int64_t> bytes_{0};
  std::atomic<std::int64_t> streams_{0};
};

}  // namespace torqued::server
