// What the wire may bring of a type of message: a table made once.
#pragma once

#include <google/protobuf/descriptor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace torqued::server {

/// Of a list in a message; also how often a field, or the pieces of an array of
/// numbers, may come in one message, and how many fields it may have that
/// nobody knows. As many as the largest robot has movable joints. The numbers
/// of a torqued.v1.Array are bounded by their bytes alone.
inline constexpr std::uint32_t kMaxElements = 1024;

/// A message and those below it, which must not contain themselves.
class MessageShape {
 public:
  enum class Kind : std::uint8_t {
    kUnknown,
    kVarint,
    kFixed32,
    kFixed64,
    kText,  // and bytes
    kMessage,
  };

  struct Field {
    Kind kind = Kind::kUnknown;
    bool list = false;
    /// Whether elements are counted, not only pieces.
    bool counted = true;
    std::size_t counter = 0;
    /// Of an element in memory, at most, without the bytes of a text.
    std::int64_t bytes = 0;
    std::string name;
    std::unique_ptr<const MessageShape> message;  // of Kind::kMessage
  };

  explicit MessageShape(const google::protobuf::Descriptor& type)
      : MessageShape(type, 0, 0) {}

  /// Null: no field has this number.
  const Field* Find(std::uint32_t number) const {
    if (number >= fields_.size()) return nullptr;
    const Field& field = fields_[number];
    return field.kind == Kind::kUnknown ? nullptr : &field;
  }
  /// Without its package.
  const std::string& name() const { return name_; }
  /// In memory, at most, while it is empty.
  std::int64_t bytes() const { return bytes_; }

  // Each field of this message and of those below has a counter of its own.
  std::size_t first_counter() const { return first_counter_; }
  std::size_t end_counter() const { return end_counter_; }

 private:
  MessageShape(const google::protobuf::Descriptor& type,
               std::size_t first_counter, int depth);

  std::string name_;
  std::int64_t bytes_ = 0;
  std::size_t first_counter_;
  std::size_t end_counter_;
  std::vector<Field> fields_;  // by number
};

/// Of a generated type.
template <class Message>
const MessageShape& ShapeOf() {
  static const MessageShape shape(*Message::descriptor());
  return shape;
}

}  // namespace torqued::server
