// A store in which rows were altered or lost behind the server's back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "server/registry/registry.h"
#include "server/registry/store_check.h"
#include "tests/server/registry/fixtures.h"

namespace torqued::server {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

StoreCheck CheckOf(const std::string& path) {
  auto checked = CheckStore(path);
  if (const auto* why = std::get_if<std::string>(&checked)) {
    ADD_FAILURE() << *why;
    return {};
  }
  return std::get<StoreCheck>(std::move(checked));
}

/// A closed store: arm is at revision 2, was at 1, which is arm@first; leg at
/// 3; hand at 4, from a directory.
class StoreDamageTest : public testing::Test {
 protected:
  StoreDamageTest() {
    Registry registry(OpenStore(path_));
    Value(registry.Register(Request("arm", 1, "first")));
    Value(registry.Register(Request("arm", 2)));
    Value(registry.Register(Request("leg", 3)));
    std::filesystem::create_directory(models_);
    WriteFile(models_ + "/hand.urdf", Urdf(4));
    EXPECT_TRUE(registry.LoadDirectories({models_}).at(0).ok);
  }

  void Harm(const std::string& sql) {
    ASSERT_EQ(RunSql(path_, "PRAGMA foreign_keys = OFF; " + sql), "");
  }

  /// That a reference leads to damage, which is told.
  void ExpectBroken(Registry& registry, const std::string& reference,
                    const std::string& why) {
    EXPECT_FALSE(registry.ResolveLoaded(reference));
    const auto entry = Value(registry.Resolve(reference));
    ASSERT_NE(entry.loaded, nullptr);
    EXPECT_EQ(entry.loaded->model, nullptr);
    EXPECT_THAT(entry.loaded->problem,
                AllOf(HasSubstr("the model store is damaged"), HasSubstr(why)));
  }

  void ExpectListed(Registry& registry, const std::string& broken,
                    const std::string& why) {
    int found = 0;
    for (const ListedModel& model : Value(registry.List(0, "")).models) {
      if (model.name != broken) {
        EXPECT_EQ(model.summary.problem, "") << model.name;
        continue;
      }
      ++found;
      EXPECT_THAT(model.summary.problem, HasSubstr(why));
      EXPECT_EQ(model.summary.nq, 0);
    }
    EXPECT_EQ(found, 1) << broken;
  }

  TemporaryDirectory directory_;
  const std::string path_ = directory_ / "models.db";
  const std::string models_ = directory_ / "models";
  const std::string first_ = RevisionOf(1), second_ = RevisionOf(2);
};

TEST_F(StoreDamageTest, AWholeStoreIsGood) {
  EXPECT_THAT(CheckOf(path_).damage, IsEmpty());
  EXPECT_EQ(CheckOf(path_).schema, 3);
  Registry registry(OpenStore(path_));
  for (const ListedModel& model : Value(registry.List(0, "")).models) {
    EXPECT_EQ(model.summary, SummaryOfPendulum());
  }
}

struct Pointer {
  const char* what;
  const char* harm;
  const char* told;   // on reading
  const char* check;  // by `store check`
};

void PrintTo(const Pointer& pointer, std::ostream* out) {
  *out << pointer.what;
}

class PointerDamageTest : public StoreDamageTest,
                          public testing::WithParamInterface<Pointer> {};

TEST_P(PointerDamageTest, IsToldOnReadingAndByCheckAndARegistrationMendsIt) {
  std::string harm = GetParam().harm;
  for (const auto& [word, revision] :
       {std::pair("FIRST", first_), std::pair("SECOND", second_)}) {
    while (harm.find(word) != std::string::npos) {
      harm.replace(harm.find(word), std::string(word).size(),
                   "'" + revision + "'");
    }
  }
  Harm(harm);
  EXPECT_THAT(CheckOf(path_).damage, Contains(HasSubstr(GetParam().check)));
  Registry registry(OpenStore(path_));
  ExpectBroken(registry, "arm", GetParam().told);
  if (GetParam().what != std::string("Lost")) {
    ExpectListed(registry, "arm", GetParam().told);
  }
  EXPECT_EQ(Where(registry, "leg"), RevisionOf(3));
  Value(registry.Register(Request("arm", 2)));
  const auto mended = registry.ResolveLoaded("arm");
  ASSERT_TRUE(mended);
  EXPECT_EQ(mended->loaded->revision, second_);
  EXPECT_THAT(CheckOf(path_).damage, IsEmpty());
  for (const ListedModel& model : Value(registry.List(0, "")).models) {
    EXPECT_EQ(model.summary, SummaryOfPendulum());
  }
}

INSTANTIATE_TEST_SUITE_P(
    OfAName, PointerDamageTest,
    testing::Values(
        // To a revision that is there and that the name has had.
        Pointer{"Altered",
                "UPDATE names SET revision = FIRST WHERE name = 'arm'",
                "is not what was stored", "name arm: is not what was stored"},
        Pointer{"AlteredSum",
                "UPDATE names SET checksum = checksum + 1 WHERE name = 'arm'",
                "is not what was stored", "name arm: is not what was stored"},
        Pointer{"Lost", "DELETE FROM names WHERE name = 'arm'",
                "has a history and points at nothing",
                "name arm: has a history and points at nothing"},
        Pointer{"NotInHistory",
                "DELETE FROM history WHERE name = 'arm' AND revision = SECOND",
                "not in its history", "which is not in its history"},
        Pointer{"AlteredTime",
                "UPDATE history SET registered_at = 7 WHERE revision = SECOND",
                "an entry of the name's history is not what was stored",
                "is not what was stored"},
        Pointer{"RevisionMissing",
                "DELETE FROM revisions WHERE revision = SECOND", "is missing",
                "is missing"}),
    [](const auto& test) { return test.param.what; });

TEST_F(StoreDamageTest, AnAlteredNameIsListedAndTheOtherIsMissed) {
  Harm("UPDATE names SET name = 'arn' WHERE name = 'arm'");
  EXPECT_THAT(CheckOf(path_).damage,
              AllOf(Contains("name arn: is not what was stored; its checksum "
                             "is another"),
                    Contains("name arm: has a history and points at nothing")));
  Registry registry(OpenStore(path_));
  ExpectBroken(registry, "arn", "is not what was stored");
  ExpectBroken(registry, "arm", "points at nothing");
  ExpectListed(registry, "arn", "is not what was stored");
  // Both may be deleted.
  EXPECT_FALSE(registry.Delete("arn", std::nullopt));
  EXPECT_FALSE(registry.Delete("arm", std::nullopt));
  EXPECT_THAT(CheckOf(path_).damage, IsEmpty());
}

TEST_F(StoreDamageTest, AnAlteredLabelIsToldAndMendedByRegisteringIt) {
  Harm("UPDATE labels SET revision = '" + second_ + "'");
  EXPECT_THAT(CheckOf(path_).damage,
              ElementsAre("label arm@first: is not what was stored; its "
                          "checksum is another"));
  Registry registry(OpenStore(path_));
  ExpectBroken(registry, "arm@first", "is not what was stored");
  EXPECT_EQ(Where(registry, "arm"), second_);
  Value(registry.Register(Request("arm", 1, "first")));
  EXPECT_EQ(Where(registry, "arm@first"), first_);
  EXPECT_THAT(CheckOf(path_).damage, IsEmpty());
}

TEST_F(StoreDamageTest, ARevisionThatLeftItsHistoryIsTold) {
  Harm("DELETE FROM history WHERE revision = '" + first_ + "'");
  EXPECT_THAT(
      CheckOf(path_).damage,
      ElementsAre(AllOf(HasSubstr("label arm@first: points at"),
                        HasSubstr("not in the name's history")),
                  "revision " + first_ + ": is in the history of no name"));
  Registry registry(OpenStore(path_));
  ExpectBroken(registry, "arm@first", "not in its history");
}

TEST_F(StoreDamageTest, AnAlteredEntryOfTheHistoryIsToldByItsPrefix) {
  Harm("UPDATE history SET registered_at = 7 WHERE revision = '" + first_ +
       "'");
  Registry registry(OpenStore(path_));
  ExpectBroken(registry, "arm@" + first_.substr(0, 12), "history");
  EXPECT_EQ(Where(registry, "arm"), second_);
}

// Whether it was loaded decides whether a start undoes a registration by call.
TEST_F(StoreDamageTest, AnAlteredNoteOfADirectoryMovesNoPointer) {
  {
    Registry registry(OpenStore(path_));
    Value(registry.Register(Request("hand", 5)));
  }
  Harm("UPDATE directory_files SET content_hash = '0'");
  EXPECT_THAT(CheckOf(path_).damage,
              ElementsAre(HasSubstr("file of hand: is not what was stored")));
  Registry registry(OpenStore(path_));
  const auto entries = registry.LoadDirectories({models_});
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_FALSE(entries[0].ok);
  EXPECT_THAT(entries[0].message, HasSubstr("is not what was stored"));
  EXPECT_EQ(Where(registry, "hand"), RevisionOf(5));
  // It is mended by that: a file that changes afterwards is loaded.
  EXPECT_THAT(CheckOf(path_).damage, IsEmpty());
  EXPECT_FALSE(registry.LoadDirectories({models_}).at(0).changed);
  WriteFile(models_ + "/hand.urdf", Urdf(6));
  EXPECT_TRUE(registry.LoadDirectories({models_}).at(0).ok);
  EXPECT_EQ(Where(registry, "hand"), RevisionOf(6));
}

TEST_F(StoreDamageTest, WhatADamagedHistoryLostIsNotDeletedWithAnotherName) {
  const std::string third = RevisionOf(3);
  {
    Registry registry(OpenStore(path_));
    Value(registry.Register(Request("leg", 3, "label")));
    Value(registry.Register(Request("arm", 3)));
  }
  Harm("DELETE FROM history WHERE name = 'leg'");
  Registry registry(OpenStore(path_));
  EXPECT_FALSE(registry.Delete("arm", std::nullopt));
  ExpectBroken(registry, "leg", "not in its history");
  EXPECT_EQ(Where(registry, '@' + third), third);
  Value(registry.Register(Request("leg", 3)));
  EXPECT_EQ(Where(registry, "leg@label"), third);
  EXPECT_THAT(CheckOf(path_).damage, IsEmpty());
}

class NoChecksumTest : public StoreDamageTest,
                       public testing::WithParamInterface<const char*> {};

// As one bit of a record's header can make of a number.
TEST_P(NoChecksumTest, IsDamageThatARegistrationMends) {
  const std::string table = GetParam();
  Harm(
      "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace("
      "sql, 'checksum INTEGER NOT NULL', 'checksum INTEGER') WHERE name = '" +
      table + "'; PRAGMA writable_schema = RESET; UPDATE " + table +
      " SET checksum = NULL");
  ASSERT_NE(RunSql(path_,
                   "SELECT count(*) FROM " + table + " WHERE checksum IS NULL"),
            "0");
  EXPECT_THAT(CheckOf(path_).damage, Contains(HasSubstr("checksum")));
  Registry registry(OpenStore(path_));
  const bool leads = table != "directory_files" && table != "summaries";
  if (leads) {
    ExpectBroken(registry, table == "labels" ? "arm@first" : "arm",
                 "is not what was stored");
  }
  Value(registry.Register(Request("arm", 1, "first")));
  Value(registry.Register(Request("arm", 2)));
  Value(registry.Register(Request("leg", 3)));
  Value(registry.Register(Request("hand", 4)));
  registry.LoadDirectories({models_});
  EXPECT_THAT(CheckOf(path_).damage, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(In, NoChecksumTest,
                         testing::Values("names", "history", "labels",
                                         "directory_files", "summaries"),
                         [](const auto& test) { return test.param; });

TEST_F(StoreDamageTest, AnAlteredLabelIsNoneOfItsRevision) {
  Harm("UPDATE labels SET label = 'firsu'");
  Registry registry(OpenStore(path_));
  EXPECT_THAT(Value(registry.Resolve("arm@" + first_.substr(0, 12))).labels,
              IsEmpty());
  ExpectBroken(registry, "arm@firsu", "is not what was stored");
}

TEST_F(StoreDamageTest, AnAlteredSummaryIsDamage) {
  Harm("UPDATE summaries SET nq = 7 WHERE revision = '" + first_ + "'");
  EXPECT_THAT(CheckOf(path_).damage,
              ElementsAre("summary of revision " + first_ +
                          ": is not what was stored; its checksum is another"));
}

// It is in no tree and on no list, so no query reads it.
TEST_F(StoreDamageTest, APageThatIsLostIsFoundAmongThePages) {
  std::string bytes = ReadFile(path_);
  const std::size_t pages = bytes.size() / 4096;
  ASSERT_EQ(bytes.size(), pages * 4096);
  ASSERT_LT(pages, 255u);
  bytes.append(4096, '\0');
  // The number of pages in the header: 4 bytes, the last one first to grow.
  ASSERT_EQ(static_cast<std::size_t>(bytes[31] & 0xFF), pages);
  bytes[31] = static_cast<char>(pages + 1);
  WriteFile(path_, bytes);
  EXPECT_THAT(CheckOf(path_).damage,
              ElementsAre(AllOf(testing::StartsWith("pages: "),
                                HasSubstr(std::to_string(pages + 1)),
                                HasSubstr("never used"))));
}

struct Column {
  const char* table;
  const char* column;
};

void PrintTo(const Column& column, std::ostream* out) {
  *out << column.table << '.' << column.column;
}

class ColumnTest : public testing::TestWithParam<Column> {};

TEST_P(ColumnTest, ThatIsNotThereIsDamage) {
  const auto& [table, column] = GetParam();
  const TemporaryDirectory directory;
  const std::string path = directory / "models.db";
  Value(Registry(OpenStore(path)).Register(Request("arm", 1, "good")));
  ASSERT_EQ(RunSql(path, std::string("ALTER TABLE ") + table +
                             " RENAME COLUMN " + column + " TO another"),
            "");
  EXPECT_THAT(CheckOf(path).damage,
              Contains(AllOf(HasSubstr("table " + std::string(table)),
                             HasSubstr("not as expected"), HasSubstr(column))));
  EXPECT_THAT(WhyItDoesNotOpen(path), HasSubstr("tables are not as expected"));
}

// The present version of each older schema reads, too.
TEST_P(ColumnTest, ThatIsNotThereInAnOlderStoreIsDamage) {
  const auto& [table, column] = GetParam();
  const TemporaryDirectory directory;
  const std::string path = directory / "models.db";
  RunSql(path, ReadFile(TORQUED_REGISTRY_DATA "/store_of_schema_2.sql"));
  EXPECT_THAT(CheckOf(path).damage, IsEmpty());
  if (RunSql(path, std::string("ALTER TABLE ") + table + " RENAME COLUMN " +
                       column + " TO another") != "") {
    // A column of this version.
    EXPECT_TRUE(column == std::string("checksum") ||
                table == std::string("summaries"));
    return;
  }
  EXPECT_THAT(CheckOf(path).damage,
              Contains(AllOf(HasSubstr("table " + std::string(table)),
                             HasSubstr("not as expected"), HasSubstr(column))));
}

INSTANTIATE_TEST_SUITE_P(
    OfATable, ColumnTest,
    testing::Values(
        Column{"names", "name"}, Column{"names", "revision"},
        Column{"names", "checksum"}, Column{"history", "name"},
        Column{"history", "revision"}, Column{"history", "registered_at"},
        Column{"history", "checksum"}, Column{"labels", "name"},
        Column{"labels", "label"}, Column{"labels", "revision"},
        Column{"labels", "checksum"}, Column{"directory_files", "name"},
        Column{"directory_files", "content_hash"},
        Column{"directory_files", "checksum"},
        Column{"former_revisions", "former"},
        Column{"former_revisions", "revision"},
        Column{"former_revisions", "checksum"}, Column{"summaries", "revision"},
        Column{"summaries", "format"}, Column{"summaries", "nq"},
        Column{"summaries", "nv"}, Column{"summaries", "problem"},
        Column{"summaries", "checksum"}, Column{"revisions", "revision"},
        Column{"revisions", "format"}, Column{"revisions", "source"},
        Column{"revisions", "options"}, Column{"revisions", "created_at"}),
    [](const auto& test) {
      return std::string(test.param.table) + "_" + test.param.column;
    });

}  // namespace
}  // namespace torqued::server
