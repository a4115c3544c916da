#include "core/model/validation.h"

namespace torqued {

std::string_view ToString(Validation validation) {
  switch (validation) {
    case Validation::kDefault:
      return "default";
    case Validation::kStrict:
      return "strict";
    case Validation::kLenient:
      return "lenient";
  }
  return "unknown";
}

std::optional<Validation> FindValidation(std::string_view name) {
  for (const Validation validation :
       {Validation::kDefault, Validation::kStrict, Validation::kLenient}) {
    if (name == ToString(validation)) return validation;
  }
  return std::nullopt;
}

}  // namespace torqued
