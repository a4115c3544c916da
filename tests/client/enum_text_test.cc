#include "client/cli/enum_text.h"

#include <gtest/gtest.h>

namespace torqued::cli {
namespace {

TEST(EnumText, NamesBecomeWords) {
  EXPECT_EQ(RowCodeText(v1::ROW_CODE_SINGULAR_TASK_SPACE),
            "singular task space");
  EXPECT_EQ(TaskRuleText(v1::TASK_RULE_FULL_RANK), "full rank");
  EXPECT_EQ(JointTypeText(v1::JOINT_TYPE_PRISMATIC), "prismatic");
  EXPECT_EQ(SeverityText(v1::SEVERITY_INFO), "info");
}

TEST(EnumText, WhatANewerServerSaysIsANumber) {
  EXPECT_EQ(RowCodeText(static_cast<v1::RowCode>(77)), "unknown (77)");
  EXPECT_EQ(TaskRuleText(static_cast<v1::TaskRule>(78)), "unknown (78)");
  EXPECT_EQ(JointTypeText(static_cast<v1::JointType>(81)), "unknown (81)");
  EXPECT_EQ(SeverityText(static_cast<v1::Severity>(82)), "unknown (82)");
  EXPECT_EQ(NameOrNumber(v1::RowCode_Name(static_cast<v1::RowCode>(83)), 83),
            "83");
  EXPECT_EQ(NameOrNumber("ROW_CODE_INVALID_INPUT", 1),
            "ROW_CODE_INVALID_INPUT");
}

}  // namespace
}  // namespace torqued::cli
