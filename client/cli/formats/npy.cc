#include "client/cli/formats/npy.h"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "client/cli/errors.h"
#include "client/cli/formats/zip_archive.h"
#include "client/cli/terminal/plain_text.h"
#include "core/base/text.h"

namespace torqued::cli {
namespace {

static_assert(std::endian::native == std::endian::little,
              "numbers are copied as they stand in the file");

constexpr std::string_view kMagic = "\x93NUMPY";
// NumPy writes a few hundred bytes at most.
constexpr std::uint32_t kMaxHeader = 64 * 1024;
constexpr std::string_view kEnding = ".npy";

/// An array as its file describes it, and its bytes.
struct Array {
  std::string descr;  // "<f8"
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;  // of one or two dimensions
  std::string_view data;

  std::uint64_t rows() const { return shape.size() == 1 ? 1 : shape[0]; }
  std::uint64_t columns() const { return shape.back(); }
};

/// Reads the literal of Python that all programs write as NumPy does:
///   {'descr': '<f8', 'fortran_order': False, 'shape': (10, 7), }
bool ParseHeader(std::string_view rest, Array* array) {
  const auto take = [&rest](std::string_view token) {
    rest.remove_prefix(std::min(rest.find_first_not_of(" \n"), rest.size()));
    const bool found = rest.starts_with(token);
    if (found) rest.remove_prefix(token.size());
    return found;
  };
  if (!take("{") || !take("'descr'") || !take(":") || !take("'")) return false;
  const std::size_t quote = rest.find('\'');
  array->descr = rest.substr(0, quote);
  rest.remove_prefix(std::min(quote, rest.size()));
  if (!take("'") || !take(",") || !take("'fortran_order'") || !take(":")) {
    return false;
  }
  array->fortran_order = take("True");
  if (!array->fortran_order && !take("False")) return false;
  if (!take(",") || !take("'shape'") || !take(":") || !take("(")) return false;
  while (!take(")")) {
    std::uint64_t& size = array->shape.emplace_back();
    const char* const begin = rest.data();
    const auto [stop, error] =
        std::from_chars(begin, begin + rest.size(), size);
    if (error != std::errc()) return false;
    rest.remove_prefix(static_cast<std::size_t>(stop - begin));
    if (!take(",") && !rest.starts_with(")")) return false;
  }
  take(",");
  return take("}") && (take(""), rest.empty());
}

Array ParseArray(std::string_view bytes, const std::string& name) {
  const auto require = [&name](bool holds, const std::string& problem) {
    if (!holds) throw DataError(name, problem);
  };
  require(LooksLikeNpy(bytes) && bytes.size() > kMagic.size() + 2,
          "not an .npy file");
  const int version = static_cast<unsigned char>(bytes[kMagic.size()]);
  require(version >= 1 && version <= 3, "version " + std::to_string(version) +
                                            " of .npy is not read, but 1 to 3");
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  bytes.remove_prefix(kMagic.size() + 2);
  require(bytes.size() >= length_bytes, "the header is cut off");
  std::uint32_t size = 0;
  std::memcpy(&size, bytes.data(), length_bytes);
  bytes.remove_prefix(length_bytes);
  require(size <= kMaxHeader && size <= bytes.size(),
          "the header cannot have " + std::to_string(size) + " bytes");
  Array array;
  require(ParseHeader(bytes.substr(0, size), &array),
          "the header is not understood");
  require(array.shape.size() == 1 || array.shape.size() == 2,
          "the array has " + std::to_string(array.shape.size()) +
              " dimensions, not 1 or 2");
  array.data = bytes.substr(size);
  return array;
}

/// Refuses data that are not exactly rows x columns items of so many bytes.
void CheckSize(const Array& array, std::uint64_t item, const char* items,
               const std::string& name) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  const std::uint64_t rows = array.rows(), columns = array.columns();
  const std::uint64_t size = array.data.size();
  if (rows <= kMax && columns <= kMax &&
      (columns == 0 ? size == 0
                    : item > 0 && rows <= kMax / columns / item &&
                          rows * columns * item == size)) {
    return;
  }
  throw DataError(name, "has " + std::to_string(size) +
                            " bytes of data, which is not " +
                            std::to_string(rows) + " x " +
                            std::to_string(columns) + " " + items);
}

/// The bytes of an item in the order of this machine, as a whole number.
std::uint64_t Bits(std::string_view item, bool big_endian) {
  std::array<char, 8> bytes{};
  std::copy(item.begin(), item.end(), bytes.begin());
  if (big_endian) std::reverse(bytes.data(), bytes.data() + item.size());
  return std::bit_cast<std::uint64_t>(bytes);
}

/// A number of a kind ('f', 'i' or 'u') and of so many bytes.
double Number(std::uint64_t bits, char kind, std::size_t size) {
  if (kind == 'u') return static_cast<double>(bits);
  if (kind == 'i') {
    const std::size_t unused = 64 - 8 * size;
    return static_cast<double>(static_cast<std::int64_t>(bits << unused) >>
                               unused);
  }
  if (size == 8) return std::bit_cast<double>(bits);
  if (size == 4) {
    return static_cast<double>(
        std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }
  return static_cast<double>(
      std::bit_cast<Eigen::half>(static_cast<std::uint16_t>(bits)));
}

void AppendUtf8(std::uint64_t code, std::string* text) {
  if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) code = 0xFFFD;
  const int following = code < 0x80      ? 0
                        : code < 0x800   ? 1
                        : code < 0x10000 ? 2
                                         : 3;
  constexpr std::array<std::uint64_t, 4> kLead = {0, 0xC0, 0xE0, 0xF0};
  for (int k = following; k >= 0; --k) {
    const std::uint64_t part = code >> 6 * k;
    *text += static_cast<char>(k == following
                                   ? kLead[static_cast<std::size_t>(k)] | part
                                   : 0x80 | (part & 0x3F));
  }
}

/// Version 1.0, C order.
std::string Header(const std::string& descr, const std::string& shape) {
  std::string bytes("\x93NUMPY\x01\x00\x00\x00", 10);
  bytes += "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" +
           shape + "), }";
  // The data begins on a multiple of 64 bytes; the header ends in a newline.
  bytes.append(63 - bytes.size() % 64, ' ');
  bytes += '\n';
  const std::size_t header_size = bytes.size() - 10;
  bytes[8] = static_cast<char>(header_size & 0xFF);
  bytes[9] = static_cast<char>(header_size >> 8);
  return bytes;
}

/// As np.array(["a", "b"]) is: '<U...'.
std::string NamesBytes(const std::vector<std::string>& names) {
  std::vector<std::u32string> texts;
  std::size_t longest = 1;
  for (const std::string& name : names) {
    std::u32string& text = texts.emplace_back();
    for (std::string_view rest = name; !rest.empty();) {
      const Character first = FirstCharacter(rest);
      text += first.length == 0 ? U'\uFFFD' : first.code_point;
      rest.remove_prefix(std::max<std::size_t>(first.length, 1));
    }
    longest = std::max(longest, text.size());
  }
  std::string bytes = Header("<U" + std::to_string(longest),
                             std::to_string(names.size()) + ",");
  for (std::u32string& text : texts) {
    text.resize(longest);
    bytes.append(reinterpret_cast<const char*>(text.data()), 4 * longest);
  }
  return bytes;
}

}  // namespace

bool LooksLikeNpy(std::string_view bytes) { return bytes.starts_with(kMagic); }

client::Batch ParseNpy(std::string_view bytes, const std::string& name) {
  const Array array = ParseArray(bytes, name);
  const std::string_view descr = array.descr;
  constexpr std::array<std::string_view, 11> kTypes = {
      "f8", "f4", "f2", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1"};
  constexpr std::string_view kOrders = "<>|";
  if (descr.size() != 3 || kOrders.find(descr[0]) == std::string_view::npos ||
      std::find(kTypes.begin(), kTypes.end(), descr.substr(1)) ==
          kTypes.end()) {
    throw DataError(name, "numbers of type '" + PlainText(descr, 40) +
                              "' are not read; give float64 ('<f8')");
  }
  const auto size = static_cast<std::size_t>(descr[2] - '0');
  CheckSize(array, size, "numbers", name);
  client::Batch numbers(static_cast<Eigen::Index>(array.rows()),
                        static_cast<Eigen::Index>(array.columns()));
  std::string_view rest = array.data;
  const auto read = [&](auto&& places) {
    for (double& number : places) {
      number =
          Number(Bits(rest.substr(0, size), descr[0] == '>'), descr[1], size);
      rest.remove_prefix(size);
    }
  };
  if (array.fortran_order) {
    for (auto column : numbers.colwise()) read(column);
  } else {
    read(std::span(numbers.data(), static_cast<std::size_t>(numbers.size())));
  }
  return numbers;
}

std::vector<std::string> ParseNpyNames(std::string_view bytes,
                                       const std::string& name) {
  const Array array = ParseArray(bytes, name);
  const std::string& descr = array.descr;
  const char* const end = descr.data() + descr.size();
  const char kind = descr.size() > 2 ? descr[1] : '\0';
  std::uint32_t length = 0;
  if ((kind != 'U' && kind != 'S') || array.shape.size() != 1 ||
      std::from_chars(descr.data() + 2, end, length).ptr != end) {
    throw DataError(name, "type '" + PlainText(descr, 40) +
                              "' is not a list of names; save it as "
                              "np.array(names, dtype=str)");
  }
  const std::size_t size = kind == 'U' ? std::size_t{4} * length : length;
  CheckSize(array, size, "names", name);
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < array.data.size(); begin += size) {
    const std::string_view item = array.data.substr(begin, size);
    std::string& text = names.emplace_back();
    // What is shorter is filled up with zeros.
    if (kind == 'S') text = item.substr(0, item.find_last_not_of('\0') + 1);
    for (std::size_t k = 0; kind == 'U' && k < size; k += 4) {
      const std::uint64_t code = Bits(item.substr(k, 4), descr[0] == '>');
      if (code == 0) break;
      AppendUtf8(code, &text);
    }
    if (FindInvalidUtf8(text) != std::string::npos) {
      throw DataError(name, "names are not UTF-8");
    }
  }
  return names;
}

std::string NpyBytes(const client::Batch& numbers) {
  std::string bytes = Header("<f8", std::to_string(numbers.rows()) + ", " +
                                        std::to_string(numbers.cols()));
  bytes.append(reinterpret_cast<const char*>(numbers.data()),
               static_cast<std::size_t>(numbers.size()) * sizeof(double));
  return bytes;
}

StateBlocks ParseNpz(std::string_view bytes, const Suffixes& tables,
                     const std::string& name) {
  Suffixes wanted = {"time", "joint_names", "tip_wrench"};
  wanted.insert(wanted.end(), tables.begin(), tables.end());
  StateBlocks blocks;
  const auto is_wanted = [&](std::string_view array) {
    if (array.ends_with(kEnding)) {
      array.remove_suffix(kEnding.size());
      if (std::find(wanted.begin(), wanted.end(), array) != wanted.end()) {
        return true;
      }
    }
    blocks.unused.emplace_back(array);
    return false;
  };
  for (const auto& [entry, content] : ReadZip(bytes, is_wanted, name)) {
    const std::string place = name + ", " + PlainText(entry, 20);
    const std::string array = entry.substr(0, entry.size() - kEnding.size());
    if (array == "joint_names") {
      blocks.joints = ParseNpyNames(content, place);
      continue;
    }
    client::Batch table = ParseNpy(content, place);
    if (array == "time") {
      // One dimension, or one column.
      if (table.rows() != 1 && table.cols() != 1) {
        throw DataError(name, "time has several columns");
      }
      blocks.time.assign(table.data(), table.data() + table.size());
    } else if (array == "tip_wrench") {
      if (table.cols() != 6) {
        throw DataError(name, "tip_wrench has " + std::to_string(table.cols()) +
                                  " columns, not 6");
      }
      blocks.tip_wrench = std::move(table);
    } else {
      blocks.tables.emplace(array, std::move(table));
    }
  }
  return blocks;
}

std::string NpzBytes(const StateBlocks& blocks) {
  ZipEntries entries;
  const auto add = [&](const std::string& array, std::string bytes) {
    entries.emplace(array + std::string(kEnding), std::move(bytes));
  };
  add("time", NpyBytes(Eigen::Map<const client::Batch>(
                  blocks.time.data(),
                  static_cast<Eigen::Index>(blocks.time.size()), 1)));
  for (const auto& [name, table] : blocks.tables) add(name, NpyBytes(table));
  if (blocks.tip_wrench) add("tip_wrench", NpyBytes(*blocks.tip_wrench));
  if (blocks.joints) add("joint_names", NamesBytes(*blocks.joints));
  return ZipBytes(entries);
}

}  // namespace torqued::cli
