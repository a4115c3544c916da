#include "client/cli/formats/npy_header.h"

#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "client/cli/errors.h"

namespace torqued::cli {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
// NumPy writes a few hundred bytes at most.
constexpr std::size_t kMaxHeader = 64 * 1024;

// The header is a Python dictionary literal; NumPy writes
//   {'descr': '<f8', 'fortran_order': False, 'shape': (10, 7), }
// This reads exactly strings, booleans and tuples of integers.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : rest_(text) {}

  std::optional<NpyArray> Parse() {
    NpyArray header;
    bool has_descr = false, has_order = false, has_shape = false;
    if (!Take("{")) return std::nullopt;
    while (!Take("}")) {
      const std::optional<std::string> key = String();
      if (!key || !Take(":")) return std::nullopt;
      if (*key == "descr" && !has_descr) {
        const std::optional<std::string> descr = String();
        if (!descr) return std::nullopt;
        header.descr = *descr;
        has_descr = true;
      } else if (*key == "fortran_order" && !has_order) {
        if (Take("True")) {
          header.fortran_order = true;
        } else if (!Take("False")) {
          return std::nullopt;
        }
        has_order = true;
      } else if (*key == "shape" && !has_shape) {
        if (!Shape(&header.shape)) return std::nullopt;
        has_shape = true;
      } else {
        return std::nullopt;
      }
      if (!Take(",") && !Peek("}")) return std::nullopt;
    }
    SkipBlanks();
    if (!rest_.empty() || !has_descr || !has_order || !has_shape) {
      return std::nullopt;
    }
    return header;
  }

 private:
  void SkipBlanks() {
    const std::size_t begin = rest_.find_first_not_of(" \t\n");
    rest_.remove_prefix(begin == std::string_view::npos ? rest_.size() : begin);
  }

  bool Peek(std::string_view token) {
    SkipBlanks();
    return rest_.starts_with(token);
  }

  bool Take(std::string_view token) {
    if (!Peek(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  std::optional<std::string> String() {
    SkipBlanks();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) {
      return std::nullopt;
    }
    const std::size_t end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }

  bool Shape(std::vector<std::uint64_t>* shape) {
    if (!Take("(")) return false;
    while (!Take(")")) {
      SkipBlanks();
      std::uint64_t size = 0;
      const char* begin = rest_.data();
      const auto parsed = std::from_chars(begin, begin + rest_.size(), size);
      if (parsed.ec != std::errc()) return false;
      rest_.remove_prefix(static_cast<std::size_t>(parsed.ptr - begin));
      shape->push_back(size);
      if (!Take(",") && !Peek(")")) return false;
    }
    return true;
  }

  std::string_view rest_;
};

std::size_t LittleEndian(std::string_view bytes) {
  std::size_t number = 0;
  for (std::size_t k = bytes.size(); k-- > 0;) {
    number = number << 8 | static_cast<unsigned char>(bytes[k]);
  }
  return number;
}

}  // namespace

bool LooksLikeNpy(std::string_view bytes) { return bytes.starts_with(kMagic); }

NpyArray ParseNpyArray(std::string_view bytes, const std::string& name) {
  const auto fail = [&name](const std::string& problem) {
    throw DataError(name, problem);
  };
  if (!LooksLikeNpy(bytes) || bytes.size() < kMagic.size() + 4) {
    fail("is not an .npy file");
  }
  const int version = static_cast<unsigned char>(bytes[kMagic.size()]);
  if (version < 1 || version > 3) {
    fail("is of .npy version " + std::to_string(version) + ", not 1 to 3");
  }
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  const std::size_t header_begin = kMagic.size() + 2 + length_bytes;
  if (bytes.size() < header_begin) fail("ends within its header");
  const std::size_t header_size =
      LittleEndian(bytes.substr(kMagic.size() + 2, length_bytes));
  if (header_size > kMaxHeader || header_size > bytes.size() - header_begin) {
    fail("has a header of " + std::to_string(header_size) +
         " bytes, which cannot be");
  }

  std::optional<NpyArray> array =
      HeaderParser(bytes.substr(header_begin, header_size)).Parse();
  if (!array) fail("has a header that is not understood");
  if (array->shape.empty() || array->shape.size() > 2) {
    fail("has " + std::to_string(array->shape.size()) +
         " dimensions, not 1 or 2");
  }
  array->data = bytes.substr(header_begin + header_size);
  return *std::move(array);
}

bool HoldsItems(const NpyArray& array, std::uint64_t item) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  const std::uint64_t rows = array.rows(), columns = array.columns();
  if (rows > kMax || columns > kMax) return false;
  if (columns == 0) return array.data.empty();
  if (item == 0) return false;
  if (rows > kMax / columns / item) return false;
  return rows * columns * item == array.data.size();
}

}  // namespace torqued::cli
