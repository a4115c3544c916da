#include "server/connections/channelz_sockets.h"

#include <grpc/grpc.h>
#include <grpc/support/alloc.h>

#include <charconv>
#include <memory>
#include <string>
#include <string_view>

namespace torqued::server {
namespace {

struct Free {
  void operator()(char* text) const { gpr_free(text); }
};
/// JSON as gRPC writes it: without spaces, 64-bit numbers as strings.
using Json = std::unique_ptr<char, Free>;

/// The number after each `"key":"`, in order.
std::vector<std::int64_t> Numbers(std::string_view json, std::string_view key) {
  const std::string before = '"' + std::string(key) + "\":\"";
  std::vector<std::int64_t> numbers;
  for (std::size_t at = json.find(before); at != std::string_view::npos;
       at = json.find(before, at)) {
    at += before.size();
    std::int64_t number = 0;
    std::from_chars(json.data() + at, json.data() + json.size(), number);
    numbers.push_back(number);
  }
  return numbers;
}

/// gRPC leaves out what is 0.
std::int64_t Number(std::string_view json, std::string_view key) {
  const auto numbers = Numbers(json, key);
  return numbers.empty() ? 0 : numbers.front();
}

}  // namespace

ChannelzSockets::ChannelzSockets() {
  const Json json(grpc_channelz_get_servers(0));
  if (json == nullptr) return;
  const auto servers = Numbers(json.get(), "serverId");
  if (!servers.empty()) server_ = servers.back();
}

std::vector<SocketId> ChannelzSockets::From(SocketId first) const {
  const Json json(grpc_channelz_get_server_sockets(server_, first, 0));
  if (json == nullptr) return {};
  std::vector<SocketId> sockets;
  for (const std::int64_t id : Numbers(json.get(), "socketId")) {
    sockets.push_back(id);
  }
  return sockets;
}

std::optional<SocketCounts> ChannelzSockets::Read(SocketId socket) {
  const Json json(grpc_channelz_get_socket(socket));
  if (json == nullptr) return std::nullopt;
  const std::string_view text = json.get();
  return SocketCounts{
      Number(text, "streamsStarted"),
      Number(text, "streamsSucceeded") + Number(text, "streamsFailed"),
      Number(text, "messagesReceived")};
}

}  // namespace torqued::server
