// How much the headers hold that a client sends.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace torqued::server {

/// Follows the bytes of a connection by HTTP/2 (RFC 9113) and HPACK (RFC 7541),
/// as far as it takes to count the fields of each block of headers: those that
/// open a call and those that end it, with their continuations. gRPC bounds
/// each frame of a block, not the block, and of a client that has not
/// acknowledged the server's settings not even that: of each byte of them it
/// makes a field of 64.
class HeaderMeter {
 public:
  /// Of one block. gRPC refuses a frame of more than 240 fields.
  static constexpr std::int64_t kMostFields = 128;
  /// As they are sent.
  static constexpr std::int64_t kMostBytes = std::int64_t{64} << 10;

  /// The bytes that follow those of before. False from then on where a block
  /// has more than it may.
  bool Read(std::span<const std::uint8_t> bytes);

 private:
  enum class At : std::uint8_t {
    kField,       // the first byte of one
    kIndex,       // further bytes of a number that is not needed
    kLength,      // the first byte of a text's length
    kLongLength,  // further ones
    kText,
  };

  void BeginFrame();
  void ReadBlock(std::span<const std::uint8_t> bytes);
  void BeginField(std::uint8_t first);
  void BeginLiteral(int index, int most);
  void BeginText();
  void EndText();

  std::uint64_t skipped_ = 24;  // bytes to pass over: at first the preface
  std::array<std::uint8_t, 9> frame_{};  // what each begins with
  std::size_t frame_size_ = 0;           // of that, so far
  std::uint64_t payload_ = 0;            // of headers, still to come
  // Of the block.
  std::int64_t fields_ = 0;
  std::int64_t bytes_ = 0;
  At at_ = At::kField;
  At then_ = At::kField;  // after a number that is not needed
  int texts_ = 0;         // of the field, still to come
  std::uint64_t length_ = 0;
  int shift_ = 0;
  bool exceeded_ = false;
};

}  // namespace torqued::server
