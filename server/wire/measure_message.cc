#include "server/wire/measure_message.h"

#include <grpcpp/support/proto_buffer_reader.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace torqued::server {
namespace {

using google::protobuf::io::ZeroCopyInputStream;
using Field = MessageShape::Field;
using Kind = MessageShape::Kind;

// As in protobuf.
constexpr int kMaxDepth = 100;
constexpr int kMaxTagBytes = 5;
constexpr int kMaxVarintBytes = 10;
constexpr std::uint64_t kMaxLength = std::numeric_limits<int>::max() - 16;
/// Texts of more bytes grow as they arrive, to twice their size at most.
constexpr std::int64_t kReservedText = 50'000'000;
/// Texts up to this size need no memory of their own.
constexpr std::int64_t kTextInPlace = 15;
constexpr std::int64_t kBlock = 17;
/// A field that nobody knows: its place, its text or group.
constexpr std::int64_t kUnknownBytes = 128;

enum WireType : std::uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kDelimited = 2,
  kStartGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5,
};

/// The bytes, piece by piece.
class Input {
 public:
  explicit Input(ZeroCopyInputStream* in) : in_(in) {}

  std::int64_t position() const { return fetched_ - (end_ - at_); }

  bool Byte(std::uint8_t* byte) {
    if (at_ == end_ && !Fetch()) return false;
    *byte = *at_++;
    return true;
  }

  bool Skip(std::int64_t count) {
    while (count > end_ - at_) {
      count -= end_ - at_;
      if (!Fetch()) return false;
    }
    at_ += count;
    return true;
  }

  /// Bits beyond the type's are dropped, as protobuf does.
  bool Varint(int max_bytes, std::uint64_t* number) {
    std::uint64_t read = 0;
    std::uint8_t byte = 0;
    for (int k = 0; k < max_bytes; ++k) {
      if (!Byte(&byte)) return false;
      read |= static_cast<std::uint64_t>(byte & 0x7F) << (7 * k);
      if (byte < 0x80) {
        *number = read;
        return true;
      }
    }
    return false;
  }

 private:
  bool Fetch() {
    const void* data = nullptr;
    int size = 0;
    do {
      if (!in_->Next(&data, &size)) {
        at_ = end_;
        return false;
      }
    } while (size == 0);
    at_ = static_cast<const std::uint8_t*>(data);
    end_ = at_ + size;
    fetched_ += size;
    return true;
  }

  ZeroCopyInputStream* in_;
  const std::uint8_t* at_ = nullptr;
  const std::uint8_t* end_ = nullptr;
  std::int64_t fetched_ = 0;
};

class Pass {
 public:
  Pass(ZeroCopyInputStream* in, const MessageShape& shape)
      : in_(in), shape_(shape), counters_(shape.end_counter(), 0) {}

  OrError<MessageMeasure> Run(std::int64_t length) {
    measure_.decoded_bytes = shape_.bytes();
    if (Message(shape_, length, kMaxDepth)) return measure_;
    if (!problem_.empty()) return TooMany();
    return NoRequest(shape_.name());
  }

 private:
  /// False: broken, or too much of it, which `problem_` tells.
  bool Message(const MessageShape& shape, std::int64_t end, int depth) {
    while (in_.position() < end) {
      std::uint64_t tag = 0;
      if (!Tag(end, &tag)) return false;
      const auto number = static_cast<std::uint32_t>(tag >> 3);
      const auto type = static_cast<WireType>(tag & 7);
      const Field* field = shape.Find(number);
      const bool good = field != nullptr && Takes(*field, type)
                            ? Known(*field, type, end, depth)
                            : Unknown(number, type, end, depth);
      if (!good || in_.position() > end) return false;
    }
    return in_.position() == end;
  }

  bool Tag(std::int64_t end, std::uint64_t* tag) {
    if (!in_.Varint(kMaxTagBytes, tag)) return false;
    *tag &= std::numeric_limits<std::uint32_t>::max();
    return *tag >> 3 != 0 && in_.position() <= end;
  }

  /// What comes as something else is a field that nobody knows.
  static bool Takes(const Field& field, WireType type) {
    const bool packed = type == kDelimited && field.list;
    switch (field.kind) {
      case Kind::kMessage:
      case Kind::kText:
        return type == kDelimited;
      case Kind::kVarint:
        return type == kVarint || packed;
      case Kind::kFixed32:
        return type == kFixed32 || packed;
      case Kind::kFixed64:
        return type == kFixed64 || packed;
      case Kind::kUnknown:
        break;
    }
    return false;
  }

  bool Known(const Field& field, WireType type, std::int64_t end, int depth) {
    if (field.kind == Kind::kMessage) return Below(field, end, depth);
    if (field.kind == Kind::kText) return Text(field, end);
    if (field.kind == Kind::kVarint) {
      if (type == kDelimited) return Varints(field, end);
      return Number(field) && SkipVarint();
    }
    const int size = field.kind == Kind::kFixed32 ? 4 : 8;
    if (type == kDelimited) return Fixed(field, size, end);
    return Number(field) && in_.Skip(size);
  }

  bool Below(const Field& field, std::int64_t end, int depth) {
    std::int64_t length = 0;
    if (depth == 0 || !Length(end, &length) || !Count(field, 1)) return false;
    const MessageShape& shape = *field.message;
    const std::uint32_t place = counters_[field.counter] - 1;
    measure_.decoded_bytes += field.bytes;
    if (field.list) {
      ++measure_.list_elements;
      // Another message; those of a single field become one.
      std::fill(
          counters_.begin() +
              static_cast<std::ptrdiff_t>(shape.first_counter()),
          counters_.begin() + static_cast<std::ptrdiff_t>(shape.end_counter()),
          0);
    }
    if (Message(shape, in_.position() + length, depth - 1)) return true;
    if (!problem_.empty()) {
      std::string path = field.name;
      if (field.list)
        path.append("[").append(std::to_string(place)).append("]");
      if (!path_.empty()) path.append(".").append(path_);
      path_ = std::move(path);
    }
    return false;
  }

  bool Text(const Field& field, std::int64_t end) {
    std::int64_t length = 0;
    if (!Length(end, &length) || !Count(field, 1)) return false;
    if (field.list) ++measure_.list_elements;
    measure_.decoded_bytes += field.bytes + BytesOfText(length);
    return in_.Skip(length);
  }

  /// One that is not packed.
  bool Number(const Field& field) {
    if (field.counted && !Count(field, 1)) return false;
    if (field.list) Add(field, 1);
    return true;
  }

  bool Fixed(const Field& field, int size, std::int64_t end) {
    std::int64_t length = 0;
    if (!Length(end, &length) || length % size != 0) return false;
    const std::int64_t count = length / size;
    if (!Count(field, field.counted ? count : 1)) return false;
    Add(field, count);
    return in_.Skip(length);
  }

  bool Varints(const Field& field, std::int64_t end) {
    std::int64_t length = 0;
    if (!Length(end, &length)) return false;
    // No more than this is looked at.
    constexpr std::int64_t kMost = std::int64_t{kMaxElements} * kMaxVarintBytes;
    if (length > kMost) return Count(field, length);
    const std::int64_t last = in_.position() + length;
    std::int64_t count = 0;
    for (; in_.position() < last; ++count) {
      if (!SkipVarint()) return false;
    }
    if (in_.position() != last || !Count(field, count)) return false;
    Add(field, count);
    return true;
  }

  bool Unknown(std::uint32_t number, WireType type, std::int64_t end,
               int depth) {
    if (type == kEndGroup) return false;
    if (++unknown_fields_ > kMaxElements) {
      problem_ = "has more than " + std::to_string(kMaxElements) +
                 " fields that the server does not know";
      return false;
    }
    measure_.decoded_bytes += kUnknownBytes;
    std::int64_t length = 0;
    switch (type) {
      case kVarint:
        return SkipVarint();
      case kFixed64:
        return in_.Skip(8);
      case kDelimited:
        if (!Length(end, &length)) return false;
        measure_.decoded_bytes += BytesOfText(length);
        return in_.Skip(length);
      case kStartGroup:
        return Group(number, end, depth);
      case kFixed32:
        return in_.Skip(4);
      default:
        return false;
    }
  }

  bool Group(std::uint32_t number, std::int64_t end, int depth) {
    if (depth == 0) return false;
    while (in_.position() < end) {
      std::uint64_t tag = 0;
      if (!Tag(end, &tag)) return false;
      const auto inner = static_cast<std::uint32_t>(tag >> 3);
      const auto type = static_cast<WireType>(tag & 7);
      if (type == kEndGroup) return inner == number;
      if (!Unknown(inner, type, end, depth - 1)) return false;
    }
    return false;
  }

  bool SkipVarint() {
    std::uint64_t unused = 0;
    return in_.Varint(kMaxVarintBytes, &unused);
  }

  bool Length(std::int64_t end, std::int64_t* length) {
    std::uint64_t read = 0;
    if (!in_.Varint(kMaxTagBytes, &read) || read > kMaxLength) return false;
    *length = static_cast<std::int64_t>(read);
    return *length <= end - in_.position();
  }

  /// An empty piece counts as well.
  bool Count(const Field& field, std::int64_t count) {
    std::uint32_t& sum = counters_[field.counter];
    if (std::max<std::int64_t>(count, 1) > std::int64_t{kMaxElements} - sum) {
      const std::string most = std::to_string(kMaxElements);
      problem_ = !field.list     ? "comes more than " + most + " times"
                 : field.counted ? "has more than " + most + " elements"
                                 : "comes in more than " + most + " pieces";
      path_ = field.name;
      return false;
    }
    sum += static_cast<std::uint32_t>(std::max<std::int64_t>(count, 1));
    return true;
  }

  void Add(const Field& field, std::int64_t count) {
    measure_.list_elements += count;
    measure_.decoded_bytes += count * field.bytes;
  }

  static std::int64_t BytesOfText(std::int64_t length) {
    if (length <= kTextInPlace) return 0;
    return kBlock + (length > kReservedText ? 2 * length : length);
  }

  Error TooMany() {
    Error error;
    if (path_.empty()) {
      error.reason = v1::REQUEST_TOO_LARGE;
      error.message = "The message " + problem_ + ".";
    } else {
      error = FieldError(v1::REQUEST_TOO_LARGE, std::move(path_), problem_);
    }
    error.metadata = {{"limit", std::to_string(kMaxElements)}};
    return error;
  }

  Input in_;
  const MessageShape& shape_;
  std::vector<std::uint32_t> counters_;
  std::uint32_t unknown_fields_ = 0;
  MessageMeasure measure_;
  std::string path_;     // of the field at fault
  std::string problem_;  // with it, or empty
};

}  // namespace

OrError<MessageMeasure> Measure(ZeroCopyInputStream* in, std::int64_t length,
                                const MessageShape& shape) {
  return Pass(in, shape).Run(length);
}

OrError<MessageMeasure> Measure(const grpc::ByteBuffer& bytes,
                                const MessageShape& shape) {
  // The reader changes nothing of what it reads.
  grpc::ProtoBufferReader in(const_cast<grpc::ByteBuffer*>(&bytes));
  return Measure(&in, static_cast<std::int64_t>(bytes.Length()), shape);
}

Error NoRequest(std::string_view message) {
  Error error;
  error.reason = v1::INVALID_FIELD;
  error.message = "The bytes are no " + std::string(message) + ".";
  return error;
}

}  // namespace torqued::server
