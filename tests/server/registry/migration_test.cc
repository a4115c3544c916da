// A store that an older version wrote.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/registry/registry.h"
#include "server/registry/store_backup.h"
#include "server/registry/store_check.h"
#include "tests/server/registry/fixtures.h"

namespace torqued::server {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kOptions1 = "base=fixed;mimic=independent;strict=0;tip=";
constexpr int kCrash = 7;

// What revisions of layout 1 were.
std::string Former(int mass, std::string_view options = kOptions1) {
  return ComputeRevision("urdf", Urdf(mass), options, "1");
}
std::string Checked() {
  return Former(2, "base=fixed;mimic=independent;strict=1;tip=bob");
}
std::string CheckedNow() {
  return ComputeRevision(
      "urdf", Urdf(2),
      RegistrationOptions{.default_tip = "bob",
                          .validation = Validation::kStrict});
}

// All rows of all tables.
std::string Content(const std::string& path) {
  const std::pair<const char*, const char*> tables[] = {
      {"revisions", "revision || format || options || hex(source)"},
      {"history", "name || revision || registered_at"},
      {"names", "name || revision"},
      {"labels", "name || label || revision"},
      {"directory_files", "name || content_hash"}};
  std::string all;
  for (const auto& [table, row] : tables) {
    all += RunSql(path, std::string("SELECT group_concat(row, char(10)) FROM "
                                    "(SELECT ") +
                            row + " AS row FROM " + table + " ORDER BY 1)") +
           '\n';
  }
  EXPECT_THAT(all, AllOf(HasSubstr("legbest"), HasSubstr("benchd17d8dcc")));
  return all;
}

/// A store as a version wrote it whose tables were of that schema.
struct OldStore {
  explicit OldStore(int schema) {
    const std::string old =
        RunSql(path_, ReadFile(TORQUED_REGISTRY_DATA "/store_of_schema_" +
                               std::to_string(schema) + ".sql"));
    EXPECT_EQ(old, "");
    EXPECT_EQ(RunSql(path_, "PRAGMA journal_mode = WAL"), "wal");
  }

  TemporaryDirectory directory_;
  std::string path_ = directory_ / "models.db";
};

class MigrationTest : public testing::TestWithParam<int>, public OldStore {
 protected:
  MigrationTest() : OldStore(GetParam()) {}
};

INSTANTIATE_TEST_SUITE_P(OfSchema, MigrationTest, testing::Values(1, 2));

StoreCheck CheckOf(const std::string& path) {
  return std::get<StoreCheck>(CheckStore(path));
}

TEST_P(MigrationTest, AnOlderStoreIsWholeBeforeAndAfterAndCanBeBackedUp) {
  EXPECT_THAT(CheckOf(path_).damage, IsEmpty());
  const std::string copy = directory_ / "copy.db";
  EXPECT_EQ(BackUpStore(path_, copy, {}), std::nullopt);
  EXPECT_EQ(CheckOf(copy).schema, GetParam());
  EXPECT_EQ(Content(copy), Content(path_));
  OpenStore(path_);
  EXPECT_THAT(CheckOf(path_).damage, IsEmpty());
  EXPECT_EQ(CheckOf(path_).schema, 3);
}

TEST_P(MigrationTest, AFormerRevisionThatLeadsNowhereIsDamage) {
  OpenStore(path_);
  RunSql(path_,
         "INSERT INTO former_revisions (former, revision)"
         " VALUES ('aa', 'bb')");
  EXPECT_THAT(
      CheckOf(path_).damage,
      ElementsAre(
          "former revision aa: is not what was stored; its checksum is another",
          "former revision aa: revision bb is missing"));
}

TEST_P(MigrationTest, AnAlteredFormerRevisionIsToldAndLeadsNowhere) {
  // When it is opened the next time it is mended.
  Registry registry(OpenStore(path_));
  RunSql(path_, "UPDATE former_revisions SET revision = '" + RevisionOf(3) +
                    "' WHERE former = '" + Former(1) + "'");
  EXPECT_THAT(CheckOf(path_).damage,
              ElementsAre("former revision " + Former(1) +
                          ": is not what was stored; its checksum is another"));
  for (const std::string& reference : {'@' + Former(1), "arm@" + Former(1)}) {
    const auto entry = Value(registry.Resolve(reference));
    EXPECT_EQ(entry.loaded->model, nullptr);
    EXPECT_THAT(entry.loaded->problem, HasSubstr("the model store is damaged"));
  }
  auto request = Request("arm", 5);
  request.expected_current = Former(1);
  EXPECT_EQ(Error(registry.Register(request)).code,
            RegistryError::Code::kConflict);
}

TEST_P(MigrationTest, AlteredFormerRevisionsAreMendedWhenTheStoreIsOpened) {
  OpenStore(path_);
  const auto all = [this] {
    return RunSql(path_,
                  "SELECT group_concat(former || revision || checksum) FROM"
                  " (SELECT * FROM former_revisions ORDER BY former)");
  };
  const std::string whole = all();
  EXPECT_THAT(whole, HasSubstr(Former(1)));
  for (const std::string& harm :
       {"revision = '" + RevisionOf(3) + "' WHERE former = '" + Former(1) + "'",
        "former = 'f' WHERE former = '" + Former(1) + "'",
        "checksum = 7 WHERE former = '" + Checked() + "'",
        std::string("checksum = checksum + 1")}) {
    ASSERT_EQ(RunSql(path_, "UPDATE former_revisions SET " + harm), "");
    EXPECT_FALSE(CheckOf(path_).damage.empty()) << harm;
    OpenStore(path_);
    EXPECT_THAT(CheckOf(path_).damage, IsEmpty()) << harm;
    EXPECT_EQ(all(), whole) << harm;
  }
  // One that fits nothing there is.
  RunSql(path_,
         "INSERT INTO former_revisions (former, revision) VALUES ('f', '" +
             std::string(64, '0') + "')");
  OpenStore(path_);
  EXPECT_EQ(all(), whole);
}

TEST_P(MigrationTest, FormerRevisionsThatCannotBeMendedKeepNoStoreFromOpening) {
  OpenStore(path_);
  ASSERT_EQ(
      RunSql(path_,
             "UPDATE former_revisions SET revision = '" + RevisionOf(3) +
                 "' WHERE former = '" + Former(1) +
                 "'; CREATE TRIGGER harm BEFORE DELETE ON"
                 " former_revisions BEGIN SELECT RAISE(ABORT, 'no'); END"),
      "");
  std::string warning;
  Registry registry(OpenStore(
      path_, {.warn = [&](const std::string& why) { warning += why; }}));
  EXPECT_EQ(warning,
            "damage to revisions of older layouts cannot be mended: no");
  EXPECT_EQ(Where(registry, "arm"), RevisionOf(3));
  const auto entry = Value(registry.Resolve('@' + Former(1)));
  EXPECT_THAT(entry.loaded->problem, HasSubstr("the model store is damaged"));
  Value(registry.Register(Request("new", 7)));
}

TEST_P(MigrationTest, NamesLabelsAndOldRevisionsLeadOn) {
  Registry registry(OpenStore(path_));
  const std::string first = RevisionOf(1), third = RevisionOf(3);
  EXPECT_NE(first, Former(1));
  EXPECT_EQ(Where(registry, "arm"), third);
  EXPECT_EQ(Where(registry, "leg"), first);
  EXPECT_EQ(Where(registry, "bench"), RevisionOf(4));
  EXPECT_EQ(Where(registry, "arm@first"), first);
  EXPECT_EQ(Where(registry, "arm@checked"), CheckedNow());
  EXPECT_EQ(Where(registry, "leg@best"), first);
  const struct {
    std::string former, now;
  } revisions[] = {
      {Former(1), first}, {Checked(), CheckedNow()}, {Former(3), third}};
  for (const auto& [former, now] : revisions) {
    for (const std::size_t digits : {8, 12, 63, 64}) {
      for (const std::string& revision : {former, now}) {
        const std::string prefix = revision.substr(0, digits);
        EXPECT_EQ(Where(registry, "@" + prefix), now);
        EXPECT_EQ(Where(registry, "arm@" + prefix), now);
      }
    }
  }
  EXPECT_THAT(Where(registry, "leg@" + Checked()), HasSubstr("no revision"));
  EXPECT_THAT(Where(registry, "gone"), HasSubstr("no model is named"));
}

TEST_P(MigrationTest, WhatWasRegisteredIsWhatItWas) {
  Registry registry(OpenStore(path_));
  const auto checked = Value(registry.Resolve("arm@checked"));
  ASSERT_NE(checked.loaded->model, nullptr) << checked.loaded->problem;
  ASSERT_TRUE(checked.loaded->options);
  EXPECT_EQ(checked.loaded->options->validation, Validation::kStrict);
  EXPECT_EQ(checked.loaded->options->default_tip, "bob");
  EXPECT_EQ(checked.loaded->source, Urdf(2));
  EXPECT_THAT(checked.labels, ElementsAre("checked"));
  EXPECT_EQ(checked.registered_at.time_since_epoch(),
            std::chrono::microseconds(1795408200095397));
  const auto leg = Value(registry.Resolve("leg"));
  EXPECT_EQ(leg.loaded->options->validation, Validation::kDefault);
  // The same content again is no change.
  EXPECT_FALSE(Value(registry.Register(Request("arm", 3))).changed);
}

TEST_P(MigrationTest, OldRevisionsHoldAsWhatIsExpected) {
  Registry registry(OpenStore(path_));
  auto request = Request("arm", 5);
  request.expected_current = Former(1);
  EXPECT_EQ(Error(registry.Register(request)).code,
            RegistryError::Code::kConflict);
  request.expected_current = Former(3);
  EXPECT_TRUE(Value(registry.Register(request)).changed);
  EXPECT_TRUE(registry.Delete("leg", Former(2)));
  EXPECT_FALSE(registry.Delete("leg", Former(1)));
}

TEST_P(MigrationTest, WhatIsDeletedTakesItsOldRevisionAlong) {
  Registry registry(OpenStore(path_));
  EXPECT_FALSE(registry.Delete("bench", std::nullopt));
  EXPECT_THAT(Where(registry, "@" + Former(4)), HasSubstr("no model has"));
  // Another name still has it.
  EXPECT_FALSE(registry.Delete("leg", std::nullopt));
  EXPECT_EQ(Where(registry, "@" + Former(1)), RevisionOf(1));
}

TEST_P(MigrationTest, FilesThatDidNotChangeAreNotRegisteredAgain) {
  Registry registry(OpenStore(path_));
  const std::string models = directory_ / "models";
  std::filesystem::create_directory(models);
  WriteFile(models + "/bench.urdf", Urdf(4));
  // Nor does the name go back to them from where it was moved meanwhile.
  EXPECT_TRUE(Value(registry.Register(Request("bench", 5))).changed);
  EXPECT_FALSE(registry.LoadDirectories({models}).at(0).changed);
  EXPECT_EQ(Where(registry, "bench"), RevisionOf(5));
  EXPECT_TRUE(
      registry.LoadDirectories({models}, Validation::kStrict).at(0).changed);
}

TEST(MigrationOfLayout1, DamagedAndUnknownRowsStayAndAreToldAsSuch) {
  const OldStore old(1);
  const std::string& path_ = old.path_;
  const std::string options = "base=floating;mimic=independent;strict=0;tip=";
  const std::string unknown = Former(4, options);
  RunSql(path_, "UPDATE revisions SET source = x'78' WHERE revision = '" +
                    Former(3) + "'");
  RunSql(path_, "PRAGMA foreign_keys = OFF; UPDATE revisions SET options = '" +
                    options + "', revision = '" + unknown +
                    "' WHERE revision = '" + Former(4) +
                    "'; UPDATE history SET revision = '" + unknown +
                    "' WHERE name = 'bench'; UPDATE names SET revision = '" +
                    unknown + "' WHERE name = 'bench'");
  Registry registry(OpenStore(path_));
  const auto damaged = Value(registry.Resolve("arm"));
  EXPECT_THAT(damaged.loaded->problem, HasSubstr("damaged"));
  EXPECT_EQ(damaged.loaded->revision, Former(3));
  const auto newer = Value(registry.Resolve("bench@" + unknown));
  EXPECT_THAT(newer.loaded->problem, HasSubstr("base=floating"));
  EXPECT_FALSE(newer.loaded->options);
  EXPECT_EQ(Where(registry, "leg"), RevisionOf(1));
}

TEST_P(MigrationTest, AnErrorInTheMiddleLeavesTheStoreAsItWas) {
  RunSql(path_,
         "CREATE TRIGGER full BEFORE UPDATE ON labels WHEN old.label = 'best' "
         "BEGIN SELECT RAISE(ABORT, 'the disk is full'); END");
  const std::string before = Content(path_);
  EXPECT_THAT(WhyItDoesNotOpen(path_), AllOf(HasSubstr("the disk is full"),
                                             HasSubstr("left as they are")));
  EXPECT_EQ(Content(path_), before);
  EXPECT_EQ(RunSql(path_, "PRAGMA user_version"), std::to_string(GetParam()));
  RunSql(path_, "DROP TRIGGER full");
  Registry registry(OpenStore(path_));
  EXPECT_EQ(Where(registry, "leg@" + Former(1)), RevisionOf(1));
}

// A function for SQL that ends the process.
int AddCrash(sqlite3* connection, const char** /*error*/,
             const sqlite3_api_routines* /*api*/) {
  return sqlite3_create_function(
      connection, "crash", 0, SQLITE_UTF8 | SQLITE_INNOCUOUS, nullptr,
      [](sqlite3_context*, int, sqlite3_value**) { _exit(kCrash); }, nullptr,
      nullptr);
}

TEST_P(MigrationTest, ACrashInTheMiddleLosesNothing) {
  const std::string before = Content(path_);
  RunSql(path_,
         "CREATE TRIGGER power BEFORE UPDATE ON labels WHEN old.label = 'best' "
         "BEGIN SELECT crash(); END");
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    sqlite3_auto_extension(reinterpret_cast<void (*)()>(AddCrash));
    OpenSqliteStore(path_);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  ASSERT_EQ(WEXITSTATUS(status), kCrash) << "it did not crash in the middle";
  EXPECT_EQ(Content(path_), before);
  RunSql(path_, "DROP TRIGGER power");
  Registry registry(OpenStore(path_));
  EXPECT_EQ(Where(registry, "arm@" + Checked()), CheckedNow());
  EXPECT_EQ(RunSql(path_, "PRAGMA user_version"), "3");
}

TEST_P(MigrationTest, ListsAskForNoModelAfterTheFirst) {
  Registry registry(OpenStore(path_));
  EXPECT_EQ(RunSql(path_, "SELECT count(*) FROM summaries"), "0");
  Value(registry.List(0, ""));
  EXPECT_EQ(RunSql(path_, "SELECT count(*) FROM summaries"), "3");
  RunSql(path_, "UPDATE revisions SET source = x'00'");
  const auto page = Value(registry.List(0, ""));
  ASSERT_EQ(page.models.size(), 3u);
  for (const ListedModel& model : page.models) {
    EXPECT_EQ(model.summary, SummaryOfPendulum());
    EXPECT_NE(model.registered_at.time_since_epoch().count(), 0);
  }
}

TEST_P(MigrationTest, NewTablesAreThoseOfANewStore) {
  OpenStore(path_);
  const std::string fresh = directory_ / "fresh.db";
  OpenStore(fresh);
  for (const std::string& path : {path_, fresh}) {
    EXPECT_EQ(RunSql(path, "PRAGMA user_version"), "3");
  }
  const char* const tables =
      "SELECT group_concat(sql, ';') FROM"
      " (SELECT sql FROM sqlite_schema ORDER BY type, name)";
  EXPECT_THAT(RunSql(path_, tables), HasSubstr("checksum INTEGER"));
  EXPECT_EQ(RunSql(path_, tables), RunSql(fresh, tables));
}

TEST_P(MigrationTest, ASecondOpeningChangesNothing) {
  OpenStore(path_).reset();
  const std::string once = Content(path_);
  OpenStore(path_).reset();
  EXPECT_EQ(Content(path_), once);
}

}  // namespace
}  // namespace torqued::server
