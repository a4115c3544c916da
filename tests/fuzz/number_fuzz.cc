// Any bytes as numbers: of a URDF attribute, of a CSV cell, of a flag.
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "client/cli/errors.h"
#include "client/cli/formats/text.h"
#include "core/base/text.h"
#include "tests/fuzz/require.h"

namespace {

using namespace torqued;  // NOLINT(google-build-using-namespace)

bool SameBits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

void CheckUrdf(std::string_view text) {
  for (const std::size_t count : {1u, 3u, 6u}) {
    std::array<double, 6> values{};
    const std::string problem =
        torqued::ParseNumbers(text, std::span(values).first(count));
    if (!problem.empty()) {
      FUZZ_REQUIRE(problem.size() < 300, problem);
      FUZZ_REQUIRE(FindInvalidUtf8(problem) == std::string_view::npos, problem);
      continue;
    }
    // What was read is finite, and reads back from its shortest text.
    std::string again;
    for (std::size_t k = 0; k < count; ++k) {
      FUZZ_REQUIRE(std::isfinite(values[k]), text);
      again += NumberText(values[k]) + "\n";
    }
    std::array<double, 6> back{};
    FUZZ_REQUIRE(
        torqued::ParseNumbers(again, std::span(back).first(count)).empty(),
        again);
    for (std::size_t k = 0; k < count; ++k) {
      FUZZ_REQUIRE(SameBits(values[k], back[k]), again);
    }
  }
}

void CheckCell(std::string_view text) {
  const auto number = cli::ParseNumber(text);
  if (!number || std::isnan(*number)) return;
  const auto back = cli::ParseNumber(NumberText(*number));
  FUZZ_REQUIRE(back && SameBits(*number, *back), text);
  // Where the loader reads a number, so does the command line, and alike.
  double value = 0;
  if (torqued::ParseNumbers(text, {&value, 1}).empty()) {
    FUZZ_REQUIRE(SameBits(value, *number), text);
  }
}

void CheckList(const std::string& text) {
  if (text.starts_with('@')) return;  // a file
  try {
    const client::Batch batch = cli::ParseBatch("--q", {text});
    const client::Batch twice = cli::ParseBatch("--q", {text, text});
    FUZZ_REQUIRE(twice.rows() == 2 * batch.rows(), text);
    FUZZ_REQUIRE(batch.rows() == 0 || batch.cols() > 0, text);
  } catch (const cli::UsageError& error) {
    FUZZ_REQUIRE(std::string_view(error.what()).starts_with("--q: "), text);
    FUZZ_REQUIRE(std::strlen(error.what()) < 200, error.what());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view text = fuzz::Text(data, size);
  CheckUrdf(text);
  CheckCell(text);
  CheckList(std::string(text));
  return 0;
}
