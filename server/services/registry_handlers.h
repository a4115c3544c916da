// The calls of torqued.v1.ModelRegistry without their transport.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "server/errors/error.h"
#include "server/registry/registry.h"
#include "torqued/v1/model_registry.pb.h"

namespace torqued::server {

/// What a handler asks of its call, and tells it beside the reply. What is
/// absent is granted.
struct Handling {
  /// True ends parsing and listing with an error.
  std::function<bool()> cancelled;
  /// Asked for bytes of copies, of parsing, of a reply and of its serialized
  /// form before they are made; an error ends the call.
  std::function<std::optional<Error>(std::int64_t bytes)> admit;
  /// Whether a list may name the model.
  std::function<bool(std::string_view name)> may_list;

  /// Shared instead of copied into the reply.
  std::shared_ptr<const std::string> source;
  /// For the log; empty for calls that only read.
  std::string change;
};

std::optional<Error> Handle(Registry& registry,
                            const v1::RegisterModelRequest& request,
                            v1::RegisterModelReply* reply, Handling* handling);
std::optional<Error> Handle(Registry& registry,
                            const v1::ValidateModelRequest& request,
                            v1::ValidateModelReply* reply, Handling* handling);
std::optional<Error> Handle(Registry& registry,
                            const v1::GetModelRequest& request,
                            v1::GetModelReply* reply, Handling* handling);
std::optional<Error> Handle(Registry& registry,
                            const v1::ListModelsRequest& request,
                            v1::ListModelsReply* reply, Handling* handling);
std::optional<Error> Handle(Registry& registry,
                            const v1::DeleteModelRequest& request,
                            v1::DeleteModelReply* reply, Handling* handling);

}  // namespace torqued::server
