#include "core/batch/input_traits.h"

namespace torqued {

std::string_view ToString(Input input) { return TraitsOf(input).name; }

const InputArray& EvaluationInputs::operator[](Input input) const {
  return TableOf(*this, input);
}

InputArray& EvaluationInputs::operator[](Input input) {
  return this->*TraitsOf(input).array;
}

}  // namespace torqued
