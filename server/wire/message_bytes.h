// Messages as gRPC carries them.
#pragma once

#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/proto_utils.h>

namespace torqued::server {

/// Uses the bytes up. False: they are no such message.
template <class Message>
bool ParseMessage(grpc::ByteBuffer* bytes, Message* message) {
  return grpc::SerializationTraits<Message>::Deserialize(bytes, message).ok();
}

/// In the place of what `bytes` held. The message must be under 2 GiB.
template <class Message>
void SerializeMessage(const Message& message, grpc::ByteBuffer* bytes) {
  bytes->Clear();
  bool own = false;
  grpc::SerializationTraits<Message>::Serialize(message, bytes, &own);
}

}  // namespace torqued::server
