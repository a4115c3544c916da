#include "server/wire/message_shape.h"

#include <google/protobuf/message.h>

#include <algorithm>
#include <stdexcept>

namespace torqued::server {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using Kind = MessageShape::Kind;

constexpr int kMaxDepth = 32;
constexpr int kMaxNumber = 1000;

/// What the allocator adds to a piece of memory.
constexpr std::int64_t kBlock = 16;
/// A place in a list of pointers, which doubles when it grows.
constexpr std::int64_t kPlace = 2 * sizeof(void*);
/// A list that is not empty has a header and some places more.
constexpr std::int64_t kList = 128;

Kind KindOf(const FieldDescriptor& field) {
  switch (field.type()) {
    case FieldDescriptor::TYPE_DOUBLE:
    case FieldDescriptor::TYPE_FIXED64:
    case FieldDescriptor::TYPE_SFIXED64:
      return Kind::kFixed64;
    case FieldDescriptor::TYPE_FLOAT:
    case FieldDescriptor::TYPE_FIXED32:
    case FieldDescriptor::TYPE_SFIXED32:
      return Kind::kFixed32;
    case FieldDescriptor::TYPE_STRING:
    case FieldDescriptor::TYPE_BYTES:
      return Kind::kText;
    case FieldDescriptor::TYPE_MESSAGE:
      return Kind::kMessage;
    case FieldDescriptor::TYPE_GROUP:
      throw std::logic_error("a group in a request: " + field.full_name());
    default:
      return Kind::kVarint;
  }
}

/// A number of a list, which doubles when it grows; others are in the message.
std::int64_t BytesOfNumber(const FieldDescriptor& field) {
  if (!field.is_repeated()) return 0;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_DOUBLE:
    case FieldDescriptor::CPPTYPE_INT64:
    case FieldDescriptor::CPPTYPE_UINT64:
      return 2 * sizeof(std::int64_t);
    default:
      return 2 * sizeof(std::int32_t);
  }
}

}  // namespace

MessageShape::MessageShape(const Descriptor& type, std::size_t first_counter,
                           int depth)
    : name_(type.name()),
      first_counter_(first_counter),
      end_counter_(first_counter) {
  if (depth > kMaxDepth) {
    throw std::logic_error("a request that contains itself: " + name_);
  }
  const auto* empty =
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(
          &type);
  bytes_ = static_cast<std::int64_t>(empty->SpaceUsedLong()) + kBlock;
  for (int k = 0; k < type.field_count(); ++k) {
    const FieldDescriptor& described = *type.field(k);
    const int number = described.number();
    if (number > kMaxNumber) {
      throw std::logic_error("a high number: " + described.full_name());
    }
    if (static_cast<std::size_t>(number) >= fields_.size()) {
      fields_.resize(static_cast<std::size_t>(number) + 1);
    }
    Field& field = fields_[static_cast<std::size_t>(number)];
    field.kind = KindOf(described);
    field.list = described.is_repeated();
    field.counted = described.full_name() != "torqued.v1.Array.values";
    field.counter = end_counter_++;
    field.name = described.name();
    if (field.kind == Kind::kMessage) {
      field.message.reset(
          new MessageShape(*described.message_type(), end_counter_, depth + 1));
      end_counter_ = field.message->end_counter();
      field.bytes = field.message->bytes();
    } else if (field.kind == Kind::kText) {
      field.bytes = static_cast<std::int64_t>(sizeof(std::string)) + kBlock;
    } else {
      field.bytes = BytesOfNumber(described);
    }
    if (!field.list) continue;
    bytes_ += kList;
    if (!described.is_packable()) field.bytes += kPlace;
  }
}

}  // namespace torqued::server
