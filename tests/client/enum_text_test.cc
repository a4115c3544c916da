#include "client/cli/enum_text.h"

#include <gmock/gmock.h>

#include "torqued/v1/dynamics.pb.h"
#include "torqued/v1/lint.pb.h"
#include "torqued/v1/model_registry.pb.h"

namespace torqued::cli {
namespace {

TEST(EnumText, NamesBecomeWords) {
  EXPECT_EQ(EnumText(v1::ROW_CODE_SINGULAR_TASK_SPACE), "singular task space");
  EXPECT_EQ(EnumText(v1::SEVERITY_INFO), "info");
  EXPECT_EQ(EnumName(v1::SEVERITY_INFO), "SEVERITY_INFO");
}

TEST(EnumText, WhatANewerServerSaysIsANumber) {
  EXPECT_EQ(EnumText(static_cast<v1::RowCode>(77)), "unknown (77)");
  EXPECT_EQ(EnumName(static_cast<v1::RowCode>(83)), "83");
}

TEST(EnumText, FlagsTakeAllButTheUnspecified) {
  EXPECT_THAT(EnumFlags(*v1::ReferenceFrame_descriptor()),
              ::testing::ElementsAre("local", "local_world_aligned", "world"));
  EXPECT_THAT(EnumFlags(*v1::Validation_descriptor()),
              ::testing::ElementsAre("default", "strict", "lenient"));
  EXPECT_EQ(FindEnumFlag(*v1::TaskAxis_descriptor(), "linear_x")->number(),
            v1::TASK_AXIS_LINEAR_X);
  EXPECT_EQ(FindEnumFlag(*v1::TaskAxis_descriptor(), "lx"), nullptr);
}

}  // namespace
}  // namespace torqued::cli
