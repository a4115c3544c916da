#include "client/cli/formats/npy_reader.h"

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>

#include "client/cli/errors.h"
#include "client/cli/formats/file_text.h"
#include "client/cli/formats/npy_header.h"
#include "client/cli/formats/utf8.h"
#include "client/cli/terminal/plain_text.h"

namespace torqued::cli {
namespace {

static_assert(std::endian::native == std::endian::little,
              "numbers are copied as they stand in the file");

std::string Shown(const std::string& descr) {
  return "'" + PlainText(descr, 40) + "'";
}

[[noreturn]] void FailSize(const NpyArray& array, const std::string& items,
                           const std::string& name) {
  throw DataError(name, "has " + std::to_string(array.data.size()) +
                            " bytes of data, which is not " +
                            std::to_string(array.rows()) + " x " +
                            std::to_string(array.columns()) + " " + items);
}

template <class Scalar>
client::Batch Numbers(const NpyArray& array, const std::string& name) {
  using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  if (!HoldsItems(array, sizeof(Scalar))) FailSize(array, "numbers", name);
  const auto rows = static_cast<Eigen::Index>(array.rows());
  const auto columns = static_cast<Eigen::Index>(array.columns());
  // The data need not be aligned within the file.
  std::vector<Scalar> numbers(array.data.size() / sizeof(Scalar));
  if (!array.data.empty()) {
    std::memcpy(numbers.data(), array.data.data(), array.data.size());
  }
  if (array.fortran_order) {
    return Eigen::Map<const Matrix>(numbers.data(), rows, columns)
        .template cast<double>();
  }
  return Eigen::Map<const Matrix>(numbers.data(), columns, rows)
      .transpose()
      .template cast<double>();
}

}  // namespace

client::Batch ParseNpy(std::string_view bytes, const std::string& name) {
  const NpyArray array = ParseNpyArray(bytes, name);
  if (array.descr == "<f8") return Numbers<double>(array, name);
  if (array.descr == "<f4") return Numbers<float>(array, name);
  if (array.descr == "<i8") return Numbers<std::int64_t>(array, name);
  if (array.descr == "<i4") return Numbers<std::int32_t>(array, name);
  throw DataError(name, "holds numbers of type " + Shown(array.descr) +
                            "; only '<f8', '<f4', '<i8' and '<i4' are read");
}

std::vector<std::string> ParseNpyNames(std::string_view bytes,
                                       const std::string& name) {
  const NpyArray array = ParseNpyArray(bytes, name);
  std::uint64_t length = 0;
  const std::string& descr = array.descr;
  const char* const end = descr.data() + descr.size();
  if (!descr.starts_with("<U") ||
      std::from_chars(descr.data() + 2, end, length).ptr != end ||
      array.rows() != 1) {
    throw DataError(
        name, "is of type " + Shown(descr) + ", not a list of names ('<U...')");
  }
  if (length > array.data.size() || !HoldsItems(array, 4 * length)) {
    FailSize(array, "names", name);
  }
  std::vector<std::string> names(array.columns());
  for (std::size_t k = 0; k < names.size(); ++k) {
    for (std::size_t i = 0; i < length; ++i) {
      std::uint32_t code = 0;
      std::memcpy(&code, array.data.data() + 4 * (k * length + i), 4);
      if (code == 0) break;  // what is shorter is filled up
      AppendUtf8(code, &names[k]);
    }
  }
  return names;
}

client::Batch ReadNpy(const std::filesystem::path& path) {
  return ParseNpy(ReadFile(path), path.string());
}

}  // namespace torqued::cli
