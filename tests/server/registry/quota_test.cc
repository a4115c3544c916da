// What a store may hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/registry/registry.h"
#include "tests/server/registry/fixtures.h"

namespace torqued::server {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Code = RegistryError::Code;

class QuotaTest : public testing::Test {
 protected:
  /// Refused for the quota, and nothing is changed by it.
  void ExpectFull(Registry& registry, RegisterRequest request,
                  std::int64_t limit, std::string_view setting) {
    const std::string before = Content();
    const auto error = Error(registry.Register(std::move(request)));
    EXPECT_EQ(error.code, Code::kQuota) << error.message;
    EXPECT_EQ(error.limit, limit);
    EXPECT_EQ(error.setting, setting);
    EXPECT_THAT(error.message, AllOf(HasSubstr(std::to_string(limit)),
                                     HasSubstr(std::string(setting))));
    EXPECT_EQ(Content(), before);
  }

  std::string Content() {
    return RunSql(path_,
                  "SELECT (SELECT count(*) FROM revisions) || ' ' ||"
                  " (SELECT count(*) FROM history) || ' ' ||"
                  " (SELECT count(*) FROM labels) || ' ' ||"
                  " (SELECT count(*) FROM summaries) || ' ' ||"
                  " (SELECT group_concat(name || revision) FROM names)");
  }

  TemporaryDirectory directory_;
  std::string path_ = directory_ / "models.db";
};

TEST_F(QuotaTest, OfModelsCountsNames) {
  for (int open = 0; open < 2; ++open) {
    // What the file holds counts as what was registered since it was opened.
    Registry registry(OpenStore(path_, 2));
    if (open == 0) {
      Value(registry.Register(Request("arm", 1)));
      Value(registry.Register(Request("leg", 1)));
    }
    ExpectFull(registry, Request("hand", 1), 2, "max-models");
    // Under the names that there are it goes on.
    Value(registry.Register(Request("arm", 2 + open, "label")));
    Value(registry.Delete("leg", std::nullopt));
    Value(registry.Register(Request("leg", 1)));
    ExpectFull(registry, Request("hand", 1), 2, "max-models");
  }
}

TEST_F(QuotaTest, AStoreThatHoldsMoreIsServedAndMayBeChanged) {
  {
    Registry registry(OpenStore(path_));
    for (int i = 0; i < 5; ++i) {
      Value(registry.Register(Request("arm" + std::to_string(i), i + 1)));
    }
  }
  Registry registry(OpenStore(path_, 2));
  EXPECT_EQ(Value(registry.List(0, "")).models.size(), 5u);
  Value(registry.Register(Request("arm0", 2)));
  EXPECT_EQ(Where(registry, "arm0"), RevisionOf(2));
  Value(registry.Delete("arm4", std::nullopt));
  ExpectFull(registry, Request("arm4", 1), 2, "max-models");
}

TEST_F(QuotaTest, OfLabelsIsFixedForAName) {
  Registry registry(OpenStore(path_));
  for (int i = 0; i < ModelStore::kMaxLabels; ++i) {
    Value(registry.Register(Request("arm", 1, "label" + std::to_string(i))));
  }
  ExpectFull(registry, Request("arm", 1, "another"), ModelStore::kMaxLabels,
             "");
  // A label that there is moves.
  Value(registry.Register(Request("arm", 2, "label7")));
  EXPECT_EQ(Where(registry, "arm@label7"), RevisionOf(2));
  Value(registry.Register(Request("leg", 1, "another")));
}

}  // namespace
}  // namespace torqued::server
