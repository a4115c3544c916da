#include "server/registry/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "core/formats/urdf.h"
#include "tests/server/registry/fixtures.h"

namespace torqued::server {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using Code = RegistryError::Code;

class RegistryTest : public testing::Test {
 protected:
  std::vector<std::string> Names(const ModelPage& page) {
    std::vector<std::string> names;
    names.reserve(page.models.size());
    for (const ListedModel& model : page.models) names.push_back(model.name);
    return names;
  }

  // Past the registry, which would refuse it.
  void Write(std::string_view name, std::string_view revision,
             std::string_view source,
             const std::string& options = RegistrationOptions().Canonical()) {
    RegistrationChange change;
    change.name = name;
    change.revision = revision;
    change.format = "urdf";
    change.source = source;
    change.options = options;
    ASSERT_TRUE(std::holds_alternative<Registered>(store_->Register(change)));
  }

  // As another process would find it: nothing is cached.
  std::unique_ptr<ModelStore> OpenStoreCopy() {
    const std::string copy = directory_ / "copy.db";
    for (const char* end : {"", "-wal", "-shm"}) {
      std::filesystem::remove(copy + end);
    }
    EXPECT_EQ(RunSql(path_, "VACUUM INTO '" + copy + "'"), "");
    return OpenStore(copy);
  }

  TemporaryDirectory directory_;
  std::string path_ = directory_ / "models.db";
  std::unique_ptr<ModelStore> owned_ = OpenStore(path_);
  ModelStore* store_ = owned_.get();
  Registry registry_{std::move(owned_)};
};

TEST_F(RegistryTest, RegisteredModelIsServed) {
  const auto before = std::chrono::system_clock::now();
  const auto result = Value(registry_.Register(Request("arm", 1, "good")));
  EXPECT_TRUE(result.changed);
  EXPECT_EQ(result.entry.name, "arm");
  EXPECT_EQ(result.entry.loaded->revision, RevisionOf(1));
  EXPECT_THAT(result.entry.labels, ElementsAre("good"));

  const auto entry = Value(registry_.Resolve("arm"));
  EXPECT_EQ(entry.loaded, result.entry.loaded);
  EXPECT_EQ(entry.registered_at, result.entry.registered_at);
  EXPECT_GE(entry.registered_at + std::chrono::microseconds(1), before);
  EXPECT_LE(entry.registered_at, std::chrono::system_clock::now());
  EXPECT_THAT(entry.labels, ElementsAre("good"));
  ASSERT_NE(entry.loaded->model, nullptr);
  EXPECT_EQ(entry.loaded->model->nq(), 1);
  EXPECT_EQ(entry.loaded->source, Urdf(1));
  EXPECT_EQ(entry.loaded->format, "urdf");
  EXPECT_EQ(entry.loaded->problem, "");
}

TEST_F(RegistryTest, OnlyModelsAtHandResolveWithoutParsing) {
  const auto entry = Value(registry_.Register(Request("arm", 1, "good"))).entry;
  const std::string revision = RevisionOf(1);
  for (const std::string& reference :
       {std::string("arm"), std::string("arm@good"),
        "arm@" + revision.substr(0, 8), "@" + revision}) {
    const auto loaded = registry_.ResolveLoaded(reference);
    ASSERT_TRUE(loaded) << reference;
    const auto resolved = Value(registry_.Resolve(reference));
    EXPECT_EQ(loaded->loaded, entry.loaded);
    EXPECT_EQ(loaded->name, resolved.name);
    EXPECT_EQ(loaded->registered_at, resolved.registered_at);
    EXPECT_EQ(loaded->labels, resolved.labels);
  }
  // An error, or something to look up or parse first.
  for (const char* reference :
       {"leg", "arm@bad", "not a reference", "@12345678"}) {
    EXPECT_FALSE(registry_.ResolveLoaded(reference)) << reference;
  }
  Write("cold", RevisionOf(2), Urdf(2));
  EXPECT_FALSE(registry_.ResolveLoaded("cold"));
  EXPECT_NE(Value(registry_.Resolve("cold")).loaded->model, nullptr);
  EXPECT_TRUE(registry_.ResolveLoaded("cold"));
}

TEST_F(RegistryTest, EveryKindOfReferenceLeadsThere) {
  Value(registry_.Register(Request("arm", 1, "old")));
  Value(registry_.Register(Request("arm", 2)));
  Value(registry_.Register(Request("leg", 3)));
  const std::string old = RevisionOf(1);
  EXPECT_EQ(Where(registry_, "arm"), RevisionOf(2));
  EXPECT_EQ(Where(registry_, "arm@old"), old);
  EXPECT_EQ(Where(registry_, "arm@" + old.substr(0, 8)), old);
  EXPECT_EQ(Where(registry_, "arm@" + old), old);
  EXPECT_EQ(Where(registry_, "@" + old.substr(0, 8)), old);
  EXPECT_EQ(Where(registry_, "@" + old), old);

  const auto by_label = Value(registry_.Resolve("arm@old"));
  EXPECT_EQ(by_label.name, "arm");
  EXPECT_THAT(by_label.labels, ElementsAre("old"));
  const auto by_revision = Value(registry_.Resolve("@" + old));
  EXPECT_EQ(by_revision.name, "");
  EXPECT_EQ(by_revision.registered_at.time_since_epoch().count(), 0);
}

TEST_F(RegistryTest, NameAtPrefixFindsOnlyWhatTheNameHasHad) {
  Value(registry_.Register(Request("arm", 1)));
  Value(registry_.Register(Request("leg", 2)));
  const std::string prefix = RevisionOf(2).substr(0, 12);
  EXPECT_EQ(Where(registry_, "leg@" + prefix), RevisionOf(2));
  const auto error = Error(registry_.Resolve("arm@" + prefix));
  EXPECT_EQ(error.code, Code::kNotFound);
  EXPECT_THAT(error.message, AllOf(HasSubstr("arm"), HasSubstr(prefix)));
}

TEST_F(RegistryTest, UnknownReferencesSayWhatThereIs) {
  EXPECT_THAT(Error(registry_.Resolve("arm")).message,
              HasSubstr("none is registered yet"));
  Value(registry_.Register(Request("panda", 1)));
  Value(registry_.Register(Request("ur5e", 1)));
  for (const char* reference : {"ur5", "ur5@good", "ur5@00000000", "ur5e@good",
                                "ur5e@00000000", "@00000000"}) {
    EXPECT_EQ(Error(registry_.Resolve(reference)).code, Code::kNotFound)
        << reference;
  }
  EXPECT_THAT(Error(registry_.Resolve("ur5")).message,
              HasSubstr("did you mean ur5e?"));
  EXPECT_THAT(Error(registry_.Resolve("ur5@good")).message,
              HasSubstr("did you mean ur5e?"));
  EXPECT_THAT(Error(registry_.Resolve("spot")).message,
              HasSubstr("known are panda, ur5e"));
  EXPECT_THAT(Error(registry_.Resolve("ur5e@good")).message,
              HasSubstr("has no label 'good'"));
}

TEST_F(RegistryTest, AMistypedNameIsFoundAmongAnyNumberOfThem) {
  for (int i = 0; i < 300; ++i) {
    Write("arm-" + std::to_string(1000 + i), RevisionOf(1), Urdf(1));
  }
  EXPECT_THAT(Error(registry_.Resolve("arm-12999")).message,
              HasSubstr("did you mean arm-1299, "));
}

TEST_F(RegistryTest, InvalidReferenceNamesTheField) {
  const auto error = Error(registry_.Resolve("a b"));
  EXPECT_EQ(error.code, Code::kInvalidReference);
  EXPECT_EQ(error.field, "model");
}

TEST_F(RegistryTest, AmbiguousPrefixListsCandidates) {
  const std::string first = "deadbeef0" + std::string(55, '0');
  const std::string second = "deadbeef1" + std::string(55, '0');
  Write("arm", first, "<a/>");
  Write("arm", second, "<b/>");
  for (const char* reference : {"@deadbeef", "arm@deadbeef"}) {
    const auto error = Error(registry_.Resolve(reference));
    EXPECT_EQ(error.code, Code::kAmbiguous);
    EXPECT_THAT(error.candidates, ElementsAre(first, second));
    EXPECT_THAT(error.message, AllOf(HasSubstr(first), HasSubstr(second)));
  }
  EXPECT_EQ(Where(registry_, "@deadbeef1"), second);
  EXPECT_EQ(Where(registry_, "arm@deadbeef1"), second);

  for (int i = 2; i < 16; ++i) {
    Write("arm", "deadbeef" + std::to_string(10 + i) + std::string(54, '0'),
          "<c/>");
  }
  const auto many = Error(registry_.Resolve("@deadbeef"));
  EXPECT_THAT(many.candidates, SizeIs(10));
  EXPECT_THAT(many.message, HasSubstr("more than 10"));
}

TEST_F(RegistryTest, ReRegisteringTheSameContentChangesNothing) {
  const auto first = Value(registry_.Register(Request("arm", 1)));
  const auto second = Value(registry_.Register(Request("arm", 1)));
  EXPECT_FALSE(second.changed);
  EXPECT_EQ(second.entry.registered_at, first.entry.registered_at);
  EXPECT_EQ(second.entry.loaded, first.entry.loaded);
}

TEST_F(RegistryTest, ReRegisteringOldContentMovesThePointerBack) {
  Value(registry_.Register(Request("arm", 1)));
  Value(registry_.Register(Request("arm", 2)));
  const auto back = Value(registry_.Register(Request("arm", 1)));
  EXPECT_TRUE(back.changed);
  EXPECT_EQ(Where(registry_, "arm"), RevisionOf(1));
  EXPECT_EQ(RunSql(path_, "SELECT count(*) FROM revisions"), "2");
}

TEST_F(RegistryTest, SameSourceUnderOtherOptionsIsAnotherRevision) {
  Value(registry_.Register(Request("arm", 1)));
  auto strict = Request("arm", 1);
  strict.options.validation = Validation::kStrict;
  EXPECT_TRUE(Value(registry_.Register(strict)).changed);
  auto tip = Request("arm", 1);
  tip.options.default_tip = "base";
  const auto result = Value(registry_.Register(tip));
  EXPECT_TRUE(result.changed);
  const auto& model = *result.entry.loaded->model;
  EXPECT_EQ(model.tip_frame(), model.FindFrame("base"));
}

TEST_F(RegistryTest, OptionsSurviveTheStore) {
  auto request = Request("arm", 1);
  request.options.default_tip = "base";
  const auto revision = Value(registry_.Register(request)).entry.loaded;
  Registry copy(OpenStoreCopy());
  const auto loaded = Value(copy.Resolve("arm")).loaded;
  EXPECT_NE(loaded, revision);
  EXPECT_EQ(loaded->revision, revision->revision);
  ASSERT_TRUE(loaded->options);
  EXPECT_EQ(loaded->options->default_tip, "base");
  ASSERT_NE(loaded->model, nullptr);
  EXPECT_EQ(loaded->model->tip_frame(), loaded->model->FindFrame("base"));
}

TEST_F(RegistryTest, ExpectedCurrentConflictChangesNothing) {
  auto request = Request("arm", 1);
  request.expected_current = RevisionOf(9);
  auto error = Error(registry_.Register(request));
  EXPECT_EQ(error.code, Code::kConflict);
  EXPECT_THAT(error.candidates, IsEmpty());
  EXPECT_EQ(Error(registry_.Resolve("arm")).code, Code::kNotFound);
  EXPECT_EQ(Error(registry_.Resolve("@" + RevisionOf(1))).code,
            Code::kNotFound);

  request.expected_current = "";
  EXPECT_TRUE(Value(registry_.Register(request)).changed);
  error = Error(registry_.Register(request));
  EXPECT_EQ(error.code, Code::kConflict);
  EXPECT_THAT(error.candidates, ElementsAre(RevisionOf(1)));

  request = Request("arm", 2);
  request.expected_current = RevisionOf(1);
  EXPECT_TRUE(Value(registry_.Register(request)).changed);
  error = Error(registry_.Register(request));
  EXPECT_EQ(error.code, Code::kConflict);
  EXPECT_EQ(Where(registry_, "arm"), RevisionOf(2));
}

TEST_F(RegistryTest, LabelMoves) {
  Value(registry_.Register(Request("arm", 1, "good")));
  Value(registry_.Register(Request("arm", 2, "good")));
  EXPECT_EQ(Where(registry_, "arm@good"), RevisionOf(2));
  // Alone, without the pointer: known content under a label.
  EXPECT_FALSE(Value(registry_.Register(Request("arm", 2, "best"))).changed);
  EXPECT_EQ(Where(registry_, "arm@best"), RevisionOf(2));
  EXPECT_THAT(Value(registry_.Resolve("arm")).labels,
              ElementsAre("best", "good"));
}

TEST_F(RegistryTest, WhatCannotBeRegisteredIsRefused) {
  auto error = Error(registry_.Register(Request("a b", 1)));
  EXPECT_EQ(error.code, Code::kInvalidName);
  EXPECT_EQ(error.field, "name");

  error = Error(registry_.Register(Request("arm", 1, "deadbeef")));
  EXPECT_EQ(error.code, Code::kInvalidName);
  EXPECT_EQ(error.field, "label");

  auto request = Request("arm", 1);
  request.source = "<robot name='x'>";
  error = Error(registry_.Register(request));
  EXPECT_EQ(error.code, Code::kInvalidModel);
  EXPECT_FALSE(error.report.ok());
  EXPECT_THAT(error.message, HasSubstr("invalid model: "));

  request.source.assign(UrdfLimits{}.source_bytes + 1, ' ');
  EXPECT_EQ(Error(registry_.Register(request)).code, Code::kTooLarge);

  request = Request("arm", 1);
  request.format = "sdf";
  error = Error(registry_.Register(request));
  EXPECT_EQ(error.code, Code::kInvalidModel);
  EXPECT_FALSE(error.report.ok());
  EXPECT_THAT(error.message, HasSubstr("sdf"));

  EXPECT_THAT(Value(registry_.List(0, "")).models, IsEmpty());
}

TEST_F(RegistryTest, AFolderIsNoNameButOneThatIsStoredIsFoundAndDeleted) {
  for (const char* folder : {".", ".."}) {
    const auto error = Error(registry_.Register(Request(folder, 1)));
    EXPECT_EQ(error.code, Code::kInvalidName);
    EXPECT_EQ(error.field, "name");
    Write(folder, RevisionOf(1), Urdf(1));
    EXPECT_EQ(Where(registry_, folder), RevisionOf(1));
    EXPECT_THAT(Names(Value(registry_.List(0, ""))), ElementsAre(folder));
    EXPECT_FALSE(registry_.Delete(folder, std::nullopt));
  }
}

TEST_F(RegistryTest, LoadStoresNothing) {
  const auto good = Registry::Load("urdf", Urdf(1), {});
  EXPECT_NE(good->model, nullptr);
  EXPECT_EQ(good->revision, RevisionOf(1));
  const auto bad = Registry::Load("urdf", "<robot", {});
  EXPECT_EQ(bad->model, nullptr);
  EXPECT_FALSE(bad->report.ok());
  EXPECT_NE(bad->problem, "");
}

TEST_F(RegistryTest, BrokenModelIsListed) {
  Value(registry_.Register(Request("a-good", 1)));
  const std::string broken = "<robot name='from an older version'>";
  const std::string revision =
      ComputeRevision("urdf", broken, RegistrationOptions());
  Write("b-stricter", revision, broken);
  Write("c-damaged", RevisionOf(2), Urdf(3));
  const std::string options =
      "base=floating;mimic=independent;validation=default;tip=";
  Write("d-newer", ComputeRevision("urdf", Urdf(1), options), Urdf(1), options);
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
  int broken = 0;
  EXPECT_FALSE(other.LoadCurrent(
      Registry::Models::kAll, [&broken](const ListedModel& model) {
        EXPECT_THAT(model.summary.problem, HasSubstr("damaged"));
        ++broken;
      }));
  EXPECT_EQ(broken, 5);
  for (const ListedModel& model : Value(other.List(0, "")).models) {
    EXPECT_THAT(model.summary.problem, HasSubstr("damaged"));
  }
}

TEST_F(RegistryTest, ASummaryThatIsMissingOrAlteredIsMadeAnew) {
  Value(registry_.Register(Request("arm", 1)));
  Value(registry_.Register(Request("leg", 2)));
  for (const char* harm :
       {"DELETE FROM summaries", "UPDATE summaries SET nq = 7",
        "UPDATE summaries SET checksum = checksum + 1"}) {
    RunSql(path_, harm);
    Registry other(OpenStoreCopy());
    for (int round = 0; round < 2; ++round) {
      for (const ListedModel& model : Value(other.List(0, "")).models) {
        EXPECT_EQ(model.summary, SummaryOfPendulum());
      }
      // From the second on what is stored is enough.
      RunSql(directory_ / "copy.db", "UPDATE revisions SET source = x'00'");
    }
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

TEST_F(RegistryTest, RegisteringAgainRepairsADamagedModel) {
  Write("arm", RevisionOf(1), Urdf(2));
  EXPECT_EQ(Value(registry_.Resolve("arm")).loaded->model, nullptr);
  EXPECT_FALSE(Value(registry_.Register(Request("arm", 1))).changed);
  EXPECT_NE(Value(registry_.Resolve("arm")).loaded->model, nullptr);
}

TEST_F(RegistryTest, PagesSurviveInsertions) {
  for (const char* name : {"b", "d", "f", "h"}) {
    Value(registry_.Register(Request(name, 1)));
  }
  auto page = Value(registry_.List(2, ""));
  EXPECT_THAT(Names(page), ElementsAre("b", "d"));
  Value(registry_.Register(Request("a", 1)));  // before: not seen, no repeat
  Value(registry_.Register(Request("e", 1)));  // after: seen
  EXPECT_FALSE(registry_.Delete("d", std::nullopt));  // where it goes on
  EXPECT_FALSE(registry_.Delete("b", std::nullopt));
  page = Value(registry_.List(2, page.next_page_token));
  EXPECT_THAT(Names(page), ElementsAre("e", "f"));
  page = Value(registry_.List(2, page.next_page_token));
  EXPECT_THAT(Names(page), ElementsAre("h"));
  EXPECT_EQ(page.next_page_token, "");
}

TEST_F(RegistryTest, ExactlyFullLastPageHasNoToken) {
  for (const char* name : {"a", "b"}) {
    Value(registry_.Register(Request(name, 1)));
  }
  EXPECT_EQ(Value(registry_.List(2, "")).next_page_token, "");
  EXPECT_NE(Value(registry_.List(1, "")).next_page_token, "");
}

TEST_F(RegistryTest, ForeignPageTokenIsRefused) {
  const auto error = Error(registry_.List(0, "garbage"));
  EXPECT_EQ(error.code, Code::kInvalidReference);
  EXPECT_EQ(error.field, "page_token");
}

TEST_F(RegistryTest, DeletedNameIsGoneAndItsModelIsKeptByItsUsers) {
  Value(registry_.Register(Request("arm", 1)));
  Value(registry_.Register(Request("leg", 2)));
  Value(registry_.Register(Request("leg", 1)));
  const auto in_flight = Value(registry_.Resolve("leg@" + RevisionOf(2)));
  EXPECT_FALSE(registry_.Delete("leg", std::nullopt));
  EXPECT_EQ(Error(registry_.Resolve("leg")).code, Code::kNotFound);
  // Also what the cache had is gone, unless another name has it.
  EXPECT_EQ(Error(registry_.Resolve("@" + RevisionOf(2))).code,
            Code::kNotFound);
  EXPECT_EQ(Where(registry_, "@" + RevisionOf(1)), RevisionOf(1));
  EXPECT_EQ(in_flight.loaded->model->nv(), 1);
}

TEST_F(RegistryTest, DeletionRefusals) {
  Value(registry_.Register(Request("arm", 1)));
  EXPECT_EQ(registry_.Delete("arm@x", std::nullopt)->code, Code::kInvalidName);
  EXPECT_EQ(registry_.Delete("leg", std::nullopt)->code, Code::kNotFound);
  const auto error = registry_.Delete("arm", RevisionOf(2));
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, Code::kConflict);
  EXPECT_THAT(error->candidates, ElementsAre(RevisionOf(1)));
  EXPECT_EQ(Where(registry_, "arm"), RevisionOf(1));
}

TEST_F(RegistryTest, EvictedModelsAreLoadedAgain) {
  Registry small(OpenStore(directory_ / "small.db"),
                 {.entries = 1, .source_bytes = 1 << 20});
  Value(small.Register(Request("arm", 1)));
  const auto first = Value(small.Resolve("arm"));
  EXPECT_EQ(Value(small.Resolve("arm")).loaded, first.loaded);
  Value(small.Register(Request("leg", 2)));
  const auto again = Value(small.Resolve("arm"));
  EXPECT_NE(again.loaded, first.loaded);
  EXPECT_EQ(again.loaded->revision, first.loaded->revision);
}

TEST_F(RegistryTest, FullRevisionInTheCacheNeedsNoStore) {
  Value(registry_.Register(Request("arm", 1)));
  for (const char* table : {"labels", "names", "history", "revisions"}) {
    RunSql(path_, std::string("DROP TABLE ") + table);
  }
  EXPECT_EQ(Where(registry_, "@" + RevisionOf(1)), RevisionOf(1));
  EXPECT_EQ(Error(registry_.Resolve("@" + RevisionOf(1).substr(0, 8))).code,
            Code::kStoreUnavailable);
  EXPECT_EQ(Error(registry_.Resolve("arm")).code, Code::kStoreUnavailable);
}

TEST_F(RegistryTest, ANameThatWasLookedUpNeedsNoStore) {
  Value(registry_.Register(Request("arm", 1, "good")));
  const std::string by_prefix = "arm@" + RevisionOf(1).substr(0, 8);
  for (const std::string& reference :
       {std::string("arm"), std::string("arm@good"), by_prefix}) {
    ASSERT_TRUE(registry_.ResolveLoaded(reference));
  }
  for (const char* table : {"labels", "names", "history", "revisions"}) {
    RunSql(path_, std::string("DROP TABLE ") + table);
  }
  for (const std::string& reference :
       {std::string("arm"), std::string("arm@good"), by_prefix}) {
    const auto entry = registry_.ResolveLoaded(reference);
    ASSERT_TRUE(entry) << reference;
    EXPECT_EQ(entry->name, "arm");
    EXPECT_EQ(entry->loaded->revision, RevisionOf(1));
    EXPECT_THAT(entry->labels, ElementsAre("good"));
  }
  // Twin: what was not looked up does need it.
  EXPECT_FALSE(registry_.ResolveLoaded("arm@" + RevisionOf(1).substr(0, 9)));
}

TEST_F(RegistryTest, ALookUpSeesEveryAcknowledgedChange) {
  const auto revision = [&](const char* reference) {
    const auto entry = registry_.ResolveLoaded(reference);
    return entry ? entry->loaded->revision : "none";
  };
  // Keeps the revisions at hand when the other name goes.
  for (const int mass : {1, 2}) Value(registry_.Register(Request("leg", mass)));
  for (int round = 0; round < 3; ++round) {
    for (const int mass : {1, 2}) {
      Value(registry_.Register(Request("arm", mass, "last")));
      EXPECT_EQ(revision("arm"), RevisionOf(mass));
      EXPECT_EQ(revision("arm@last"), RevisionOf(mass));
    }
    EXPECT_FALSE(registry_.Delete("arm", std::nullopt));
    EXPECT_EQ(revision("arm"), "none");
    EXPECT_EQ(revision("arm@last"), "none");
  }
}

TEST_F(RegistryTest, StoreFailuresAreErrors) {
  Value(registry_.Register(Request("arm", 1)));
  for (const char* table : {"labels", "names", "directory_files"}) {
    RunSql(path_, std::string("DROP TABLE ") + table);
  }
  EXPECT_EQ(Error(registry_.Register(Request("arm", 2))).code,
            Code::kStoreUnavailable);
  EXPECT_EQ(Error(registry_.Resolve("arm@label")).code,
            Code::kStoreUnavailable);
  EXPECT_EQ(Error(registry_.List(0, "")).code, Code::kStoreUnavailable);
  EXPECT_EQ(registry_.Delete("arm", std::nullopt)->code,
            Code::kStoreUnavailable);
}

TEST_F(RegistryTest, ConcurrentRegisterAndResolve) {
  // A small cache, so that models are also loaded while others register.
  Registry shared(OpenStore(directory_ / "shared.db"),
                  {.entries = 3, .source_bytes = 1 << 20});
  constexpr int kMasses = 6;
  Value(shared.Register(Request("arm", 1)));
  std::atomic<bool> done = false;
  std::atomic<int> wrong = 0;
  std::atomic<int> resolved = 0;

  std::vector<std::thread> readers;
  readers.reserve(4);
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back([&, i] {
      while (!done) {
        // "arm" is always there; "leg" comes and goes.
        auto result = shared.Resolve(i % 2 == 0 ? "arm" : "leg");
        if (const auto* entry = std::get_if<ModelEntry>(&result)) {
          const LoadedRevision& loaded = *entry->loaded;
          if (loaded.model == nullptr ||
              ComputeRevision("urdf", loaded.source, *loaded.options) !=
                  loaded.revision) {
            ++wrong;
          }
          ++resolved;
        } else if (i % 2 == 0 ||
                   std::get<RegistryError>(result).code != Code::kNotFound) {
          ++wrong;
        }
        if (!std::holds_alternative<ModelPage>(shared.List(0, ""))) ++wrong;
      }
    });
  }
  std::vector<std::thread> writers;
  for (const char* name : {"arm", "leg"}) {
    writers.emplace_back([&, name] {
      for (int i = 0; i < 60; ++i) {
        auto result = shared.Register(Request(name, 1 + i % kMasses));
        if (!std::holds_alternative<RegisterResult>(result)) ++wrong;
        if (name == std::string_view("leg") && i % 3 == 2 &&
            shared.Delete(name, std::nullopt)) {
          ++wrong;
        }
      }
    });
  }
  for (auto& writer : writers) writer.join();
  done = true;
  for (auto& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(resolved, 100);
  EXPECT_EQ(Where(shared, "arm"), RevisionOf(1 + 59 % kMasses));
}

TEST_F(RegistryTest, AStoredSourceIsAskedForBeforeItIsReadAndBeforeItIsParsed) {
  const std::string path = directory_ / "asked.db";
  Value(Registry(OpenStore(path)).Register(Request("arm", 1)));
  ASSERT_EQ(RunSql(path, "DELETE FROM summaries"), "");
  std::vector<std::string> asked;
  std::string refused;
  const auto answer = [&](const std::string& question) {
    asked.push_back(question);
    return question != refused;
  };
  const std::string size = std::to_string(Urdf(1).size());
  const AdmitSource admit{
      .read = [&](std::int64_t bytes) { return answer(std::to_string(bytes)); },
      .parse =
          [&](std::string_view source) {
            EXPECT_EQ(source, Urdf(1));
            return answer("source");
          }};
  const auto list = [&](Registry& registry) -> std::optional<RegistryError> {
    auto listed = registry.List(0, "", {}, admit);
    if (auto* error = std::get_if<RegistryError>(&listed)) return *error;
    return std::nullopt;
  };
  const auto resolve = [&](Registry& registry) -> std::optional<RegistryError> {
    auto resolved = registry.Resolve("arm", admit);
    if (auto* error = std::get_if<RegistryError>(&resolved)) return *error;
    return std::nullopt;
  };
  using Ask = std::function<std::optional<RegistryError>(Registry&)>;
  for (const Ask& ask : {Ask(list), Ask(resolve)}) {
    Registry registry(OpenStore(path));
    for (const std::string& no : {size, std::string("source")}) {
      asked.clear();
      refused = no;
      const auto error = ask(registry);
      ASSERT_TRUE(error);
      EXPECT_EQ(error->code, Code::kNotAdmitted);
      EXPECT_EQ(asked.back(), no);
      EXPECT_EQ(asked.front(), size);
    }
    refused.clear();
    EXPECT_FALSE(ask(registry));
    asked.clear();
    // At hand, or summarized, it takes nothing any more.
    EXPECT_FALSE(ask(registry));
    EXPECT_TRUE(asked.empty());
    ASSERT_EQ(RunSql(path, "DELETE FROM summaries"), "");
  }
}

TEST_F(RegistryTest, WhatManyLookUpAtOnceIsLoadedOnce) {
  const std::string path = directory_ / "shared.db";
  Value(Registry(OpenStore(path)).Register(Request("arm", 1)));
  Registry registry(OpenStore(path));
  constexpr int kThreads = 6;
  std::atomic<int> begun = 0, parsed = 0;
  const AdmitSource admit{
      .read = {}, .parse = [&](std::string_view) {
        ++parsed;
        // Until all look it up, and for a while, in which nobody else parses.
        const auto end =
            std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
        while (parsed == 1 && std::chrono::steady_clock::now() < end) {
          if (begun < kThreads) std::this_thread::yield();
        }
        return true;
      }};
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int k = 0; k < kThreads; ++k) {
    threads.emplace_back([&] {
      ++begun;
      const auto entry = Value(registry.Resolve("arm", admit));
      EXPECT_EQ(entry.loaded->revision, RevisionOf(1));
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(parsed, 1);
}

/// A function for SQL that holds a registration in its transaction.
struct Hold {
  static inline std::atomic<bool> reached = false, released = false,
                                  too_long = false;

  static int Add(sqlite3* connection, const char**,
                 const sqlite3_api_routines*) {
    return sqlite3_create_function(
        connection, "hold", 0, SQLITE_UTF8 | SQLITE_INNOCUOUS, nullptr,
        [](sqlite3_context*, int, sqlite3_value**) {
          reached = true;
          const auto end =
              std::chrono::steady_clock::now() + std::chrono::seconds(20);
          while (!released && !too_long) {
            too_long = std::chrono::steady_clock::now() > end;
            std::this_thread::yield();
          }
        },
        nullptr, nullptr);
  }
};

TEST_F(RegistryTest, ALookUpThatCorrectsASummaryWaitsForNoRegistration) {
  const std::string path = directory_ / "held.db";
  Value(Registry(OpenStore(path)).Register(Request("arm", 1)));
  ASSERT_EQ(RunSql(path,
                   "UPDATE summaries SET nq = 7; CREATE TRIGGER held AFTER"
                   " INSERT ON names BEGIN SELECT hold(); END"),
            "");
  const auto add = reinterpret_cast<void (*)()>(Hold::Add);
  sqlite3_auto_extension(add);
  Registry registry(OpenStore(path));
  sqlite3_cancel_auto_extension(add);
  std::thread writer([&] { Value(registry.Register(Request("leg", 2))); });
  const auto give_up =
      std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!Hold::reached && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::yield();
  }
  EXPECT_TRUE(Hold::reached);
  EXPECT_EQ(Where(registry, "arm"), RevisionOf(1));
  EXPECT_FALSE(Hold::too_long);
  Hold::released = true;
  writer.join();
  EXPECT_EQ(Value(registry.List(0, "")).models.at(0).summary,
            SummaryOfPendulum());
}

// Of several who expect the same revision, one wins.
TEST_F(RegistryTest, ConcurrentExpectedCurrentHasOneWinner) {
  Value(registry_.Register(Request("arm", 1)));
  std::atomic<int> winners = 0;
  std::vector<std::thread> threads;
  threads.reserve(8);
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      auto request = Request("arm", 100 + i);
      request.expected_current = RevisionOf(1);
      auto result = registry_.Register(std::move(request));
      if (std::holds_alternative<RegisterResult>(result)) ++winners;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(winners, 1);
}

}  // namespace
}  // namespace torqued::server
