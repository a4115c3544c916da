#include "server/wire/message_bytes.h"

#include <gtest/gtest.h>

#include <string>

#include "torqued/v1/dynamics.grpc.pb.h"

namespace torqued::server {
namespace {

v1::Echo FullEcho() {
  v1::Echo echo;
  echo.set_model("m");
  echo.set_revision(std::string(64, 'r'));
  echo.add_joint_names("one");
  echo.mutable_terms()->add_gravity(-9.81);
  echo.set_precision(v1::PRECISION_SINGLE);
  return echo;
}

v1::Timing SomeTiming() {
  v1::Timing timing;
  timing.mutable_queue()->set_nanos(300);
  timing.mutable_compute()->set_seconds(4);
  return timing;
}

template <class Reply>
Reply Received(grpc::ByteBuffer* bytes) {
  Reply reply;
  EXPECT_TRUE(
      grpc::SerializationTraits<Reply>::Deserialize(bytes, &reply).ok());
  return reply;
}

TEST(ReplyBytesTest, TheEchoArrivesWithItsTiming) {
  v1::ComputeReply reply;
  reply.set_rows(7);
  const v1::Timing timing = SomeTiming();
  const std::string constant = FullEcho().SerializeAsString();
  grpc::ByteBuffer bytes;
  SerializeReply(reply, {v1::ComputeReply::kEchoFieldNumber, constant, &timing},
                 &bytes);
  *reply.mutable_echo() = FullEcho();
  *reply.mutable_echo()->mutable_timing() = timing;
  EXPECT_EQ(Received<v1::ComputeReply>(&bytes).SerializeAsString(),
            reply.SerializeAsString());
}

TEST(ReplyBytesTest, WithoutTimingItIsTheEchoAlone) {
  const std::string constant = FullEcho().SerializeAsString();
  grpc::ByteBuffer bytes;
  SerializeReply(v1::EvaluateReply(),
                 {v1::EvaluateReply::kEchoFieldNumber, constant}, &bytes);
  const auto reply = Received<v1::EvaluateReply>(&bytes);
  EXPECT_EQ(reply.echo().SerializeAsString(), constant);
  EXPECT_FALSE(reply.echo().has_timing());
}

TEST(ReplyBytesTest, RepliesAreWholeWhereverTheirPiecesEnd) {
  const std::string constant = FullEcho().SerializeAsString();
  const v1::Timing timing = SomeTiming();
  // Pieces are of one MiB: every place of the echo comes to stand at the end of
  // the first or at the beginning of the second.
  constexpr std::size_t kPiece = 1 << 20;
  for (std::size_t less = 0; less < constant.size() + 80; ++less) {
    v1::InverseDynamicsReply reply;
    reply.mutable_tau()->set_f64(std::string(kPiece - less, 't'));
    grpc::ByteBuffer bytes;
    SerializeReply(
        reply, {v1::InverseDynamicsReply::kEchoFieldNumber, constant, &timing},
        &bytes);
    const auto received = Received<v1::InverseDynamicsReply>(&bytes);
    ASSERT_EQ(received.tau().f64().size(), kPiece - less);
    ASSERT_EQ(received.echo().joint_names_size(), 1) << less;
    ASSERT_EQ(received.echo().timing().SerializeAsString(),
              timing.SerializeAsString())
        << less;
  }
}

}  // namespace
}  // namespace torqued::server
