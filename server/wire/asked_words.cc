#include <algorithm>
#include <cctype>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "server/wire/verdict_words.h"

namespace torqued::server {
namespace {

using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

std::string Joined(const std::vector<std::string>& parts, const char* between) {
  std::string text;
  for (const std::string& part : parts) {
    text += (text.empty() ? "" : between) + part;
  }
  return text;
}

/// "rank_tolerance" as "rank tolerance".
std::string Spaced(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

/// REFERENCE_FRAME_WORLD as "world".
std::string Words(const EnumValueDescriptor& value) {
  std::string prefix = value.type()->value(0)->name();
  prefix.resize(prefix.rfind('_') + 1);  // of _UNSPECIFIED
  std::string words = Spaced(value.name().substr(prefix.size()));
  for (char& c : words) c = static_cast<char>(std::tolower(c));
  return words;
}

std::string FirstString(const Message& message) {
  return message.GetReflection()->GetString(message,
                                            message.GetDescriptor()->field(0));
}

/// Puts the fields of a message into words, as their OptionInfo says.
class OptionWriter {
 public:
  OptionWriter(const std::set<std::string>& sliding,
               v1::TrajectoryVerdict* verdict)
      : sliding_(sliding), verdict_(*verdict) {}

  void Write(const Message& message) {
    for (int k = 0; k < message.GetDescriptor()->field_count(); ++k) {
      Write(message, *message.GetDescriptor()->field(k));
    }
  }

  void Add(const std::string& title, std::string words, bool given = true) {
    if (last_ != nullptr && last_->title() == title) {
      if (!given) return;
      if (last_given_) words = Cat(last_->words(), ", ", words);
    } else {
      last_ = verdict_.add_asked_words();
      last_->set_title(title);
    }
    last_->set_words(std::move(words));
    last_given_ = given;
  }

 private:
  static const v1::OptionInfo& Info(const FieldDescriptor& field) {
    return field.options().GetExtension(v1::option_info);
  }

  static bool IsGiven(const Message& message, const FieldDescriptor& field) {
    return field.is_repeated()
               ? message.GetReflection()->FieldSize(message, &field) > 0
               : message.GetReflection()->HasField(message, &field);
  }

  void Write(const Message& message, const FieldDescriptor& field) {
    const v1::OptionInfo& info = Info(field);
    const std::string title =
        info.title().empty() ? Spaced(field.name()) : info.title();
    const bool is_message = field.message_type() != nullptr;
    if (!IsGiven(message, field)) {
      if (!info.absent().empty()) Add(title, info.absent(), false);
    } else if (is_message && field.is_repeated()) {
      // Of one joint each, which the first field names.
      const auto& all = *message.GetReflection();
      for (int k = 0; k < all.FieldSize(message, &field); ++k) {
        const Message& item = all.GetRepeatedMessage(message, &field, k);
        const std::string joint = FirstString(item);
        slides_ = sliding_.contains(joint);
        const std::string parts = Parts(item, 1);
        Add(Cat(title, " ", joint),
            parts.empty() ? "that of the model" : parts);
      }
    } else if (is_message && info.title().empty()) {
      Write(message.GetReflection()->GetMessage(message, &field));
    } else {
      Add(title,
          Filled(info.words().empty() ? "{}" : info.words(), message, field));
    }
  }

  /// "mass 2 kg, frame tool" for the fields from `first` on.
  std::string Parts(const Message& message, int first = 0) const {
    std::vector<std::string> parts;
    for (int k = first; k < message.GetDescriptor()->field_count(); ++k) {
      const FieldDescriptor& field = *message.GetDescriptor()->field(k);
      const std::string& words = Info(field).words();
      if (IsGiven(message, field)) {
        parts.push_back(
            Filled(words.empty() ? Spaced(field.name()) + " {}" : words,
                   message, field));
      } else if (!Info(field).absent().empty()) {
        parts.push_back(Info(field).absent());
      }
    }
    return Joined(parts, ", ");
  }

  std::string Filled(std::string words, const Message& message,
                     const FieldDescriptor& field) const {
    const std::size_t mark = words.find("{}");
    if (mark == std::string::npos) return words;
    return words.replace(mark, 2, Value(message, field));
  }

  /// With its unit.
  std::string Value(const Message& message,
                    const FieldDescriptor& field) const {
    const auto& get = *message.GetReflection();
    const bool numbers = field.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE;
    std::string text;
    if (field.is_repeated()) {
      std::vector<std::string> values;
      for (int k = 0; k < get.FieldSize(message, &field); ++k) {
        switch (field.cpp_type()) {
          case FieldDescriptor::CPPTYPE_DOUBLE:
            values.push_back(
                NumberText(get.GetRepeatedDouble(message, &field, k)));
            break;
          case FieldDescriptor::CPPTYPE_ENUM:
            values.push_back(Words(*get.GetRepeatedEnum(message, &field, k)));
            break;
          case FieldDescriptor::CPPTYPE_MESSAGE:
            values.push_back(Point(get.GetRepeatedMessage(message, &field, k)));
            break;
          default:
            values.push_back(get.GetRepeatedString(message, &field, k));
        }
      }
      text =
          numbers ? Cat("(", Joined(values, " "), ")") : Joined(values, ", ");
    } else if (numbers) {
      text = NumberText(get.GetDouble(message, &field));
    } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_ENUM) {
      text = Words(*get.GetEnum(message, &field));
    } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      text = Parts(get.GetMessage(message, &field));
    } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_BOOL) {
      text = "yes";
    } else {
      text = get.GetString(message, &field);
    }
    const std::string& units = Info(field).unit();
    if (units.empty()) return text;
    const std::size_t bar = units.find(" | ");
    if (bar == std::string::npos) return Cat(text, " ", units);
    return Cat(text, " ",
               slides_ ? units.substr(bar + 3) : units.substr(0, bar));
  }

  /// "1.5 rad/s: 20 N m": all fields, be they 0.
  std::string Point(const Message& message) const {
    std::string text;
    for (int k = 0; k < message.GetDescriptor()->field_count(); ++k) {
      text += (k == 0 ? "" : ": ") +
              Value(message, *message.GetDescriptor()->field(k));
    }
    return text;
  }

  const std::set<std::string>& sliding_;
  v1::TrajectoryVerdict& verdict_;
  v1::AskedWords* last_ = nullptr;
  bool last_given_ = false;
  bool slides_ = false;
};

/// Six numbers a sample.
std::string Wrench(std::span<const double> wrenches) {
  // Equal to itself a sample later: the same at all.
  if (!std::equal(wrenches.begin() + 6, wrenches.end(), wrenches.begin(),
                  wrenches.end() - 6)) {
    return "changes from sample to sample";
  }
  std::string numbers;
  for (const double number : wrenches.first(6)) {
    numbers += (numbers.empty() ? "" : " ") + NumberText(number);
  }
  return Cat("(", numbers, "), moment [N m] and force [N]");
}

}  // namespace

void PutAskedIntoWords(std::span<const double> wrenches,
                       std::span<const std::string> model_joints,
                       v1::TrajectoryVerdict* verdict) {
  // As it counted, and without the defaults that it spells out.
  v1::CheckTrajectoryStart asked = verdict->asked();
  v1::Options& options = *asked.mutable_options();
  asked.clear_model();
  asked.clear_tables();
  asked.clear_tip_wrench_profile();
  options.clear_encoding();
  *options.mutable_terms()->mutable_gravity() =
      verdict->echo().terms().gravity();
  if (options.has_payload()) {
    options.mutable_payload()->set_frame(verdict->echo().payload().frame());
  }
  if (options.precision() == v1::PRECISION_DOUBLE) options.clear_precision();
  if (std::ranges::equal(options.joint_names(), model_joints)) {
    options.clear_joint_names();
  }
  if (asked.derating() == 1) asked.clear_derating();
  if (wrenches.empty()) asked.clear_tip_wrench_reference_frame();

  std::set<std::string> sliding;
  for (const v1::JointDemand& joint : verdict->joints()) {
    if (joint.effort_unit() == "N") sliding.insert(joint.joint());
  }
  OptionWriter writer(sliding, verdict);
  writer.Write(asked);
  if (asked.drives().empty() && asked.position_limits().empty()) {
    writer.Add("limits", "those of the model");
  }
  if (!wrenches.empty()) {
    writer.Add("wrench of the tip on the environment", Wrench(wrenches));
  }
}

}  // namespace torqued::server
