// Counting instructions by executing them one at a time.
#pragma once

#include <cstdint>
#include <functional>

namespace torqued::bench {

/// Instructions that `call` takes in a process of its own, a copy of this one
/// with the calling thread alone: for what valgrind cannot execute, on machines
/// whose counters cannot be read. Some 300 000 a second. Throws
/// std::runtime_error where the system does not let a process trace another.
std::int64_t CountBySteps(const std::function<void()>& call);

}  // namespace torqued::bench
