#include "client/cli/formats/npy_reader.h"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>

#include "client/cli/errors.h"
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
void TurnBytes(std::vector<Scalar>* numbers) {
  for (Scalar& number : *numbers) {
    std::array<char, sizeof(Scalar)> bytes;
    std::memcpy(bytes.data(), &number, sizeof(Scalar));
    std::reverse(bytes.begin(), bytes.end());
    std::memcpy(&number, bytes.data(), sizeof(Scalar));
  }
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
  if (array.descr.starts_with('>')) TurnBytes(&numbers);
  if (array.fortran_order) {
    return Eigen::Map<const Matrix>(numbers.data(), rows, columns)
        .template cast<double>();
  }
  return Eigen::Map<const Matrix>(numbers.data(), columns, rows)
      .transpose()
      .template cast<double>();
}

struct NumberType {
  std::string_view name;  // without the order of its bytes
  client::Batch (*read)(const NpyArray& array, const std::string& name);
};

/// Real numbers of at most 64 bits.
constexpr std::array<NumberType, 11> kTypes = {{{"f8", Numbers<double>},
                                                {"f4", Numbers<float>},
                                                {"f2", Numbers<Eigen::half>},
                                                {"i8", Numbers<std::int64_t>},
                                                {"i4", Numbers<std::int32_t>},
                                                {"i2", Numbers<std::int16_t>},
                                                {"i1", Numbers<std::int8_t>},
                                                {"u8", Numbers<std::uint64_t>},
                                                {"u4", Numbers<std::uint32_t>},
                                                {"u2", Numbers<std::uint16_t>},
                                                {"u1", Numbers<std::uint8_t>}}};

/// An item of a list, as NumPy fills it up: with zeros. kind: 'U': code
/// points of 4 bytes; 'S': bytes.
std::string NameOf(std::string_view item, char kind, bool big_endian) {
  if (kind == 'S') {
    return std::string(item.substr(0, item.find_last_not_of('\0') + 1));
  }
  std::string name;
  for (std::size_t i = 0; i < item.size(); i += 4) {
    std::array<char, 4> bytes;
    std::memcpy(bytes.data(), item.data() + i, 4);
    if (big_endian) std::reverse(bytes.begin(), bytes.end());
    const auto code = std::bit_cast<std::uint32_t>(bytes);
    if (code == 0) break;  // what is shorter is filled up
    AppendUtf8(code, &name);
  }
  return name;
}

}  // namespace

client::Batch ParseNpyBlock(std::string_view bytes, const std::string& name) {
  const NpyArray array = ParseNpyArray(bytes, name);
  const std::string_view descr = array.descr;
  constexpr std::string_view kOrders = "<>|";
  if (!descr.empty() && kOrders.find(descr[0]) != std::string_view::npos) {
    for (const NumberType& type : kTypes) {
      if (descr.substr(1) == type.name) return type.read(array, name);
    }
  }
  throw DataError(name, "holds numbers of type " + Shown(array.descr) +
                            ", which are not read; give float64 ('<f8')");
}

client::Batch ParseNpy(std::string_view bytes, const std::string& name) {
  client::Batch numbers = ParseNpyBlock(bytes, name);
  if (numbers.cols() == 0) throw DataError(name, "has no columns");
  return numbers;
}

std::vector<std::string> ParseNpyNames(std::string_view bytes,
                                       const std::string& name) {
  const NpyArray array = ParseNpyArray(bytes, name);
  std::uint64_t length = 0;
  const std::string& descr = array.descr;
  const char* const end = descr.data() + descr.size();
  const char kind = descr.size() > 2 ? descr[1] : '\0';
  if ((kind != 'U' && kind != 'S') ||
      std::from_chars(descr.data() + 2, end, length).ptr != end ||
      array.shape.size() != 1) {
    throw DataError(name, "is of type " + Shown(descr) +
                              ", not a list of names; save it as "
                              "np.array(names, dtype=str)");
  }
  // Before it is multiplied.
  const bool fits = length <= array.data.size() || array.columns() == 0;
  if (kind == 'U') length *= 4;
  if (!fits || !HoldsItems(array, length)) {
    FailSize(array, "names", name);
  }
  std::vector<std::string> names;
  for (std::size_t k = 0; k < array.columns(); ++k) {
    names.push_back(NameOf(array.data.substr(k * length, length), kind,
                           descr.starts_with('>')));
    if (!IsUtf8(names.back())) {
      throw DataError(name, "has names that are no UTF-8");
    }
  }
  return names;
}

}  // namespace torqued::cli
