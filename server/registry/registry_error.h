// Thrown inside of this folder; Registry returns RegistryError.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/model/lint.h"

namespace torqued::server {

struct StoreError {
  enum class Code : std::uint8_t {
    kUnavailable,  // may pass: locked, disk full
    kDamaged,      // will not: what is stored cannot be read
  };
  Code code = Code::kUnavailable;
  std::string message;
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
  std::string field = {};
  std::vector<std::string> candidates = {};
  LintReport report = {};
  std::int64_t limit = 0;
  std::string_view setting = {};
};

template <class T>
using OrRegistryError = std::variant<T, RegistryError>;

/// What `run` returns or throws.
template <class Run>
auto Answer(const Run& run) -> OrRegistryError<decltype(run())> {
  try {
    return run();
  } catch (RegistryError& error) {
    return std::move(error);
  } catch (const StoreError& error) {
    return RegistryError{.code = RegistryError::Code::kStoreUnavailable,
                         .message = "the model store failed: " + error.message};
  }
}

}  // namespace torqued::server
