#include "client/cli/formats/npy_writer.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string_view>

namespace torqued::cli {

namespace {

static_assert(std::endian::native == std::endian::little,
              "numbers are copied as they stand in memory");

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

/// How many continuation bytes follow the first one of a code point; nothing
/// for a byte that begins none.
int Following(unsigned char first) {
  if (first < 0x80) return 0;
  if (first >= 0xC2 && first < 0xE0) return 1;
  if (first >= 0xE0 && first < 0xF0) return 2;
  return first >= 0xF0 && first < 0xF5 ? 3 : -1;
}

std::vector<std::uint32_t> CodePoints(std::string_view text) {
  constexpr std::uint32_t kReplacement = 0xFFFD;
  std::vector<std::uint32_t> codes;
  while (!text.empty()) {
    const auto first = static_cast<unsigned char>(text.front());
    const int following = Following(first);
    std::uint32_t code = following <= 0 ? first : first & (0x3F >> following);
    std::size_t length = 1;
    for (int k = 0; k < following; ++k, ++length) {
      if (length == text.size()) break;
      const auto byte = static_cast<unsigned char>(text[length]);
      if ((byte & 0xC0) != 0x80) break;
      code = code << 6 | (byte & 0x3F);
    }
    const bool whole = following >= 0 && length == std::size_t(following) + 1;
    codes.push_back(whole ? code : kReplacement);
    text.remove_prefix(length);
  }
  return codes;
}

}  // namespace

std::string NpyBytes(const client::Batch& numbers) {
  std::string bytes = Header("<f8", std::to_string(numbers.rows()) + ", " +
                                        std::to_string(numbers.cols()));
  bytes.append(reinterpret_cast<const char*>(numbers.data()),
               static_cast<std::size_t>(numbers.size()) * sizeof(double));
  return bytes;
}

std::string NpyNamesBytes(const std::vector<std::string>& names) {
  std::vector<std::vector<std::uint32_t>> texts;
  std::size_t longest = 1;
  for (const std::string& name : names) {
    texts.push_back(CodePoints(name));
    longest = std::max(longest, texts.back().size());
  }
  std::string bytes = Header("<U" + std::to_string(longest),
                             std::to_string(names.size()) + ",");
  for (std::vector<std::uint32_t>& text : texts) {
    text.resize(longest);
    bytes.append(reinterpret_cast<const char*>(text.data()), 4 * longest);
  }
  return bytes;
}

}  // namespace torqued::cli
