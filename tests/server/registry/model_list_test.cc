// What lists say, and what they read for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/registry/registry.h"
#include "tests/server/registry/registry_fixture.h"

namespace torqued::server {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using Code = RegistryError::Code;

TEST_F(RegistryTest, BrokenModelIsListed) {
  Value(registry_.Register(Request("a-good", 1)));
  const std::string broken = "<robot name='from an older version'>";
  const std::string revision =
      ComputeRevision("urdf", broken, RegistrationOptions());
  Write("b-stricter", revision, broken);
  Write("c-damaged", RevisionOf(2), Urdf(3));
  const std::string options =
      "base=floating;mimic=independent;validation=default;tip=";
  Write("d-newer", ComputeRevision("urdf", Urdf(1), options), Urdf(1));
  RunSql(path_, "UPDATE revisions SET options = '" + options +
                    "' WHERE revision = (SELECT revision FROM names"
                    " WHERE name = 'd-newer')");
  Value(registry_.Register(Request("e-good", 1)));

  const auto page = Value(registry_.List(0, ""));
  ASSERT_THAT(Names(page), ElementsAre("a-good", "b-stricter", "c-damaged",
                                       "d-newer", "e-good"));
  for (int i : {0, 4}) {
    EXPECT_EQ(page.models[i].summary, SummaryOfPendulum());
  }
  for (int i : {1, 2, 3}) {
    const RevisionSummary& summary = page.models[i].summary;
    EXPECT_NE(summary.problem, "");
    EXPECT_EQ(summary.nq + summary.nv, 0);
    const auto entry = Value(registry_.Resolve(page.models[i].name));
    EXPECT_EQ(entry.loaded->model, nullptr);
    EXPECT_EQ(entry.loaded->problem, summary.problem);
    EXPECT_EQ(entry.loaded->revision, page.models[i].revision);
  }
  EXPECT_EQ(page.models[1].revision, revision);
  EXPECT_THAT(page.models[1].summary.problem, HasSubstr("does not load"));
  EXPECT_THAT(page.models[2].summary.problem, HasSubstr("damaged"));
  EXPECT_THAT(page.models[3].summary.problem, HasSubstr("base=floating"));
}

// An older version took such names.
TEST_F(RegistryTest, AStoredModelWhoseNamesSteerTerminalsIsListedAsBroken) {
  const std::string source =
      "<robot name='a\xE2\x80\xAE'><link name='l'/></robot>";
  Write("arm", ComputeRevision("urdf", source, RegistrationOptions()), source);
  const auto page = Value(registry_.List(0, ""));
  ASSERT_THAT(Names(page), ElementsAre("arm"));
  EXPECT_THAT(page.models[0].summary.problem,
              AllOf(HasSubstr("does not load in this version"),
                    HasSubstr("U+202E at byte 1")));
  EXPECT_EQ(Value(registry_.Resolve("arm")).loaded->source, source);
}

TEST_F(RegistryTest, AListReadsNoRevision) {
  for (int i = 0; i < 5; ++i) {
    Value(registry_.Register(Request("arm" + std::to_string(i), i + 1)));
  }
  // A revision that is as it was stored would load; these do not.
  RunSql(path_, "UPDATE revisions SET source = x'00', options = '?'");
  Registry other(OpenStoreCopy());
  for (const ListedModel& model : Value(other.List(0, "")).models) {
    EXPECT_EQ(model.summary, SummaryOfPendulum());
  }
  // Twin: whoever loads them sees it, and then lists say so, too.
  EXPECT_EQ(Value(other.Resolve("arm2")).loaded->model, nullptr);
  for (const ListedModel& model : Value(other.List(0, "")).models) {
    EXPECT_EQ(model.summary.problem.empty(), model.name != "arm2");
  }
}

TEST_F(RegistryTest, ASummaryThatIsMissingIsMadeAnew) {
  Value(registry_.Register(Request("arm", 1)));
  Value(registry_.Register(Request("leg", 2)));
  RunSql(path_, "DELETE FROM summaries");
  Registry other(OpenStoreCopy());
  for (int round = 0; round < 2; ++round) {
    for (const ListedModel& model : Value(other.List(0, "")).models) {
      EXPECT_EQ(model.summary, SummaryOfPendulum());
    }
    // From the second on what is stored is enough.
    RunSql(directory_ / "copy.db", "UPDATE revisions SET source = x'00'");
  }
}

TEST_F(RegistryTest, AListEndsWhenItIsCancelled) {
  for (int i = 0; i < 250; ++i) {
    Write("arm" + std::to_string(1000 + i), RevisionOf(1), Urdf(1));
  }
  int asked = 0;
  const auto error =
      Error(registry_.List(1000, "", [&] { return ++asked > 2; }));
  EXPECT_EQ(error.code, Code::kStoreUnavailable);
  EXPECT_THAT(error.message, HasSubstr("cancelled"));
  EXPECT_EQ(asked, 3);
  EXPECT_THAT(Value(registry_.List(1000, "")).models, SizeIs(250));
}

TEST_F(RegistryTest, PagesSurviveInsertions) {
  for (const char* name : {"b", "d", "f", "h"}) {
    Value(registry_.Register(Request(name, 1)));
  }
  auto page = Value(registry_.List(2, ""));
  EXPECT_THAT(Names(page), ElementsAre("b", "d"));
  Value(registry_.Register(Request("a", 1)));  // before: not seen, no repeat
  Value(registry_.Register(Request("e", 1)));  // after: seen
  Value(registry_.Delete("d", std::nullopt));  // where it goes on
  Value(registry_.Delete("b", std::nullopt));
  page = Value(registry_.List(2, page.next_page_token));
  EXPECT_THAT(Names(page), ElementsAre("e", "f"));
  page = Value(registry_.List(2, page.next_page_token));
  EXPECT_THAT(Names(page), ElementsAre("h"));
  EXPECT_EQ(page.next_page_token, "");
}

}  // namespace
}  // namespace torqued::server
