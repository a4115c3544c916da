#include "client/cli/enum_text.h"

#include <gtest/gtest.h>

namespace torqued::cli {
namespace {

TEST(EnumText, NamesBecomeWords) {
  EXPECT_EQ(RowCodeText(v1::ROW_CODE_SINGULAR_TASK_SPACE),
            "singular task space");
  EXPECT_EQ(TaskRuleText(v1::TASK_RULE_FULL_RANK), "full rank");
}

TEST(EnumText, WhatANewerServerSaysIsANumber) {
  EXPECT_EQ(RowCodeText(static_cast<v1::RowCode>(77)), "unknown (77)");
  EXPECT_EQ(TaskRuleText(static_cast<v1::TaskRule>(78)), "unknown (78)");
}

}  // namespace
}  // namespace torqued::cli
