// A descriptor that is closed when it goes.
#pragma once

#include <unistd.h>

#include <utility>

namespace torqued::server {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(Descriptor&& other) noexcept : number_(other.Release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  /// Negative where there is none.
  int number() const { return number_; }
  /// Somebody else closes it.
  int Release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

}  // namespace torqued::server
