// Thrown inside of this folder; Registry returns RegistryError.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/text.h"
#include "core/model/lint.h"

namespace torqued::server {

struct StoreError : std::runtime_error {
  explicit StoreError(const std::string& message, bool is_damaged = false)
      : std::runtime_error(message), damaged(is_damaged) {}
  bool damaged;  // what is stored cannot be read; else it may pass
};

struct RegistryError {
  enum class Code : std::uint8_t {
    kNotFound,
    kInvalidReference,  // field: "model" or "page_token"
    kAmbiguous,         // candidates
    kInvalidModel,      // report
    kInvalidName,       // field: "name" or "label"
    kConflict,          // candidates = {current revision}, or empty: no name
    kTooLarge,
    kQuota,  // limit, and setting unless it is fixed
    kNotAdmitted,
    kStoreUnavailable,
  };
  Code code = Code::kNotFound;
  std::string message = {};
  std::string hint = {};  // continues it with other names
  std::string field = {};
  std::vector<std::string> candidates = {};
  LintReport report = {};
  std::int64_t limit = 0;
  std::string_view setting = {};
};

inline void Require(bool good, RegistryError::Code code, std::string message,
                    std::string field = {}) {
  if (good) return;
  throw RegistryError{
      .code = code, .message = std::move(message), .field = std::move(field)};
}

template <class T>
using OrRegistryError = std::variant<T, RegistryError>;

/// The result of `run`, or the error that it throws.
template <class Run>
auto Answer(const Run& run) -> OrRegistryError<decltype(run())> {
  try {
    return run();
  } catch (RegistryError& error) {
    return std::move(error);
  } catch (const StoreError& error) {
    return RegistryError{
        .code = RegistryError::Code::kStoreUnavailable,
        .message = Cat("the model store failed: ", error.what())};
  }
}

}  // namespace torqued::server
