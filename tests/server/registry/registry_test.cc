#include "server/registry/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "core/formats/urdf.h"
#include "tests/server/registry/registry_fixture.h"

namespace torqued::server {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Code = RegistryError::Code;

TEST_F(RegistryTest, RegisteredModelIsServed) {
  const auto before = std::chrono::system_clock::now();
  const auto result = Value(registry_.Register(Request("arm", 1, "good")));
  EXPECT_TRUE(result.changed());
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

TEST_F(RegistryTest, ReRegisteringOldContentMovesThePointerBack) {
  Value(registry_.Register(Request("arm", 1)));
  Value(registry_.Register(Request("arm", 2)));
  const auto back = Value(registry_.Register(Request("arm", 1)));
  EXPECT_TRUE(back.changed());
  EXPECT_EQ(Where(registry_, "arm"), RevisionOf(1));
  EXPECT_EQ(RunSql(path_, "SELECT count(*) FROM revisions"), "2");
}

TEST_F(RegistryTest, SameSourceUnderOtherOptionsIsAnotherRevision) {
  Value(registry_.Register(Request("arm", 1)));
  auto strict = Request("arm", 1);
  strict.options.validation = Validation::kStrict;
  EXPECT_TRUE(Value(registry_.Register(strict)).changed());
  auto tip = Request("arm", 1);
  tip.options.default_tip = "base";
  const auto result = Value(registry_.Register(tip));
  EXPECT_TRUE(result.changed());
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
  EXPECT_TRUE(Value(registry_.Register(request)).changed());
  error = Error(registry_.Register(request));
  EXPECT_EQ(error.code, Code::kConflict);
  EXPECT_THAT(error.candidates, ElementsAre(RevisionOf(1)));

  request = Request("arm", 2);
  request.expected_current = RevisionOf(1);
  EXPECT_TRUE(Value(registry_.Register(request)).changed());
  error = Error(registry_.Register(request));
  EXPECT_EQ(error.code, Code::kConflict);
  EXPECT_EQ(Where(registry_, "arm"), RevisionOf(2));
}

TEST_F(RegistryTest, LabelMoves) {
  Value(registry_.Register(Request("arm", 1, "good")));
  Value(registry_.Register(Request("arm", 2, "good")));
  EXPECT_EQ(Where(registry_, "arm@good"), RevisionOf(2));
  // Alone, without the pointer: known content under a label.
  EXPECT_FALSE(Value(registry_.Register(Request("arm", 2, "best"))).changed());
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
    Value(registry_.Delete(folder, std::nullopt));
  }
}

TEST_F(RegistryTest, RegisteringAgainRepairsADamagedModel) {
  Write("arm", RevisionOf(1), Urdf(2));
  EXPECT_EQ(Value(registry_.Resolve("arm")).loaded->model, nullptr);
  EXPECT_FALSE(Value(registry_.Register(Request("arm", 1))).changed());
  EXPECT_NE(Value(registry_.Resolve("arm")).loaded->model, nullptr);
}

TEST_F(RegistryTest, DeletedNameIsGoneAndItsModelIsKeptByItsUsers) {
  Value(registry_.Register(Request("arm", 1)));
  Value(registry_.Register(Request("leg", 2)));
  Value(registry_.Register(Request("leg", 1)));
  const auto in_flight = Value(registry_.Resolve("leg@" + RevisionOf(2)));
  Value(registry_.Delete("leg", std::nullopt));
  EXPECT_EQ(Error(registry_.Resolve("leg")).code, Code::kNotFound);
  // Also what the cache had is gone, unless another name has it.
  EXPECT_EQ(Error(registry_.Resolve("@" + RevisionOf(2))).code,
            Code::kNotFound);
  EXPECT_EQ(Where(registry_, "@" + RevisionOf(1)), RevisionOf(1));
  EXPECT_EQ(in_flight.loaded->model->nv(), 1);
}

TEST_F(RegistryTest, DeletionRefusals) {
  Value(registry_.Register(Request("arm", 1)));
  EXPECT_EQ(Error(registry_.Delete("arm@x", std::nullopt)).code,
            Code::kInvalidName);
  EXPECT_EQ(Error(registry_.Delete("leg", std::nullopt)).code, Code::kNotFound);
  const auto error = Error(registry_.Delete("arm", RevisionOf(2)));
  EXPECT_EQ(error.code, Code::kConflict);
  EXPECT_THAT(error.candidates, ElementsAre(RevisionOf(1)));
  EXPECT_EQ(Where(registry_, "arm"), RevisionOf(1));
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
  EXPECT_EQ(Error(registry_.Delete("arm", std::nullopt)).code,
            Code::kStoreUnavailable);
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
