// The calls of torqued.v1.ModelRegistry without their transport.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "server/errors/error.h"
#include "server/registry/registry.h"
#include "torqued/v1/model_registry.pb.h"

namespace torqued::server {

/// Asked before a reply is made; an error ends the call.
using AdmitBytes = std::function<std::optional<Error>(std::int64_t bytes)>;

/// Once `cancelled`, if given, returns true, parsing and listing end with an
/// error.
std::optional<Error> Handle(Registry& registry,
                            const v1::RegisterModelRequest& request,
                            v1::RegisterModelReply* reply,
                            const std::function<bool()>& cancelled = {});
std::optional<Error> Handle(Registry& registry,
                            const v1::ValidateModelRequest& request,
                            v1::ValidateModelReply* reply,
                            const std::function<bool()>& cancelled = {});
/// The source is shared instead of copied into the reply. `admit_source` is
/// asked before a model is loaded that is not at hand; here and in lists.
std::optional<Error> Handle(Registry& registry,
                            const v1::GetModelRequest& request,
                            v1::GetModelReply* reply,
                            std::shared_ptr<const std::string>* source,
                            const AdmitBytes& admit,
                            const AdmitSource& admit_source = {});
std::optional<Error> Handle(Registry& registry,
                            const v1::ListModelsRequest& request,
                            v1::ListModelsReply* reply,
                            const std::function<bool()>& cancelled = {},
                            const AdmitSource& admit_source = {});
std::optional<Error> Handle(Registry& registry,
                            const v1::DeleteModelRequest& request,
                            v1::DeleteModelReply* reply);

/// Bytes of what a request leads to beside itself, to be admitted before the
/// work: copies, the reply and its serialized form. That of GetModel is known
/// later, and admitted by Handle.
std::int64_t RoomFor(const v1::RegisterModelRequest& request);
std::int64_t RoomFor(const v1::ValidateModelRequest& request);
std::int64_t RoomFor(const v1::GetModelRequest& request);
std::int64_t RoomFor(const v1::ListModelsRequest& request);
std::int64_t RoomFor(const v1::DeleteModelRequest& request);

/// The model that a request is about, for the log.
const std::string& ModelOf(const v1::RegisterModelRequest& request);
const std::string& ModelOf(const v1::ValidateModelRequest& request);
const std::string& ModelOf(const v1::GetModelRequest& request);
const std::string& ModelOf(const v1::ListModelsRequest& request);
const std::string& ModelOf(const v1::DeleteModelRequest& request);

/// What a call changed, for the log; nothing for calls that only read.
std::string ChangeOf(const v1::RegisterModelRequest& request,
                     const v1::RegisterModelReply& reply);
std::string ChangeOf(const v1::DeleteModelRequest& request,
                     const v1::DeleteModelReply& reply);
template <class Request, class Reply>
std::string ChangeOf(const Request& /*request*/, const Reply& /*reply*/) {
  return {};
}

}  // namespace torqued::server
