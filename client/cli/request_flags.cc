#include "client/cli/request_flags.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_replace.h>
#include <google/protobuf/text_format.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <ostream>
#include <sstream>
#include <utility>

#include "client/cli/document.h"
#include "client/cli/errors.h"
#include "client/cli/formats/text.h"
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
  std::string value = text;
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
    field.is_repeated() ? set.AddString(message, &field, text)
                        : set.SetString(message, &field, text);
    return;
  }
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE) {
    value = NumberText(RequiredNumber(flag, text));
  } else if (const auto* type = field.enum_type()) {
    const auto* found = FindEnumFlag(*type, text);
    if (found == nullptr) {
      throw UsageError(flag, "'", PlainText(text, 40), "' must be one of ",
                       Joined(EnumFlags(*type)));
    }
    value = found->name();
  }
  google::protobuf::TextFormat::Parser().ParseFieldValueFromString(
      value, &field, message);
}

void SetPayload(const std::string& flag, const std::string& text,
                const CLI::Option& frame, v1::Payload* payload) {
  int count = 0;
  for (const double number : ParseNumbers(flag, text)) {
    ++count == 1 ? payload->set_mass(number)
    : count <= 4 ? payload->mutable_center_of_mass()->Add(number)
                 : payload->mutable_inertia()->Add(number);
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
  const client::Batch wrench =
      equals == std::string::npos ? client::Batch()
                                  : ParseBatch(flag, {text.substr(equals + 1)});
  if (wrench.cols() != 6) {
    throw UsageError(
        flag, "takes FRAME[:REFERENCE]=NUMBERS, moment and force: 6 in a row");
  }
  if (all->size() > 0 && all->rows() != wrench.rows()) {
    throw UsageError(flag, "the wrenches have ", all->rows(), " and ",
                     wrench.rows(), " rows");
  }
  *options->add_external_wrenches() = PlaceOf(text.substr(0, equals));
  all->conservativeResize(wrench.rows(), all->cols() + 6);
  all->rightCols<6>() = wrench;
}

/// "joint_names" and "[3].x" of "joint_names[3].x".
std::pair<std::string, std::string_view> Split(std::string_view path) {
  const std::size_t end = std::min(path.find_first_of(".[:"), path.size());
  return {std::string(path.substr(0, end)), path.substr(end)};
}

/// Empty if the command has none for a field of this name.
std::string KnownFlag(const FlagValues& flags, const std::string& name) {
  std::string flag = FlagOf(name);
  if (flags.contains(flag)) return flag;
  // The list external_wrenches is set by --external-wrenches-on-robot.
  const auto longer = flags.lower_bound(flag + "-");
  if (longer != flags.end() && longer->first.starts_with(flag + "-")) {
    return longer->first;
  }
  const std::string word = absl::AsciiStrToUpper(name);
  return flags.contains(word) ? word : "";
}

}  // namespace

std::string FlagOf(std::string_view field) {
  return "--" + absl::StrReplaceAll(std::string(field), {{"_", "-"}});
}

Fields FieldsOf(v1::Quantity quantity) {
  static const std::multimap<std::string, std::string> kInputFields = {
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
    const auto [begin, end] = kInputFields.equal_range(word);
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

FlagValues FlagsOf(const CLI::App& app) {
  const CLI::App* command = &app;
  for (auto below = command->get_subcommands(); !below.empty();
       below = command->get_subcommands()) {
    command = below.front();
  }
  FlagValues flags;
  for (const CLI::App* one : {command, &app}) {
    for (const CLI::Option* option : one->get_options()) {
      flags.emplace(option->get_name(),
                    option->count() > 0 ? option->results().front() : "");
    }
  }
  return flags;
}

std::string FlagOfPath(const FlagValues& flags, std::string_view field) {
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
    const auto given = flags.find(file->second);
    if (given == flags.end() || given->second.empty()) continue;
    return path == "source" ? given->second : Cat(given->second, ": ", path);
  }
  while (!path.empty()) {
    const auto [name, rest] = Split(path);
    path = rest.starts_with('.') ? rest.substr(1) : "";
    const auto [member, behind] = Split(path);
    const std::string long_flag = KnownFlag(flags, Cat(name, "_", member));
    if (!long_flag.empty()) return Cat(long_flag, behind);
    const std::string flag = KnownFlag(flags, name);
    // The table of a tip wrench has no such member.
    if (!flag.empty()) return rest == ".wrench" ? flag : Cat(flag, rest);
  }
  return std::string(field);
}

std::string ErrorLine(const client::Error& error, const FlagValues& flags) {
  const client::Error::Details& details = error.details();
  std::string line = details.reason.empty() ? client::ToString(error.code())
                                            : PlainText(details.reason);
  std::string_view sentence = error.what();
  if (!details.field_violations.empty()) {
    const std::string& field = details.field_violations.front().field;
    line += " (" + PlainText(FlagOfPath(flags, field)) + ")";
    // Once is enough.
    if (sentence.starts_with(field + ": ")) {
      sentence.remove_prefix(field.size() + 2);
    }
  }
  return line + ": " + PlainText(sentence);
}

void PrintError(const client::Error& error, const FlagValues& flags,
                std::ostream& out) {
  const client::Error::Details& details = error.details();
  out << "torquectl: " << ErrorLine(error, flags) << "\n";
  if (!details.reason.empty()) {
    out << "  status: " << client::ToString(error.code()) << "\n";
  }
  for (const auto& [field, description] : details.field_violations) {
    // One that repeats the sentence says nothing new.
    if (std::string_view(error.what()).ends_with(description)) continue;
    out << "  " << PlainText(FlagOfPath(flags, field)) << ": "
        << PlainText(description) << "\n";
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
