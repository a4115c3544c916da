// Frames of HTTP/2 (RFC 9113), as bytes.
#pragma once

#include <string>

namespace torqued::server::frames {

inline constexpr int kHeaders = 1;
inline constexpr int kContinuation = 9;
inline constexpr int kEndHeaders = 4;
inline constexpr int kHasPriority = 0x20;

inline std::string Frame(int type, int flags, const std::string& payload,
                         int stream = 1) {
  std::string frame;
  for (const int shift : {16, 8, 0}) {
    frame += static_cast<char>(payload.size() >> shift & 0xFF);
  }
  frame += static_cast<char>(type);
  frame += static_cast<char>(flags);
  frame += std::string(3, '\0') + static_cast<char>(stream);
  return frame + payload;
}

inline std::string Headers(const std::string& block, int flags) {
  return Frame(kHeaders, flags, block);
}

inline std::string Continuation(const std::string& block, int flags) {
  return Frame(kContinuation, flags, block);
}

}  // namespace torqued::server::frames
