// Any bytes as an NPY file. An input that does not begin like one is a header,
// a NUL byte and the data: it gets the prelude that fits, so that changes of
// the header's length do not end at the first check.
#include <string>
#include <string_view>

#include "client/cli/formats/container.h"
#include "tests/fuzz/data_error.h"
#include "tests/fuzz/require.h"

namespace {

using namespace torqued::cli;  // NOLINT(google-build-using-namespace)
namespace fuzz = torqued::fuzz;

const std::string kName = "states.npy";

std::string WithPrelude(std::string_view input) {
  using std::string_literals::operator""s;
  const std::string_view header = input.substr(0, input.find('\0'));
  const std::string_view data =
      header.size() < input.size() ? input.substr(header.size() + 1) : "";
  std::string file = "\x93NUMPY\x02\0"s;
  for (int k = 0; k < 4; ++k) {
    file += static_cast<char>(header.size() >> (8 * k) & 0xFF);
  }
  return file.append(header).append(data);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  std::string bytes(fuzz::Text(data, size));
  if (!LooksLikeNpy(bytes)) bytes = WithPrelude(bytes);
  try {
    const torqued::client::Batch batch = ParseNpy(bytes, kName);
    FUZZ_REQUIRE(static_cast<std::size_t>(batch.size()) < bytes.size(),
                 "more numbers than the file has");
    const torqued::client::Batch again = ParseNpy(NpyBytes(batch), kName);
    FUZZ_REQUIRE(again.rows() == batch.rows() && again.cols() == batch.cols(),
                 bytes);
    FUZZ_REQUIRE(
        batch.cwiseEqual(again).count() + batch.cwiseNotEqual(batch).count() ==
            batch.size(),
        "numbers change on the way");
  } catch (const DataError& error) {
    fuzz::CheckDataError(error, kName);
  }
  return 0;
}
