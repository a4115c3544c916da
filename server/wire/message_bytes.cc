#include "server/wire/message_bytes.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpcpp/support/proto_buffer_writer.h>

#include <cstddef>
#include <cstdint>

namespace torqued::server {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedOutputStream;

/// Of one piece of a long reply.
constexpr int kMaxPieceBytes = 1 << 20;

/// A message in a field, but for its bytes.
class Field {
 public:
  Field(int number, std::size_t length)
      : tag_(WireFormatLite::MakeTag(
            number, WireFormatLite::WIRETYPE_LENGTH_DELIMITED)),
        length_(static_cast<std::uint32_t>(length)) {}

  std::size_t size() const {
    return CodedOutputStream::VarintSize32(tag_) +
           CodedOutputStream::VarintSize32(length_) + length_;
  }
  void Write(CodedOutputStream* out) const {
    out->WriteVarint32(tag_);
    out->WriteVarint32(length_);
  }

 private:
  std::uint32_t tag_;
  std::uint32_t length_;
};

}  // namespace

void SerializeReply(const google::protobuf::MessageLite& reply,
                    const EchoBytes& echo, grpc::ByteBuffer* bytes) {
  const bool timed = echo.timing != nullptr;
  const Field timing(v1::Echo::kTimingFieldNumber,
                     timed ? echo.timing->ByteSizeLong() : 0);
  const Field whole(echo.field,
                    echo.constant.size() + (timed ? timing.size() : 0));
  const std::size_t size = reply.ByteSizeLong() + whole.size();

  grpc::ProtoBufferWriter pieces(bytes, kMaxPieceBytes, static_cast<int>(size));
  CodedOutputStream out(&pieces);
  reply.SerializeWithCachedSizes(&out);
  whole.Write(&out);
  out.WriteRaw(echo.constant.data(), static_cast<int>(echo.constant.size()));
  if (!timed) return;
  timing.Write(&out);
  echo.timing->SerializeWithCachedSizes(&out);
}

}  // namespace torqued::server
