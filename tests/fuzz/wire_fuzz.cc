// Any bytes as a message of a client. The first byte of an input chooses the
// type of the message, the second one how large the pieces are that bring it.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/empty.pb.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/message.h>
#include <google/protobuf/stubs/common.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/unknown_field_set.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/model/text.h"
#include "server/wire/measure_message.h"
#include "tests/fuzz/require.h"
#include "torqued/v1/dynamics.pb.h"
#include "torqued/v1/model_registry.pb.h"
#include "torqued/v1/server_info.pb.h"
#include "torqued/v1/trajectory.pb.h"

namespace {

using namespace torqued;          // NOLINT(google-build-using-namespace)
using namespace torqued::server;  // NOLINT(google-build-using-namespace)
using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::UnknownField;
using google::protobuf::UnknownFieldSet;

constexpr int kMaxDepth = 100;

/// What the services are asked with.
std::vector<const Descriptor*> Requests() {
  std::vector<const Descriptor*> requests;
  for (const Descriptor* one :
       {v1::ComputeRequest::descriptor(), v1::GetModelRequest::descriptor(),
        v1::GetServerInfoRequest::descriptor(),
        v1::CheckTrajectoryRequest::descriptor()}) {
    const auto* file = one->file();
    for (int s = 0; s < file->service_count(); ++s) {
      for (int m = 0; m < file->service(s)->method_count(); ++m) {
        requests.push_back(file->service(s)->method(m)->input_type());
      }
    }
  }
  return requests;
}

/// The same by protobuf's parser alone, which takes every message for one whose
/// fields nobody knows.
class Expected {
 public:
  Expected(std::string_view bytes, const Descriptor& type) {
    Look(bytes, type, "", kMaxDepth);
  }

  bool broken = false;
  bool too_many = false;
  bool utf8 = true;
  std::int64_t list_elements = 0;

 private:
  void Look(std::string_view bytes, const Descriptor& type,
            const std::string& path, int depth) {
    google::protobuf::Empty nothing;
    if (!nothing.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
      broken = true;
      return;
    }
    const UnknownFieldSet& fields =
        nothing.GetReflection()->GetUnknownFields(nothing);
    for (int k = 0; k < fields.field_count(); ++k) {
      const UnknownField& field = fields.field(k);
      const auto* known = type.FindFieldByNumber(field.number());
      if (known == nullptr || !See(field, *known, path, depth)) {
        Unknown(field, depth);
      }
    }
  }

  /// False: it comes as something else.
  bool See(const UnknownField& field, const FieldDescriptor& known,
           const std::string& path, int depth) {
    const std::string name = path + "." + known.name();
    const bool text = field.type() == UnknownField::TYPE_LENGTH_DELIMITED;
    if (known.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      if (!text) return false;
      const int place = Count(name, 1) - 1;
      if (known.is_repeated()) ++list_elements;
      if (depth == 0) {
        broken = true;
      } else {
        Look(field.length_delimited(), *known.message_type(),
             known.is_repeated() ? name + "[" + std::to_string(place) + "]"
                                 : name,
             depth - 1);
      }
      return true;
    }
    if (known.cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      if (!text) return false;
      Count(name, 1);
      if (known.is_repeated()) ++list_elements;
      utf8 = utf8 && (known.type() == FieldDescriptor::TYPE_BYTES ||
                      FindInvalidUtf8(field.length_delimited()) ==
                          std::string_view::npos);
      return true;
    }
    const bool bounded = known.full_name() != "torqued.v1.Array.values";
    const bool fixed = known.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE;
    if (text && known.is_repeated()) {
      const std::string& packed = field.length_delimited();
      const int count =
          fixed ? static_cast<int>(packed.size() / 8) : Varints(packed);
      broken = broken || (fixed && packed.size() % 8 != 0);
      Count(name, bounded ? std::max(count, 1) : 1);
      list_elements += count;
      return true;
    }
    if (field.type() !=
        (fixed ? UnknownField::TYPE_FIXED64 : UnknownField::TYPE_VARINT)) {
      return false;
    }
    if (bounded) Count(name, 1);
    if (known.is_repeated()) ++list_elements;
    return true;
  }

  int Varints(const std::string& packed) {
    google::protobuf::io::CodedInputStream in(
        reinterpret_cast<const std::uint8_t*>(packed.data()),
        static_cast<int>(packed.size()));
    int count = 0;
    std::uint64_t unused = 0;
    while (in.CurrentPosition() < static_cast<int>(packed.size())) {
      if (!in.ReadVarint64(&unused)) {
        broken = true;
        break;
      }
      ++count;
    }
    return count;
  }

  void Unknown(const UnknownField& field, int depth) {
    too_many = too_many || ++unknown_ > static_cast<int>(kMaxElements);
    if (field.type() != UnknownField::TYPE_GROUP) return;
    if (depth == 0) {
      broken = true;
      return;
    }
    for (int k = 0; k < field.group().field_count(); ++k) {
      Unknown(field.group().field(k), depth - 1);
    }
  }

  int Count(const std::string& name, int count) {
    int& sum = counts_[name];
    sum += count;
    too_many = too_many || sum > static_cast<int>(kMaxElements);
    return sum;
  }

  std::map<std::string, int> counts_;
  int unknown_ = 0;
};

/// Of all lists in a message.
std::int64_t ListElements(const Message& message) {
  std::int64_t sum = 0;
  std::vector<const FieldDescriptor*> fields;
  const auto* reflection = message.GetReflection();
  reflection->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    const bool below = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    if (!field->is_repeated()) {
      if (below) sum += ListElements(reflection->GetMessage(message, field));
      continue;
    }
    const int size = reflection->FieldSize(message, field);
    FUZZ_REQUIRE(size <= static_cast<int>(kMaxElements) ||
                     field->full_name() == "torqued.v1.Array.values",
                 field->full_name());
    sum += size;
    for (int k = 0; below && k < size; ++k) {
      sum += ListElements(reflection->GetRepeatedMessage(message, field, k));
    }
  }
  return sum;
}

void CheckRefusal(const Error& error) {
  FUZZ_REQUIRE(!error.message.empty(), "no sentence");
  if (error.reason == v1::INVALID_FIELD) return;
  FUZZ_REQUIRE(error.reason == v1::REQUEST_TOO_LARGE, error.message);
  FUZZ_REQUIRE(error.metadata.at(0).first == "limit", error.message);
  FUZZ_REQUIRE(error.violations.empty() || !error.violations[0].field.empty(),
               error.message);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  static const auto requests = Requests();
  static const auto shapes = [] {
    std::vector<std::unique_ptr<const MessageShape>> made;
    made.reserve(requests.size());
    for (const Descriptor* type : requests) {
      made.push_back(std::make_unique<const MessageShape>(*type));
    }
    return made;
  }();
  if (size < 2) return 0;
  const google::protobuf::LogSilencer silence;
  const std::size_t chosen = data[0] % requests.size();
  const Descriptor& type = *requests[chosen];
  const std::string_view bytes = fuzz::Text(data + 2, size - 2);
  const auto stream = [&, piece = data[1] == 0 ? -1 : data[1]] {
    return google::protobuf::io::ArrayInputStream(
        bytes.data(), static_cast<int>(bytes.size()), piece);
  };

  auto measured_from = stream();
  const auto measured = Measure(
      &measured_from, static_cast<std::int64_t>(bytes.size()), *shapes[chosen]);
  const Expected expected(bytes, type);
  const std::unique_ptr<Message> message(
      google::protobuf::MessageFactory::generated_factory()
          ->GetPrototype(&type)
          ->New());
  auto parsed_from = stream();
  const bool parsed = message->ParseFromZeroCopyStream(&parsed_from);
  FUZZ_REQUIRE(parsed == (!expected.broken && expected.utf8),
               "the test's own reading");

  const auto* measure = std::get_if<MessageMeasure>(&measured);
  FUZZ_REQUIRE((measure != nullptr) == !(expected.broken || expected.too_many),
               type.full_name());
  if (measure == nullptr) {
    CheckRefusal(std::get<Error>(measured));
    return 0;
  }
  if (!parsed) return 0;
  FUZZ_REQUIRE(measure->list_elements == expected.list_elements,
               type.full_name());
  FUZZ_REQUIRE(measure->list_elements == ListElements(*message),
               type.full_name());
  const auto space = [&message] {
    return static_cast<std::int64_t>(message->SpaceUsedLong());
  };
  FUZZ_REQUIRE(
      space() <= measure->decoded_bytes,
      std::to_string(space()) + " > " + std::to_string(measure->decoded_bytes));

  // Streams parse into messages that they have used.
  const std::string fresh = message->SerializeAsString();
  const std::string twice = Cat(bytes, bytes);
  google::protobuf::io::ArrayInputStream twice_from(
      twice.data(), static_cast<int>(twice.size()));
  const auto measured_twice = Measure(
      &twice_from, static_cast<std::int64_t>(twice.size()), *shapes[chosen]);
  const auto* more = std::get_if<MessageMeasure>(&measured_twice);
  if (more == nullptr) return 0;
  for (const bool both : {true, false}) {
    const std::int64_t kept = space();
    FUZZ_REQUIRE(both ? message->ParseFromString(twice)
                      : message->ParseFromArray(bytes.data(),
                                                static_cast<int>(bytes.size())),
                 type.full_name());
    const std::int64_t most =
        kept + (both ? more->decoded_bytes : measure->decoded_bytes);
    FUZZ_REQUIRE(space() <= most,
                 std::to_string(space()) + " > " + std::to_string(most));
  }
  FUZZ_REQUIRE(message->SerializeAsString() == fresh, "what was there before");
  return 0;
}
