#include <zip.h>

#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <regex>
#include <span>
#include <utility>

#include "client/cli/formats/container.h"

namespace torqued::cli {
namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little,
              "numbers are copied as they are in the file");

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxUnpacked = std::size_t{2} << 30;

struct Array {
  bool big_endian = false;
  std::string type;      // "f8"
  std::size_t item = 0;  // bytes
  bool fortran_order = false;
  Eigen::Index rows = 1;
  Eigen::Index columns = 0;
  bool is_list = false;  // one dimension
  std::string_view data;
};

Array ParseArray(std::string_view bytes, const std::string& name) {
  const auto require = [&name](bool holds, const char* problem) {
    RequireData(holds, name, problem);
  };
  require(LooksLikeNpy(bytes) && bytes.size() > kMagic.size() + 6,
          "this is no .npy file");
  const char version = bytes[kMagic.size()];
  require(version >= 1 && version <= 3, "the version of .npy is not 1, 2 or 3");
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  bytes.remove_prefix(kMagic.size() + 2);
  std::uint32_t size = 0;
  std::memcpy(&size, bytes.data(), length_bytes);
  bytes.remove_prefix(length_bytes);
  // NumPy writes a few hundred bytes at most; the search takes stack for each.
  require(size <= 1024 && size <= bytes.size(), "the header is too long");

  static const std::regex kHeader(
      R"(\{\s*'descr':\s*'([<>|])((\w)(\d{0,10}))',\s*'fortran_order':\s*(True|False),\s*)"
      R"('shape':\s*\((\d{1,15}),\s*(\d{0,15}),?\),?\s*\}\s*)");
  std::cmatch parts;
  require(
      std::regex_match(bytes.begin(), bytes.begin() + size, parts, kHeader),
      "the header is not that of an array of numbers or names with one or two "
      "dimensions");
  const auto number = [&parts](std::size_t k) {
    Eigen::Index value = 0;
    std::from_chars(parts[k].first, parts[k].second, value);
    return value;
  };
  Array array = {
      .big_endian = parts[1] == ">",
      .type = parts[2],
      .item = static_cast<std::size_t>(number(4)) * (parts[3] == "U" ? 4 : 1),
      .fortran_order = parts[5] == "True",
      .rows = number(6),
      .columns = number(7),
      .is_list = parts[7].length() == 0,
      .data = bytes.substr(size)};
  if (array.is_list) array.columns = std::exchange(array.rows, 1);
  return array;
}

/// Refuses data that are not exactly rows x columns items.
void CheckSize(const Array& array, const std::string& name) {
  // The product is exact up to the largest size that a file may have.
  const double expected = static_cast<double>(array.rows) *
                          static_cast<double>(array.columns) *
                          static_cast<double>(array.item);
  RequireData(expected == static_cast<double>(array.data.size()), name, "has ",
              array.data.size(), " bytes of data, which is not ", array.rows,
              " x ", array.columns, " of ", array.item);
}

/// The bytes of an item in the order of this machine, as a whole number.
std::uint64_t Bits(std::string_view item, bool big_endian) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, item.data(), item.size());
  return big_endian ? __builtin_bswap64(bits) >> (64 - 8 * item.size()) : bits;
}

template <class T>
double As(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return static_cast<double>(value);
}

std::string Header(const std::string& type, const std::string& shape) {
  std::string bytes("\x93NUMPY\x01\x00\x00\x00", 10);
  bytes += Cat("{'descr': '", type, "', 'fortran_order': False, 'shape': (",
               shape, "), }");
  // The data begins on a multiple of 64 bytes; the header ends in a newline.
  bytes.append(63 - bytes.size() % 64, ' ');
  bytes += '\n';
  bytes[8] = static_cast<char>((bytes.size() - 10) & 0xFF);
  bytes[9] = static_cast<char>((bytes.size() - 10) >> 8);
  return bytes;
}

/// As np.array(["a", "b"]) is: '<U...'.
std::string NamesBytes(const std::vector<std::string>& names) {
  std::vector<std::u32string> texts;
  std::size_t longest = 1;
  for (const std::string& name : names) {
    // A path reads UTF-8 and UTF-32.
    texts.push_back(fs::path(name).u32string());
    longest = std::max(longest, texts.back().size());
  }
  std::string bytes =
      Header(Cat("<U", longest), std::to_string(names.size()) + ",");
  for (std::u32string& text : texts) {
    text.resize(longest);
    bytes.append(reinterpret_cast<const char*>(text.data()), 4 * longest);
  }
  return bytes;
}

struct Closing {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_source_t* source) const { zip_source_free(source); }
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
template <class T>
using Owned = std::unique_ptr<T, Closing>;

/// A source of bytes, which must outlive it.
Owned<zip_source_t> SourceOf(std::string_view bytes) {
  Owned<zip_source_t> source(
      zip_source_buffer_create(bytes.data(), bytes.size(), 0, nullptr));
  if (!source) throw std::bad_alloc();
  return source;
}

/// Absent if the source is not an archive.
Owned<zip_t> Open(zip_source_t* source, int flags) {
  // The archive gives up what it holds when it is closed.
  zip_source_keep(source);
  Owned<zip_t> archive(zip_open_from_source(source, flags, nullptr));
  if (!archive) zip_source_free(source);
  return archive;
}

/// Grows with what is there, not with what is said to be.
std::string ReadEntry(zip_t* archive, zip_uint64_t index, std::size_t max_size,
                      const std::string& place) {
  const Owned<zip_file_t> file(zip_fopen_index(archive, index, 0));
  std::string content, piece(1 << 16, '\0');
  zip_int64_t got = -1;
  while (file && (got = zip_fread(file.get(), piece.data(), 1 << 16)) > 0) {
    content.append(piece, 0, static_cast<std::size_t>(got));
    RequireData(content.size() <= max_size, place,
                "the array makes the file larger than 2 GiB");
  }
  // At the end the sum is checked.
  RequireData(got == 0, place, "the array cannot be unpacked: it is damaged");
  return content;
}

}  // namespace

bool LooksLikeNpy(std::string_view bytes) { return bytes.starts_with(kMagic); }

client::Batch ParseNpy(std::string_view bytes, const std::string& name) {
  static const std::map<std::string_view, double (*)(std::uint64_t)> kTypes = {
      {"f8", As<double>},        {"f4", As<float>},
      {"f2", As<Eigen::half>},   {"i8", As<std::int64_t>},
      {"i4", As<std::int32_t>},  {"i2", As<std::int16_t>},
      {"i1", As<std::int8_t>},   {"u8", As<std::uint64_t>},
      {"u4", As<std::uint32_t>}, {"u2", As<std::uint16_t>},
      {"u1", As<std::uint8_t>}};
  const Array array = ParseArray(bytes, name);
  const auto type = kTypes.find(array.type);
  RequireData(type != kTypes.end(), name, "numbers of type '", array.type,
              "' are not read; give float64 ('<f8')");
  CheckSize(array, name);
  client::Batch numbers(array.rows, array.columns);
  std::string_view rest = array.data;
  const auto read = [&](auto&& places) {
    for (double& number : places) {
      number = type->second(Bits(rest.substr(0, array.item), array.big_endian));
      rest.remove_prefix(array.item);
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
  const bool is_wide = array.type.front() == 'U';
  RequireData(
      (is_wide || array.type.front() == 'S') && array.is_list, name, "type '",
      array.type,
      "' is not a list of names; save it as np.array(names, dtype=str)");
  CheckSize(array, name);
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < array.data.size(); begin += array.item) {
    const std::string_view item = array.data.substr(begin, array.item);
    bool is_text = true;
    std::u32string characters;
    for (std::size_t k = 0; is_wide && k < array.item; k += 4) {
      const std::uint64_t code = Bits(item.substr(k, 4), array.big_endian);
      is_text &= code < 0xD800 || (code > 0xDFFF && code <= 0x10FFFF);
      characters += static_cast<char32_t>(code);
    }
    std::string text(item);
    if (is_wide && is_text) text = fs::path(characters).string();
    // A shorter array is filled up with zeros.
    text.erase(text.find_last_not_of('\0') + 1);
    RequireData(is_text && FindInvalidUtf8(text) == std::string::npos, name,
                "names are not UTF-8");
    names.push_back(std::move(text));
  }
  return names;
}

std::string NpyBytes(const client::Batch& numbers) {
  std::string bytes = Header("<f8", Cat(numbers.rows(), ", ", numbers.cols()));
  bytes.append(reinterpret_cast<const char*>(numbers.data()),
               static_cast<std::size_t>(numbers.size()) * sizeof(double));
  return bytes;
}

StateTable ParseNpz(std::string_view bytes, const Suffixes& tables,
                    const std::string& name) {
  Suffixes wanted = {"time", "joint_names", "tip_wrench"};
  wanted.insert(wanted.end(), tables.begin(), tables.end());
  const Owned<zip_source_t> source = SourceOf(bytes);
  const Owned<zip_t> archive = Open(source.get(), ZIP_RDONLY | ZIP_CHECKCONS);
  RequireData(archive != nullptr, name,
              "the file is not a ZIP archive, or is cut off");
  StateTable blocks;
  std::set<std::string> taken;
  std::size_t left = kMaxUnpacked;
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  for (zip_uint64_t k = 0; std::cmp_less(k, count); ++k) {
    const char* const entry = zip_get_name(archive.get(), k, 0);
    std::string array = entry == nullptr ? "" : entry;
    const bool is_array = array.ends_with(".npy");
    if (is_array) array.resize(array.size() - 4);
    if (!is_array ||
        std::find(wanted.begin(), wanted.end(), array) == wanted.end()) {
      blocks.unused.push_back(array);
      continue;
    }
    const std::string where = Cat(name, ", ", array);
    RequireData(taken.insert(array).second, where, "the array is there twice");
    const std::string content = ReadEntry(archive.get(), k, left, where);
    left -= content.size();
    if (array == "joint_names") {
      blocks.joints = ParseNpyNames(content, where);
      continue;
    }
    client::Batch table = ParseNpy(content, where);
    if (array == "time") {
      // One dimension, or one column.
      RequireData(table.rows() == 1 || table.cols() == 1, where,
                  "the array has several columns");
      blocks.time.assign(table.data(), table.data() + table.size());
    } else if (array == "tip_wrench") {
      RequireData(table.cols() == 6, where, "has ", table.cols(),
                  " columns, not 6");
      blocks.tip_wrench = std::move(table);
    } else {
      blocks.tables.emplace(array, std::move(table));
    }
  }
  return blocks;
}

std::string NpzBytes(const StateTable& blocks) {
  std::map<std::string, std::string> entries;
  entries["time"] = NpyBytes(Eigen::Map<const client::Batch>(
      blocks.time.data(), static_cast<Eigen::Index>(blocks.time.size()), 1));
  for (const auto& [name, table] : blocks.tables) {
    entries[name] = NpyBytes(table);
  }
  if (blocks.tip_wrench) entries["tip_wrench"] = NpyBytes(*blocks.tip_wrench);
  if (blocks.joints) entries["joint_names"] = NamesBytes(*blocks.joints);

  const Owned<zip_source_t> target = SourceOf({});
  const auto require = [](bool holds) {
    if (!holds) throw std::bad_alloc();
  };
  Owned<zip_t> archive = Open(target.get(), ZIP_TRUNCATE);
  require(archive != nullptr);
  for (const auto& [name, content] : entries) {
    Owned<zip_source_t> entry = SourceOf(content);
    const zip_int64_t index =
        zip_file_add(archive.get(), (name + ".npy").c_str(), entry.get(), 0);
    require(index >= 0);
    [[maybe_unused]] zip_source_t* const added = entry.release();
    const auto at = static_cast<zip_uint64_t>(index);
    zip_set_file_compression(archive.get(), at, ZIP_CM_STORE, 0);
    // The first time that ZIP can tell.
    zip_file_set_dostime(archive.get(), at, 0, 0x21, 0);
  }
  require(zip_close(archive.get()) == 0);
  [[maybe_unused]] zip_t* const closed = archive.release();
  zip_stat_t stat;
  require(zip_source_stat(target.get(), &stat) == 0 &&
          zip_source_open(target.get()) == 0);
  std::string bytes(stat.size, '\0');
  require(std::cmp_equal(zip_source_read(target.get(), bytes.data(), stat.size),
                         stat.size));
  zip_source_close(target.get());
  return bytes;
}

}  // namespace torqued::cli
