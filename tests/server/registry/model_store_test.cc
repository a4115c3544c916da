#include "server/registry/model_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "server/registry/registry.h"
#include "server/registry/sqlite.h"
#include "server/registry/store_copy.h"
#include "tests/server/registry/fixtures.h"

namespace torqued::server {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

StoreTime At(int seconds) { return StoreTime(std::chrono::seconds(seconds)); }

// What a revision holds is none of the store's business.
Registration Store(ModelStore& store, const std::string& name,
                   const std::string& revision, const std::string& label = "",
                   const std::string& source = "<robot/>") {
  RegisterRequest request;
  request.name = name;
  request.label = label;
  request.file_hash = "hash";
  std::string before;
  return store.Register(request, Content(revision, source), &before);
}

std::string CurrentOf(ModelStore& store, const std::string& name) {
  return store.Find({.name = name}, 1).at(0).revision;
}

TEST(ModelStore, RegisteringAgainWritesNothing) {
  const TemporaryDirectory directory;
  const std::string path = directory / "models.db";
  const auto store = OpenStore(path);
  const Registration first = Store(*store, "arm", "r1", "good");
  const std::string log_before = ReadFile(path + "-wal");
  ASSERT_FALSE(log_before.empty());

  const Registration again = Store(*store, "arm", "r1", "good");
  EXPECT_EQ(again.registered_at, first.registered_at);
  EXPECT_EQ(ReadFile(path + "-wal"), log_before);

  // What does change something is written.
  Store(*store, "arm", "r1", "other");
  EXPECT_NE(ReadFile(path + "-wal"), log_before);
}

TEST(ModelStore, PrefixesFitWholeDigitsOnly) {
  const TemporaryDirectory directory;
  const auto store = OpenStore(directory / "models.db");
  for (const char* revision : {"ab", "abf", "abff", "ac", "aa"}) {
    Store(*store, "arm", revision);
  }
  Store(*store, "leg", "abcd");
  const auto found = [&](const std::string& name, int limit) {
    std::vector<std::string> revisions;
    for (const auto& registration :
         store->Find({.name = name, .prefix = "ab"}, limit)) {
      EXPECT_EQ(registration.name, name);
      revisions.push_back(registration.revision);
    }
    return revisions;
  };
  EXPECT_THAT(found("", 9), ElementsAre("ab", "abcd", "abf", "abff"));
  EXPECT_THAT(found("", 2), ElementsAre("ab", "abcd"));
  EXPECT_THAT(found("arm", 9), ElementsAre("ab", "abf", "abff"));
}

TEST(ModelStore, SecondServerIsRefusedWithAPlainMessage) {
  const TemporaryDirectory directory;
  const std::string path = directory / "models.db";
  auto store = OpenStore(path);
  const std::string pid = "(pid " + std::to_string(getpid()) + ")";
  EXPECT_THAT(WhyItDoesNotOpen(path),
              AllOf(HasSubstr(path), HasSubstr("in use by another torqued"),
                    HasSubstr(pid)));
  // By another path it is the same file.
  fs::create_symlink(path, directory / "link.db");
  EXPECT_THAT(WhyItDoesNotOpen(directory / "link.db"), HasSubstr(pid));
  fs::create_directory(directory / "below");
  EXPECT_THAT(WhyItDoesNotOpen(directory / "below/../models.db"),
              HasSubstr(pid));
  // The refused one has not taken the holder's lock with it.
  EXPECT_THAT(WhyItDoesNotOpen(path), HasSubstr(pid));
  Store(*store, "arm", "r1");

  store.reset();
  EXPECT_EQ(WhyItDoesNotOpen(path), "");
}

TEST(ModelStore, WhatIsNoFileIsRefused) {
  const TemporaryDirectory directory;
  WriteFile(directory / "file", "");
  EXPECT_THAT(WhyItDoesNotOpen(directory / "file/models.db"),
              HasSubstr("cannot create"));
  fs::create_directory(directory / "models.db");
  EXPECT_THAT(WhyItDoesNotOpen(directory / "models.db"),
              HasSubstr("is a directory"));
  for (const char* path : {"", ":memory:", "file:x?mode=memory"}) {
    EXPECT_THAT(WhyItDoesNotOpen(path), HasSubstr("not the path of a file"));
  }
}

TEST(ModelStore, CorruptFileIsReportedAndLeftAlone) {
  const TemporaryDirectory directory;
  const std::string whole = directory / "whole.db";
  {
    const auto store = OpenStore(whole);
    const std::string source(100'000, 's');
    for (const char* revision : {"r1", "r2", "r3"}) {
      Store(*store, "arm", revision, "", source);
    }
  }
  const std::string bytes = ReadFile(whole);
  ASSERT_GT(bytes.size(), 300'000u);
  std::string overwritten = bytes;
  overwritten.replace(4096, 200, std::string(200, '\xee'));

  const std::string path = directory / "models.db";
  for (const std::string& content :
       {std::string("not a database, but somebody's notes\n"),
        std::string(1 << 16, '\0'), bytes.substr(0, 50),
        bytes.substr(0, bytes.size() / 2), overwritten}) {
    WriteFile(path, content);
    EXPECT_THAT(WhyItDoesNotOpen(path),
                AllOf(HasSubstr(path), HasSubstr("damaged")));
    EXPECT_TRUE(ReadFile(path) == content);
  }
  // And twin: the bytes as they were do open.
  WriteFile(path, bytes);
  EXPECT_EQ(WhyItDoesNotOpen(path), "");
}

TEST(ModelStore, NewerSchemaIsRefusedAndItsLogNotCopiedIntoTheFile) {
  const TemporaryDirectory directory;
  const std::string path = directory / "models.db";
  const std::string copy = directory / "copy.db";
  {
    const auto store = OpenStore(path);
    Store(*store, "arm", "r1");
    // As a killed server leaves them, later than which only the log is new.
    RunSql(path, "PRAGMA user_version = 5");
    fs::copy_file(path, copy);
    fs::copy_file(path + "-wal", copy + "-wal");
  }
  const std::string file = ReadFile(copy);
  const std::string log = ReadFile(copy + "-wal");
  ASSERT_FALSE(log.empty());
  EXPECT_THAT(WhyItDoesNotOpen(copy),
              AllOf(HasSubstr("newer torqued"), HasSubstr("schema 5"),
                    HasSubstr("reads 3 and 4")));
  EXPECT_TRUE(ReadFile(copy) == file);
  EXPECT_TRUE(ReadFile(copy + "-wal") == log);
}

TEST(ModelStore, DatabaseOfAnotherProgramIsRefused) {
  const TemporaryDirectory directory;
  const std::string path = directory / "models.db";
  RunSql(path, "CREATE TABLE recipes (soup TEXT)");
  const std::string before = ReadFile(path);
  EXPECT_THAT(WhyItDoesNotOpen(path), HasSubstr("another program"));
  EXPECT_TRUE(ReadFile(path) == before);
}

TEST(ModelStore, AStoreOfSchema3IsConvertedAndKeepsItsModels) {
  const TemporaryDirectory directory;
  const std::string path = directory / "models.db";
  ASSERT_EQ(
      RunSql(path, ReadFile(TORQUED_REGISTRY_DATA "/store_of_schema_3.sql")),
      "");
  const auto check = [&] { return CheckStore(path); };
  EXPECT_THAT(check().damage, IsEmpty());
  EXPECT_EQ(check().schema, 3);
  for (int open = 0; open < 2; ++open) {
    Registry registry(OpenStore(path));
    EXPECT_EQ(Value(registry.List(0, "")).models.size(), 3u);
    EXPECT_EQ(Where(registry, "arm"), RevisionOf(3));
    EXPECT_EQ(Where(registry, "arm@second"), RevisionOf(5));
    const auto checked = Value(registry.Resolve("arm@checked"));
    EXPECT_EQ(checked.loaded->problem, "");
    EXPECT_EQ(checked.loaded->options->default_tip, "bob");
    EXPECT_EQ(checked.registered_at,
              At(1795408200) + std::chrono::microseconds(95397));
    Value(registry.Register(Request("leg", 5 + open, "new")));
  }
  EXPECT_THAT(check().damage, IsEmpty());
  EXPECT_EQ(check().schema, 4);
}

TEST(ModelStore, AConversionThatFailsLeavesTheStoreOfSchema3) {
  const TemporaryDirectory directory;
  const std::string path = directory / "models.db";
  RunSql(path, ReadFile(TORQUED_REGISTRY_DATA "/store_of_schema_3.sql"));
  RunSql(path, "ALTER TABLE summaries DROP COLUMN checksum");
  const std::string tables =
      "SELECT group_concat(sql) || group_concat(name) FROM sqlite_schema";
  const std::string before = RunSql(path, tables);
  EXPECT_THAT(WhyItDoesNotOpen(path), HasSubstr("cannot bring its tables"));
  EXPECT_EQ(RunSql(path, tables), before);
  EXPECT_EQ(RunSql(path, "PRAGMA user_version"), "3");
}

TEST(ModelStore, RegistrationSurvivesPowerLossBySettings) {
  const TemporaryDirectory directory;
  const std::string path = directory / "models.db";
  SqliteConnection connection(path);
  PrepareSchema(connection);
  EXPECT_EQ(connection.One(FirstText, "PRAGMA journal_mode"), "wal");
  EXPECT_EQ(connection.One(FirstInteger, "PRAGMA synchronous"), 2);  // FULL
  EXPECT_EQ(connection.One(FirstInteger, "PRAGMA foreign_keys"), 1);
  EXPECT_EQ(connection.One(FirstInteger, "PRAGMA busy_timeout"), 5000);
}

TEST(ModelStore, FailedRegistrationLeavesNothing) {
  const TemporaryDirectory directory;
  const std::string path = directory / "models.db";
  const auto store = OpenStore(path);
  Store(*store, "arm", "r1");
  // Fails at the last step, after the revision, history and pointer.
  RunSql(path,
         "CREATE TRIGGER refuse BEFORE INSERT ON labels"
         " BEGIN SELECT RAISE(ABORT, 'no labels today'); END");
  const auto outcome =
      Answer([&] { return Store(*store, "arm", "r2", "good"); });
  EXPECT_THAT(std::get<RegistryError>(outcome).message,
              HasSubstr("no labels today"));
  EXPECT_EQ(CurrentOf(*store, "arm"), "r1");
  EXPECT_FALSE(store->ReadRevision("r2"));
  // And the store goes on.
  Store(*store, "arm", "r2");
  EXPECT_EQ(CurrentOf(*store, "arm"), "r2");
}

}  // namespace
}  // namespace torqued::server
