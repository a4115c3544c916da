#include "server/connections/header_meter.h"

#include <algorithm>

namespace torqued::server {
namespace {

// Types and flags of frames.
constexpr std::uint8_t kHeaders = 1;
constexpr std::uint8_t kContinuation = 9;
constexpr std::uint8_t kHasPriority = 0x20;
constexpr std::uint64_t kPriorityBytes = 5;

// A number ends with the byte that has not this.
constexpr std::uint8_t kMore = 0x80;

}  // namespace

bool HeaderMeter::Read(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty() && !exceeded_) {
    std::size_t count = 1;
    if (skipped_ > 0) {
      count = std::min<std::uint64_t>(skipped_, bytes.size());
      skipped_ -= count;
    } else if (payload_ > 0) {
      count = std::min<std::uint64_t>(payload_, bytes.size());
      payload_ -= count;
      ReadBlock(bytes.first(count));
    } else {
      frame_[frame_size_++] = bytes.front();
      if (frame_size_ == frame_.size()) BeginFrame();
    }
    bytes = bytes.subspan(count);
  }
  return !exceeded_;
}

void HeaderMeter::BeginFrame() {
  frame_size_ = 0;
  const std::uint64_t size = frame_[0] << 16 | frame_[1] << 8 | frame_[2];
  const std::uint8_t type = frame_[3], flags = frame_[4];
  if (type == kHeaders) {
    fields_ = bytes_ = 0;
    at_ = At::kField;
    // gRPC knows no padding: what has some is no headers to it.
    if ((flags & kHasPriority) != 0) skipped_ = std::min(size, kPriorityBytes);
    payload_ = size - skipped_;
  } else if (type == kContinuation) {
    payload_ = size;
  } else {
    skipped_ = size;
  }
}

void HeaderMeter::ReadBlock(std::span<const std::uint8_t> bytes) {
  bytes_ += static_cast<std::int64_t>(bytes.size());
  while (!bytes.empty()) {
    std::size_t count = 1;
    const std::uint8_t byte = bytes.front();
    switch (at_) {
      case At::kField:
        BeginField(byte);
        break;
      case At::kIndex:
        if ((byte & kMore) == 0) at_ = then_;
        break;
      case At::kLength:
        // The first bit tells how it is written.
        length_ = byte & 0x7F;
        shift_ = 0;
        at_ = At::kLongLength;
        if (length_ != 0x7F) BeginText();
        break;
      case At::kLongLength:
        // gRPC takes 32 bits.
        if (shift_ < 32) length_ += std::uint64_t{byte & 0x7FU} << shift_;
        shift_ = std::min(shift_ + 7, 32);
        if ((byte & kMore) == 0) BeginText();
        break;
      case At::kText:
        count = std::min<std::uint64_t>(length_, bytes.size());
        length_ -= count;
        if (length_ == 0) EndText();
        break;
    }
    bytes = bytes.subspan(count);
  }
  exceeded_ = fields_ > kMostFields || bytes_ > kMostBytes;
}

void HeaderMeter::BeginField(std::uint8_t first) {
  if ((first & 0x80) != 0) {  // both parts by one index
    ++fields_;
    if (first == 0xFF) at_ = At::kIndex;
    then_ = At::kField;
  } else if ((first & 0x40) != 0) {  // that enters the table
    BeginLiteral(first & 0x3F, 0x3F);
  } else if ((first & 0x20) != 0) {  // no field: the size of the table
    if (first == 0x3F) at_ = At::kIndex;
    then_ = At::kField;
  } else {
    BeginLiteral(first & 0x0F, 0x0F);
  }
}

void HeaderMeter::BeginLiteral(int index, int most) {
  ++fields_;
  texts_ = index == 0 ? 2 : 1;  // the name, the value
  at_ = index == most ? At::kIndex : At::kLength;
  then_ = At::kLength;
}

void HeaderMeter::BeginText() {
  at_ = At::kText;
  if (length_ == 0) EndText();
}

void HeaderMeter::EndText() { at_ = --texts_ > 0 ? At::kLength : At::kField; }

}  // namespace torqued::server
