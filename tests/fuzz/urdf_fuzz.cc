// Any bytes as a URDF file: a model that can be evaluated, or findings.
#include <string_view>

#include "core/formats/urdf.h"
#include "tests/fuzz/loaded_model.h"
#include "tests/fuzz/require.h"

namespace {

using namespace torqued;  // NOLINT(google-build-using-namespace)

// Small, so that their refusals are met too and an evaluation stays quick.
constexpr int kMaxDof = 12;
constexpr UrdfLimits kLimits{.source_bytes = 1u << 16,
                             .links = 30,
                             .joints = 30,
                             .nodes = 300,
                             .attributes = 10};

LoadResult Load(std::string_view source, Validation validation) {
  return LoadUrdf(source, {.validation = validation, .max_dof = kMaxDof},
                  kLimits);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view source = fuzz::Text(data, size);
  const LoadResult result = Load(source, Validation::kDefault);
  fuzz::CheckLoadResult(source, result);
  fuzz::CheckSame(result, Load(source, Validation::kDefault));
  const LoadResult strict = Load(source, Validation::kStrict);
  fuzz::CheckLoadResult(source, strict);
  FUZZ_REQUIRE(strict.model == nullptr || result.model != nullptr,
               "strict accepts more");
  const LoadResult lenient = Load(source, Validation::kLenient);
  fuzz::CheckLoadResult(source, lenient);
  fuzz::CheckSame(lenient, Load(source, Validation::kLenient));
  FUZZ_REQUIRE(result.model == nullptr || lenient.model != nullptr,
               "lenient accepts less");
  if (result.model != nullptr) {
    fuzz::CheckEvaluation(result.model, fuzz::Bodies::kPossible);
  } else if (lenient.model != nullptr) {
    fuzz::CheckEvaluation(lenient.model, fuzz::Bodies::kAny);
  }
  return 0;
}
