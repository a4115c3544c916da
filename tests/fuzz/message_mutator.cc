// Changes messages field by field instead of byte by byte, so that inputs get
// past the parser and deep into what reads them.
#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "tests/fuzz/message_input.h"
#include "tests/fuzz/require.h"
#include "torqued/v1/array.pb.h"

extern "C" {
// libFuzzer's own changes of bytes.
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size,
                             std::size_t max_size);
// Declared here, since nobody else does.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                    std::size_t max_size, unsigned int seed);
std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* data1,
                                      std::size_t size1,
                                      const std::uint8_t* data2,
                                      std::size_t size2, std::uint8_t* out,
                                      std::size_t max_size, unsigned int seed);
}

namespace torqued::fuzz {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr int kMaxRepeated = 40;
constexpr std::size_t kMaxText = 2000;

class Mutator {
 public:
  explicit Mutator(unsigned int seed) : random_(seed) {}

  /// One to four changes.
  void Mutate(Message* message) {
    for (int changes = 1 + Below(4); changes > 0; --changes) {
      Change(Pick(Nodes(message)));
    }
  }

  /// A part of `donor` in the place of a part of the same kind.
  void Cross(const Message& donor, Message* message) {
    const std::unique_ptr<Message> copy(donor.New());
    copy->CopyFrom(donor);
    const std::vector<Message*> parts = Nodes(copy.get());
    Message* place = Pick(Nodes(message));
    std::vector<Message*> fitting;
    std::copy_if(parts.begin(), parts.end(), std::back_inserter(fitting),
                 [&](const Message* part) {
                   return part->GetDescriptor() == place->GetDescriptor();
                 });
    if (!fitting.empty()) place->CopyFrom(*Pick(fitting));
  }

 private:
  int Below(int n) { return static_cast<int>(random_() % n); }
  bool OneIn(int n) { return Below(n) == 0; }
  template <class T>
  T Pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(Below(static_cast<int>(from.size())))];
  }

  /// The message and every message in it.
  static std::vector<Message*> Nodes(Message* message) {
    std::vector<Message*> nodes{message};
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      Message* node = nodes[k];
      const auto* reflection = node->GetReflection();
      std::vector<const FieldDescriptor*> fields;
      reflection->ListFields(*node, &fields);
      for (const FieldDescriptor* field : fields) {
        if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
        if (!field->is_repeated()) {
          nodes.push_back(reflection->MutableMessage(node, field));
          continue;
        }
        for (int i = 0; i < reflection->FieldSize(*node, field); ++i) {
          nodes.push_back(reflection->MutableRepeatedMessage(node, field, i));
        }
      }
    }
    return nodes;
  }

  void Change(Message* message) {
    if (auto* array = dynamic_cast<v1::Array*>(message); array && !OneIn(3)) {
      return FillArray(array);
    }
    const auto* descriptor = message->GetDescriptor();
    if (descriptor->field_count() == 0) return;
    const auto* field = descriptor->field(Below(descriptor->field_count()));
    if (field->is_repeated()) {
      ChangeRepeated(message, field);
    } else {
      ChangeSingle(message, field);
    }
  }

  /// Whole rows of mostly ordinary numbers.
  void FillArray(v1::Array* array) {
    static const std::vector<int> kColumns = {1, 2, 2, 3, 3, 3, 4, 6, 6, 7, 9};
    static const std::vector<int> kRows = {1, 1, 1, 2, 2, 3, 5, 40};
    const int columns = Pick(kColumns), count = columns * Pick(kRows);
    const bool calm = !OneIn(4);
    array->Clear();
    array->set_columns(static_cast<std::uint32_t>(columns));
    const int payload = Below(3);
    for (int k = 0; k < count; ++k) {
      const double number =
          calm && !OneIn(100) ? (Below(2001) - 1000) * 0.003 : Double(0);
      if (payload == 0) {
        array->add_values(number);
      } else if (payload == 1) {
        Append(number, array->mutable_f64());
      } else {
        Append(static_cast<float>(number), array->mutable_f32());
      }
    }
  }

  template <class T>
  static void Append(T number, std::string* bytes) {
    char raw[sizeof(T)];
    std::memcpy(raw, &number, sizeof(T));
    bytes->append(raw, sizeof(T));
  }

  void ChangeRepeated(Message* message, const FieldDescriptor* field) {
    const auto* reflection = message->GetReflection();
    const int size = reflection->FieldSize(*message, field);
    const int what = Below(4);
    if (size == 0 || (what == 0 && size < kMaxRepeated)) {
      return AddElement(message, field);
    }
    if (what == 1) return reflection->RemoveLast(message, field);
    if (what == 2) {
      return reflection->SwapElements(message, field, Below(size), Below(size));
    }
    ChangeElement(message, field, Below(size));
  }

  void ChangeSingle(Message* message, const FieldDescriptor* field) {
    const auto* reflection = message->GetReflection();
    if (field->has_presence() && reflection->HasField(*message, field) &&
        OneIn(4)) {
      return reflection->ClearField(message, field);
    }
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return Change(reflection->MutableMessage(message, field));
      case FieldDescriptor::CPPTYPE_STRING:
        return reflection->SetString(
            message, field,
            String(reflection->GetString(*message, field), field));
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return reflection->SetDouble(
            message, field, Double(reflection->GetDouble(*message, field)));
      case FieldDescriptor::CPPTYPE_ENUM:
        return reflection->SetEnumValue(message, field, Enum(field));
      case FieldDescriptor::CPPTYPE_BOOL:
        return reflection->SetBool(message, field, OneIn(2));
      case FieldDescriptor::CPPTYPE_INT32:
        return reflection->SetInt32(message, field,
                                    static_cast<std::int32_t>(Integer()));
      case FieldDescriptor::CPPTYPE_UINT32:
        return reflection->SetUInt32(message, field,
                                     static_cast<std::uint32_t>(Integer()));
      case FieldDescriptor::CPPTYPE_INT64:
        return reflection->SetInt64(message, field, Integer());
      case FieldDescriptor::CPPTYPE_UINT64:
        return reflection->SetUInt64(message, field,
                                     static_cast<std::uint64_t>(Integer()));
      case FieldDescriptor::CPPTYPE_FLOAT:
        return reflection->SetFloat(message, field,
                                    static_cast<float>(Double(0)));
    }
  }

  void AddElement(Message* message, const FieldDescriptor* field) {
    const auto* reflection = message->GetReflection();
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return Change(reflection->AddMessage(message, field));
      case FieldDescriptor::CPPTYPE_STRING:
        return reflection->AddString(message, field, String({}, field));
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return reflection->AddDouble(message, field, Double(0));
      case FieldDescriptor::CPPTYPE_ENUM:
        return reflection->AddEnumValue(message, field, Enum(field));
      case FieldDescriptor::CPPTYPE_UINT32:
        return reflection->AddUInt32(message, field,
                                     static_cast<std::uint32_t>(Integer()));
      default:  // the contract repeats nothing else
        return;
    }
  }

  void ChangeElement(Message* message, const FieldDescriptor* field, int k) {
    const auto* reflection = message->GetReflection();
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return Change(reflection->MutableRepeatedMessage(message, field, k));
      case FieldDescriptor::CPPTYPE_STRING:
        return reflection->SetRepeatedString(
            message, field, k,
            String(reflection->GetRepeatedString(*message, field, k), field));
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return reflection->SetRepeatedDouble(
            message, field, k,
            Double(reflection->GetRepeatedDouble(*message, field, k)));
      case FieldDescriptor::CPPTYPE_ENUM:
        return reflection->SetRepeatedEnumValue(message, field, k, Enum(field));
      case FieldDescriptor::CPPTYPE_UINT32:
        return reflection->SetRepeatedUInt32(
            message, field, k, static_cast<std::uint32_t>(Integer()));
      default:
        return;
    }
  }

  double Double(double before) {
    using Limits = std::numeric_limits<double>;
    static const std::vector<double> kWild = {0.0,
                                              -0.0,
                                              1.0,
                                              -1.0,
                                              0.5,
                                              1e-6,
                                              1e-12,
                                              1e-300,
                                              Limits::denorm_min(),
                                              1e9,
                                              1e16,
                                              1e38,
                                              3.5e38,
                                              1e154,
                                              1e155,
                                              1e300,
                                              Limits::max(),
                                              -Limits::max(),
                                              Limits::infinity(),
                                              -Limits::infinity(),
                                              Limits::quiet_NaN()};
    if (OneIn(4)) return -before;
    if (OneIn(4)) return before * 1.5 + 0.01;
    if (OneIn(3)) return (Below(2001) - 1000) * 0.01;
    return Pick(kWild);
  }

  std::int64_t Integer() {
    using Limits = std::numeric_limits<std::int64_t>;
    static const std::vector<std::int64_t> kWild = {-1,
                                                    1000,
                                                    1001,
                                                    65'535,
                                                    65'536,
                                                    2'147'483'647,
                                                    2'147'483'648,
                                                    4'294'967'295,
                                                    4'294'967'296,
                                                    9'223'372'036,
                                                    9'223'372'037,
                                                    Limits::max(),
                                                    Limits::min(),
                                                    Limits::max() / 8};
    return OneIn(3) ? Pick(kWild) : Below(12);
  }

  int Enum(const FieldDescriptor* field) {
    if (OneIn(12)) return Below(40) - 5;
    const auto* type = field->enum_type();
    return type->value(Below(type->value_count()))->number();
  }

  std::string String(std::string before, const FieldDescriptor* field) {
    const auto words = Words();
    if (!words.empty() && OneIn(2)) {
      before = words[static_cast<std::size_t>(
          Below(static_cast<int>(words.size())))];
      if (!OneIn(4)) return before;
    }
    if (OneIn(20)) return {};
    if (OneIn(40)) return std::string(kMaxText, 'x');
    const std::size_t size = std::min(before.size(), kMaxText);
    before.resize(kMaxText);
    before.resize(LLVMFuzzerMutate(
        reinterpret_cast<std::uint8_t*>(before.data()), size, kMaxText));
    if (field->type() == FieldDescriptor::TYPE_STRING) {
      for (std::size_t bad = FindInvalidUtf8(before); bad != std::string::npos;
           bad = FindInvalidUtf8(before)) {
        before[bad] = '?';
      }
    }
    return before;
  }

  std::minstd_rand random_;
};

std::unique_ptr<Message> Parsed(const std::uint8_t* data, std::size_t size) {
  std::unique_ptr<Message> message = NewInput();
  if (!ParseInput(Text(data, size), message.get())) message->Clear();
  return message;
}

/// 0 when it does not fit.
std::size_t Print(const Message& message, std::uint8_t* out,
                  std::size_t max_size) {
  const std::string text = PrintInput(message);
  if (text.size() > max_size) return 0;
  std::copy(text.begin(), text.end(), out);
  return text.size();
}

}  // namespace
}  // namespace torqued::fuzz

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                    std::size_t max_size, unsigned int seed) {
  using namespace torqued::fuzz;  // NOLINT(google-build-using-namespace)
  const auto message = Parsed(data, size);
  Mutator(seed).Mutate(message.get());
  const std::size_t printed = Print(*message, data, max_size);
  return printed == 0 ? size : printed;
}

std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* data1,
                                      std::size_t size1,
                                      const std::uint8_t* data2,
                                      std::size_t size2, std::uint8_t* out,
                                      std::size_t max_size, unsigned int seed) {
  using namespace torqued::fuzz;  // NOLINT(google-build-using-namespace)
  const auto message = Parsed(data1, size1);
  Mutator(seed).Cross(*Parsed(data2, size2), message.get());
  return Print(*message, out, max_size);
}
