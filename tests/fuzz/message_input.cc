#include "tests/fuzz/message_input.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/text_format.h>

namespace torqued::fuzz {
namespace {

class Silence : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int, int, const std::string&) override {}
};

}  // namespace

bool ParseInput(std::string_view text, google::protobuf::Message* message) {
  Silence silence;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&silence);
  google::protobuf::io::ArrayInputStream stream(text.data(),
                                                static_cast<int>(text.size()));
  return parser.Parse(&stream, message);
}

std::string PrintInput(const google::protobuf::Message& message) {
  std::string text;
  google::protobuf::TextFormat::PrintToString(message, &text);
  return text;
}

bool ThroughTheWire(const google::protobuf::Message& from,
                    google::protobuf::Message* to) {
  const google::protobuf::LogSilencer silence;
  return to->ParseFromString(from.SerializeAsString());
}

}  // namespace torqued::fuzz
