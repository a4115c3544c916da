// Any bytes as the files of `trajectory check` beside the trajectory: limits,
// results, summaries. The first byte chooses which.
#include <sstream>
#include <string>
#include <string_view>

#include "client/cli/check/runs.h"
#include "tests/fuzz/data_error.h"
#include "tests/fuzz/require.h"

namespace {

using namespace torqued::cli;  // NOLINT(google-build-using-namespace)
namespace fuzz = torqued::fuzz;

void ReadJournal(std::string_view text) {
  const JournalContent content = ParseJournal(text, "results");
  for (const auto& [file, result] : content.results) {
    FUZZ_REQUIRE(result["file"].get<std::string>() == file,
                 "a result of another file");
  }
}

void Compare(std::string_view text) {
  const std::size_t half = text.find('\0');
  if (half == std::string_view::npos) return;
  const Json report = CompareRuns("runs", text.substr(0, half), "runs",
                                  text.substr(half + 1), 0.01);
  FUZZ_REQUIRE(!CsvOf(kComparedColumns, report["numbers"]).empty(), "no table");
  std::ostringstream out;
  PrintComparison(report, out);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text = fuzz::Text(data + 1, size - 1);
  const char* const names[] = {"limits", "results", "runs"};
  const int which = data[0] % 3;
  try {
    if (which == 0) {
      torqued::v1::CheckTrajectoryStart start;
      ParseLimits(text, "limits", &start);
    } else if (which == 1) {
      ReadJournal(text);
    } else {
      Compare(text);
    }
  } catch (const DataError& error) {
    fuzz::CheckDataError(error, names[which]);
  }
  return 0;
}
