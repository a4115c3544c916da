#include "client/cli/request_flags.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <ostream>
#include <sstream>
#include <utility>

#include "client/cli/document.h"
#include "client/cli/errors.h"
#include "client/cli/formats/text.h"
#include "client/cli/terminal.h"
#include "server/flags/options.h"

namespace torqued::cli {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr const char* kWrenches = "external_wrenches_on_robot";
constexpr const char* kCanonical = "canonical";

std::string Comment(std::string_view field) {
  static const std::map<std::string_view, const char*> kComments = {
#define TORQUED_FIELD_COMMENT(name, text) {name, text},
#include "torqued/v1/tables.inc"
  };
  const auto found = kComments.find(field);
  return found == kComments.end() ? "" : found->second;
}

bool IsPayload(const FieldDescriptor& field) {
  return field.message_type() == v1::Payload::descriptor();
}

/// Calls `use` with those fields of the message and of the messages in it, and
/// with the way to each.
template <class Use>
void ForEach(const Descriptor& message, const Fields& fields, const Use& use,
             std::vector<const FieldDescriptor*> way = {}) {
  for (int k = 0; k < message.field_count(); ++k) {
    const FieldDescriptor& field = *message.field(k);
    if (fields.contains(field.name())) {
      use(field, way);
    } else if (field.message_type() != nullptr && !field.is_repeated() &&
               !IsPayload(field)) {
      way.push_back(&field);
      ForEach(*field.message_type(), fields, use, way);
      way.pop_back();
    }
  }
}

void Set(const std::string& flag, const std::string& text,
         const FieldDescriptor& field, Message* message) {
  const google::protobuf::Reflection& set = *message->GetReflection();
  const bool many = field.is_repeated();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      set.SetBool(message, &field, text != "false");
      break;
    case FieldDescriptor::CPPTYPE_DOUBLE: {
      const double number = RequiredNumber(flag, text);
      many ? set.AddDouble(message, &field, number)
           : set.SetDouble(message, &field, number);
      break;
    }
    case FieldDescriptor::CPPTYPE_ENUM: {
      const auto* value = FindEnumFlag(*field.enum_type(), text);
      if (value == nullptr) {
        throw UsageError(flag, "'", PlainText(text, 40), "' must be one of ",
                         Joined(EnumFlags(*field.enum_type())));
      }
      many ? set.AddEnum(message, &field, value)
           : set.SetEnum(message, &field, value);
      break;
    }
    default:
      many ? set.AddString(message, &field, text)
           : set.SetString(message, &field, text);
  }
}

void SetPayload(const std::string& flag, const std::string& text,
                const CLI::Option& frame, v1::Payload* payload) {
  const std::vector<double> numbers = ParseNumbers(flag, text);
  if (numbers.size() != 1 && numbers.size() != 4 && numbers.size() != 10) {
    throw UsageError(flag, "takes 1, 4 or 10 numbers");
  }
  const auto begin = numbers.begin();
  payload->set_mass(*begin);
  if (numbers.size() > 1) {
    payload->mutable_center_of_mass()->Add(begin + 1, begin + 4);
  }
  if (numbers.size() > 4) {
    payload->mutable_inertia()->Add(begin + 4, numbers.end());
  }
  if (frame.count() > 0) payload->set_frame(frame.results().front());
}

// "FRAME" or "FRAME:REFERENCE".
v1::WrenchPlace PlaceOf(const std::string& text) {
  v1::WrenchPlace place;
  place.set_frame(text);
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return place;
  const auto* reference =
      FindEnumFlag(*v1::ReferenceFrame_descriptor(), text.substr(colon + 1));
  if (reference == nullptr) return place;
  place.set_frame(text.substr(0, colon));
  place.set_reference_frame(
      static_cast<v1::ReferenceFrame>(reference->number()));
  return place;
}

void AddWrench(const std::string& flag, const std::string& text,
               client::Batch* all, v1::Options* options) {
  // Numbers have none; names of links may.
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos) {
    throw UsageError(flag, "takes FRAME[:REFERENCE]=NUMBERS");
  }
  const client::Batch wrench = ParseBatch(flag, {text.substr(equals + 1)});
  if (wrench.cols() != 6) {
    throw UsageError(flag, "takes 6 numbers, moment and force");
  }
  *options->add_external_wrenches() = PlaceOf(text.substr(0, equals));
  if (all->size() == 0) {
    *all = wrench;
    return;
  }
  if (all->rows() != wrench.rows()) {
    throw UsageError(flag, "the wrenches have ", all->rows(), " and ",
                     wrench.rows(), " rows");
  }
  client::Batch both(wrench.rows(), all->cols() + 6);
  both << *all, wrench;
  *all = std::move(both);
}

/// "joint_names" and "[3].x" of "joint_names[3].x".
std::pair<std::string, std::string_view> Split(std::string_view path) {
  const std::size_t end = std::min(path.find_first_of(".[:"), path.size());
  return {std::string(path.substr(0, end)), path.substr(end)};
}

}  // namespace

std::string FlagOf(std::string_view field) {
  std::string flag = "--" + std::string(field);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

Fields FieldsOf(v1::Quantity quantity) {
  static const std::multimap<std::string, std::string> kFields = {
#define TORQUED_INPUT_WORD(word, field) {word, field},
#include "torqued/v1/tables.inc"
  };
  const v1::QuantityInfo& info = v1::Quantity_descriptor()
                                     ->FindValueByNumber(quantity)
                                     ->options()
                                     .GetExtension(v1::quantity_info);
  Fields fields;
  std::istringstream words(info.needs() + " " + info.uses());
  std::string word = "all";
  do {
    const auto [begin, end] = kFields.equal_range(word);
    if (begin == end) fields.insert(word);
    for (auto it = begin; it != end; ++it) fields.insert(it->second);
  } while (words >> word);
  return fields;
}

Fields FieldsOf(const Descriptor& message) {
  Fields fields;
  for (int k = 0; k < message.field_count(); ++k) {
    const FieldDescriptor& field = *message.field(k);
    if (field.message_type() == nullptr || IsPayload(field)) {
      fields.insert(field.name());
    } else if (!field.is_repeated()) {
      fields.merge(FieldsOf(*field.message_type()));
    }
  }
  return fields;
}

void AddFieldFlags(CLI::App* command, const Descriptor& message,
                   const Fields& fields) {
  ForEach(message, fields, [command](const FieldDescriptor& field, auto&&) {
    const std::string flag = FlagOf(field.name());
    std::string help = Comment(field.full_name());
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_BOOL) {
      command->add_flag(flag, std::as_const(help));
      return;
    }
    if (IsPayload(field)) {
      help += " mass[,x,y,z[,ixx,ixy,ixz,iyy,iyz,izz]] in kg, m, kg m^2.";
      const std::string frame = Comment("torqued.v1.Payload.frame");
      command->add_option(flag + "-frame", frame)
          ->needs(command->add_option(flag, std::as_const(help)));
      return;
    }
    if (field.is_repeated()) help += " a,b,...";
    CLI::Option* option = command->add_option(flag, std::as_const(help));
    if (field.enum_type() == nullptr) return;
    std::vector<std::string> names = EnumFlags(*field.enum_type());
    if (field.is_repeated()) {
      option->description(help + " of " + Joined(names));
    } else {
      flags::OneOf(option, std::move(names));
    }
  });
}

void ReadFieldFlags(const CLI::App& command, const Fields& fields,
                    Message* message) {
  ForEach(*message->GetDescriptor(), fields,
          [&](const FieldDescriptor& field, const auto& way) {
            const std::string flag = FlagOf(field.name());
            const CLI::Option& option = *command.get_option(flag);
            if (option.count() == 0) return;
            Message* at = message;
            for (const FieldDescriptor* step : way) {
              at = at->GetReflection()->MutableMessage(at, step);
            }
            const std::string& text = option.results().front();
            if (IsPayload(field)) {
              SetPayload(flag, text, *command.get_option(flag + "-frame"),
                         static_cast<v1::Options*>(at)->mutable_payload());
              return;
            }
            const auto texts =
                field.is_repeated() ? SplitList(text, ',') : std::vector{text};
            for (const std::string& one : texts) Set(flag, one, field, at);
          });
}

void AddTableFlags(CLI::App* command, const Fields& fields) {
  ForEach(*v1::EvaluateChunk::descriptor(), fields,
          [command](const FieldDescriptor& field, auto&&) {
            const v1::TableInfo& info =
                field.options().GetExtension(v1::table_info);
            std::string help = Cat(Comment(field.full_name()), " [",
                                   info.shape(), "; ", info.unit(), "]");
            if (field.name() == kWrenches) {
              help += " FRAME[:REFERENCE]=NUMBERS, repeatable";
            }
            command->add_option(FlagOf(field.name()), std::as_const(help))
                ->expected(1, CLI::detail::expected_max_vector_size)
                ->allow_extra_args(false);
          });
}

client::States ReadTableFlags(const CLI::App& command, const Fields& fields,
                              v1::Options* options) {
  client::States states;
  const std::pair<const char*, client::Batch*> tables[] = {
#define TORQUED_INPUT_TABLE(name) {#name, &states.name},
#include "torqued/v1/tables.inc"
  };
  for (const auto& [name, batch] : tables) {
    if (!fields.contains(name)) continue;
    const std::string flag = FlagOf(name);
    const std::vector<std::string>& given = command.get_option(flag)->results();
    if (name != std::string_view(kWrenches)) {
      *batch = ParseBatch(flag, given);
      continue;
    }
    for (const std::string& wrench : given) {
      AddWrench(flag, wrench, batch, options);
    }
  }
  if (states.gravity.rows() == 1) {
    options->mutable_terms()->mutable_gravity()->Add(
        states.gravity.data(), states.gravity.data() + states.gravity.size());
    states.gravity = {};
  }
  return states;
}

void AddModelFlag(CLI::App* command, std::string* model) {
  command
      ->add_option("--model,-m", *model,
                   "Model reference: NAME, NAME@REVISION, NAME@LABEL, "
                   "@REVISION; with a local server also a URDF file")
      ->required();
}

std::optional<std::vector<std::string>> TakeJointOrder(v1::Options* options) {
  if (options->joint_names().empty()) return std::nullopt;
  std::vector<std::string> names(options->joint_names().begin(),
                                 options->joint_names().end());
  options->clear_joint_names();
  if (names == std::vector<std::string>{kCanonical}) names.clear();
  return names;
}

FlagNames::FlagNames(const CLI::App& app) {
  const CLI::App* command = &app;
  for (auto below = command->get_subcommands(); !below.empty();
       below = command->get_subcommands()) {
    command = below.front();
  }
  // Its own, and the global ones.
  for (const CLI::App* one : {command, &app}) {
    for (const CLI::Option* option : one->get_options()) {
      flags_.emplace(option->get_name(),
                     option->count() > 0 ? option->results().front() : "");
    }
  }
}

std::string FlagNames::Flag(const std::string& name) const {
  std::string flag = FlagOf(name);
  if (flags_.contains(flag)) return flag;
  // The list external_wrenches stands in --external-wrenches-on-robot.
  const auto longer = flags_.lower_bound(flag + "-");
  if (longer != flags_.end() && longer->first.starts_with(flag + "-")) {
    return longer->first;
  }
  std::string word = name;
  std::transform(word.begin(), word.end(), word.begin(), ::toupper);
  return flags_.contains(word) ? word : "";
}

std::string FlagNames::Of(std::string_view field) const {
  static const std::multimap<std::string, std::string> kFiles = {
      {"q", "--states"},      {"q", "FILE"},
      {"v", "--states"},      {"v", "FILE"},
      {"a", "--states"},      {"a", "FILE"},
      {"tau", "--states"},    {"source", "FILE"},
      {"drives", "--limits"}, {"position_limits", "--limits"}};
  std::string_view path = field;
  for (const std::string_view message : {"start.", "chunk.", "samples."}) {
    if (path.starts_with(message)) path.remove_prefix(message.size());
  }
  const auto [begin, end] = kFiles.equal_range(Split(path).first);
  for (auto file = begin; file != end; ++file) {
    const auto given = flags_.find(file->second);
    if (given == flags_.end() || given->second.empty()) continue;
    return path == "source" ? given->second : Cat(given->second, ": ", path);
  }
  while (!path.empty()) {
    auto [name, rest] = Split(path);
    const bool has_member = rest.starts_with('.');
    if (has_member) {
      const auto [member, behind] = Split(rest.substr(1));
      const std::string flag = Flag(Cat(name, "_", member));
      if (!flag.empty()) return Cat(flag, behind);
    }
    std::string flag = Flag(name);
    // The table of a tip wrench has no such member.
    if (!flag.empty() && rest == ".wrench") return flag;
    if (!flag.empty() && has_member) return Cat(flag, " ", rest.substr(1));
    if (!flag.empty()) return Cat(flag, rest);
    path = has_member ? rest.substr(1) : "";
  }
  return std::string(field);
}

std::string ErrorLine(const client::Error& error, const FlagNames& names) {
  const client::Error::Details& details = error.details();
  std::string line = details.reason.empty() ? client::ToString(error.code())
                                            : PlainText(details.reason);
  std::string_view sentence = error.what();
  if (!details.field_violations.empty()) {
    const std::string& field = details.field_violations.front().field;
    line += " (" + PlainText(names.Of(field)) + ")";
    // Once is enough.
    if (sentence.starts_with(field + ": ")) {
      sentence.remove_prefix(field.size() + 2);
    }
  }
  return line + ": " + PlainText(sentence);
}

void PrintError(const client::Error& error, const FlagNames& names,
                std::ostream& out) {
  const client::Error::Details& details = error.details();
  out << "torquectl: " << ErrorLine(error, names) << "\n";
  if (!details.reason.empty()) {
    out << "  status: " << client::ToString(error.code()) << "\n";
  }
  for (const auto& [field, description] : details.field_violations) {
    // One that repeats the sentence says nothing new.
    if (std::string_view(error.what()).ends_with(description)) continue;
    out << "  " << PlainText(names.Of(field)) << ": " << PlainText(description)
        << "\n";
  }
  for (const auto& [key, value] : details.metadata) {
    out << "  " << PlainText(key) << " = " << PlainText(value) << "\n";
  }
  if (details.retry_delay) {
    const std::chrono::duration<double> delay = *details.retry_delay;
    out << "  try again after " << delay.count() << " s\n";
  }
}

}  // namespace torqued::cli
