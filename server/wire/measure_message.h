// A look at a message before it is parsed.
#pragma once

#include <google/protobuf/io/zero_copy_stream.h>
#include <grpcpp/support/byte_buffer.h>

#include <cstdint>
#include <string_view>

#include "server/errors/error.h"
#include "server/wire/message_shape.h"

namespace torqued::server {

/// What the bytes of a message come to.
struct MessageMeasure {
  /// Upper bound of the memory of the parsed message.
  std::int64_t decoded_bytes = 0;
  /// Of all its lists, also those of messages in it.
  std::int64_t list_elements = 0;
};

/// One pass over tags and lengths, without a copy; texts and packed numbers of
/// fixed size are passed over. REQUEST_TOO_LARGE names a field that comes more
/// often than kMaxElements; INVALID_FIELD: protobuf would not take the bytes
/// for such a message. Whether texts are UTF-8 is left to protobuf.
OrError<MessageMeasure> Measure(const grpc::ByteBuffer& bytes,
                                const MessageShape& shape);
/// `length`: bytes in the stream.
OrError<MessageMeasure> Measure(google::protobuf::io::ZeroCopyInputStream* in,
                                std::int64_t length, const MessageShape& shape);

/// The bytes are no such message.
Error NoRequest(std::string_view message);

}  // namespace torqued::server
