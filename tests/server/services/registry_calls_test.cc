#include "server/services/registry_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/registry/model_store.h"
#include "tests/server/handle.h"
#include "tests/server/robots.h"
#include "tests/server/temp_dir.h"

namespace torqued::server {
namespace {

class RegistryCallsTest : public ::testing::Test {
 protected:
  RegistryCallsTest()
      : registry_(std::make_unique<ModelStore>(directory_.File("models.db"))) {}

  v1::RegisterModelRequest Registration(const std::string& name) {
    v1::RegisterModelRequest request;
    request.set_name(name);
    request.set_source(kThreeJoints);
    return request;
  }

  TempDir directory_;
  Registry registry_;
};

TEST_F(RegistryCallsTest, ExpectedCurrentOfNothingIsNotAbsent) {
  v1::RegisterModelReply reply;
  ASSERT_FALSE(Handle(registry_, Registration("arm"), &reply));
  v1::RegisterModelRequest again = Registration("arm");
  again.set_expected_current("");
  const auto error = Handle(registry_, again, &reply);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->reason, v1::REVISION_CONFLICT);

  v1::DeleteModelRequest remove;
  remove.set_name("arm");
  remove.set_expected_current("00000000");
  v1::DeleteModelReply removed;
  const auto conflict = Handle(registry_, remove, &removed);
  ASSERT_TRUE(conflict);
  EXPECT_EQ(conflict->reason, v1::REVISION_CONFLICT);
}

TEST_F(RegistryCallsTest, OptionsReachTheModel) {
  v1::RegisterModelRequest request = Registration("arm");
  request.mutable_options()->set_default_tip("slide");
  v1::RegisterModelReply reply;
  ASSERT_FALSE(Handle(registry_, request, &reply));
  EXPECT_EQ(reply.model().tip_frame(), "slide");
  EXPECT_EQ(reply.model().options().default_tip(), "slide");
}

TEST_F(RegistryCallsTest, UnknownEnumNumbersAreNamed) {
  v1::RegisterModelReply reply;
  v1::RegisterModelRequest format = Registration("arm");
  format.set_format(static_cast<v1::ModelFormat>(2));
  auto error = Handle(registry_, format, &reply);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->reason, v1::INVALID_FIELD);
  EXPECT_EQ(error->violations[0].field, "format");

  v1::RegisterModelRequest base = Registration("arm");
  base.mutable_options()->set_base(static_cast<v1::BaseKind>(2));
  error = Handle(registry_, base, &reply);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->reason, v1::INVALID_OPTION);
  EXPECT_EQ(error->violations[0].field, "options.base");

  v1::RegisterModelRequest level = Registration("arm");
  level.mutable_options()->set_validation(static_cast<v1::Validation>(4));
  error = Handle(registry_, level, &reply);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->reason, v1::INVALID_OPTION);
  EXPECT_EQ(error->violations[0].field, "options.validation");

  v1::ValidateModelRequest mimic;
  mimic.mutable_options()->set_mimic(static_cast<v1::MimicMode>(-1));
  v1::ValidateModelReply validated;
  error = Handle(registry_, mimic, &validated);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->violations[0].field, "options.mimic");
}

// A rod whose moments are no body's, on a joint that they hardly matter to.
constexpr char kOddRod[] =
    "<robot name='odd'><link name='base'/><link name='rod'><inertial>"
    "<origin xyz='1 0 0'/><mass value='1'/><inertia ixx='0.1' iyy='0.1' "
    "izz='0.1' ixy='0.2' ixz='0' iyz='0'/></inertial></link><joint name='axle' "
    "type='continuous'><parent link='base'/><child link='rod'/>"
    "<axis xyz='0 0 1'/></joint></robot>";

TEST_F(RegistryCallsTest, ValidationIsPartOfTheRevisionAndEchoed) {
  v1::RegisterModelRequest request = Registration("odd");
  request.set_source(kOddRod);
  v1::RegisterModelReply reply;
  const auto refused = Handle(registry_, request, &reply);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->reason, v1::INVALID_MODEL);
  request.mutable_options()->set_validation(v1::VALIDATION_LENIENT);
  ASSERT_FALSE(Handle(registry_, request, &reply));
  EXPECT_EQ(reply.model().options().validation(), v1::VALIDATION_LENIENT);
  EXPECT_EQ(reply.model().report().warnings(), 1u);
  v1::ValidateModelRequest dry;
  dry.set_source(kOddRod);
  v1::ValidateModelReply validated;
  ASSERT_FALSE(Handle(registry_, dry, &validated));
  EXPECT_FALSE(validated.valid());
}

TEST_F(RegistryCallsTest, ACancelledRegistrationStoresNothing) {
  v1::RegisterModelRequest request = Registration("odd");
  request.set_source(kOddRod);
  request.mutable_options()->set_validation(v1::VALIDATION_LENIENT);
  v1::RegisterModelReply reply;
  Admission admission({1 << 30});
  Reservation room(admission);
  Handling cancelled{.room = &room, .cancelled = [] { return true; }};
  ASSERT_TRUE(Handle(registry_, request, &reply, &cancelled));
  v1::ListModelsReply listed;
  ASSERT_FALSE(Handle(registry_, v1::ListModelsRequest(), &listed));
  EXPECT_EQ(listed.models_size(), 0);
  // Nor is it remembered as broken.
  ASSERT_FALSE(Handle(registry_, request, &reply));
}

}  // namespace
}  // namespace torqued::server
