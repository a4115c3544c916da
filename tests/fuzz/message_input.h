// Inputs that are protobuf messages, in text format.
#pragma once

#include <google/protobuf/message.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace torqued::fuzz {

/// Each target that takes messages defines these two: an empty message of its
/// kind, and words worth trying in its text fields.
std::unique_ptr<google::protobuf::Message> NewInput();
std::span<const std::string> Words();

/// False, without a word on stderr, for what is no text of such a message.
bool ParseInput(std::string_view text, google::protobuf::Message* message);
std::string PrintInput(const google::protobuf::Message& message);

/// As the wire does it; false for what protobuf itself refuses, such as text
/// that is not UTF-8.
bool ThroughTheWire(const google::protobuf::Message& from,
                    google::protobuf::Message* to);

}  // namespace torqued::fuzz
