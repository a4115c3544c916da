#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/base/text.h"
#include "core/formats/urdf.h"
#include "server/registry/registry.h"
#include "tests/server/registry/fixtures.h"

namespace torqued::server {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class ModelDirectoryTest : public testing::Test {
 protected:
  ModelDirectoryTest() { fs::create_directory(models_); }

  std::vector<Registry::DirectoryEntry> Load() {
    return registry_->LoadDirectories({models_});
  }

  void Restart() {
    registry_.reset();
    registry_ = std::make_unique<Registry>(OpenStore(directory_ / "models.db"));
  }

  TemporaryDirectory directory_;
  std::string models_ = directory_ / "models";
  std::unique_ptr<Registry> registry_ =
      std::make_unique<Registry>(OpenStore(directory_ / "models.db"));
};

TEST_F(ModelDirectoryTest, FilesInByteOrderUnderTheirNames) {
  for (const char* file : {"b.urdf", "a.urdf", "B.urdf", "a.b.urdf"}) {
    WriteFile(models_ + '/' + file, Urdf(1));
  }
  // None of these is meant.
  WriteFile(models_ + "/.hidden.urdf", Urdf(1));
  WriteFile(models_ + "/notes.txt", "x");
  WriteFile(models_ + "/a.urdf~", Urdf(2));
  fs::create_directory(models_ + "/below");
  WriteFile(models_ + "/below/c.urdf", Urdf(1));

  std::vector<std::string> names;
  for (const auto& entry : Load()) {
    EXPECT_TRUE(entry.ok) << entry.message;
    EXPECT_TRUE(entry.changed);
    EXPECT_THAT(entry.message, HasSubstr(models_));
    names.push_back(entry.name);
  }
  EXPECT_THAT(names, ElementsAre("B", "a.b", "a", "b"));
  EXPECT_EQ(Where(*registry_, "a.b"), RevisionOf(1));
}

TEST_F(ModelDirectoryTest, OfOneNameInTwoDirectoriesTheFirstIsRead) {
  const std::string more = directory_ / "more";
  fs::create_directory(more);
  WriteFile(models_ + "/arm.urdf", Urdf(1));
  WriteFile(more + "/arm.urdf", Urdf(2));
  WriteFile(more + "/leg.urdf", Urdf(3));
  for (int start = 0; start < 2; ++start) {
    const auto entries = registry_->LoadDirectories({models_, more});
    ASSERT_THAT(entries, SizeIs(3));
    EXPECT_TRUE(entries[0].ok);
    EXPECT_FALSE(entries[1].ok);
    EXPECT_EQ(entries[1].name, "arm");
    EXPECT_THAT(entries[1].message, HasSubstr(models_ + "/arm.urdf"));
    EXPECT_TRUE(entries[2].ok);
    // No start moves the pointer to and fro.
    EXPECT_EQ(entries[0].changed, start == 0);
    EXPECT_EQ(Where(*registry_, "arm"), RevisionOf(1));
    EXPECT_EQ(Where(*registry_, "leg"), RevisionOf(3));
    Restart();
  }
}

TEST_F(ModelDirectoryTest, ErrorsOfOneFileDoNotStopTheOthers) {
  WriteFile(models_ + "/a.urdf", "<robot");
  WriteFile(models_ + "/b b.urdf", Urdf(1));
  fs::create_directory(models_ + "/c.urdf");
  fs::create_symlink(models_ + "/nowhere", models_ + "/d.urdf");
  WriteFile(models_ + "/e.urdf",
            std::string(UrdfLimits{}.source_bytes + 1, ' '));
  ASSERT_EQ(mkfifo((models_ + "/f.urdf").c_str(), 0600), 0);
  fs::create_symlink(models_ + "/g.urdf", models_ + "/h.urdf");
  WriteFile(models_ + "/g.urdf", Urdf(1));

  const auto entries = Load();
  ASSERT_THAT(entries, SizeIs(8));
  for (int i = 0; i < 6; ++i) {
    EXPECT_FALSE(entries[i].ok) << entries[i].message;
    EXPECT_THAT(entries[i].message,
                HasSubstr(Cat(models_, "/", entries[i].name, ".urdf: ")));
  }
  EXPECT_THAT(entries[0].message, HasSubstr("invalid model: "));
  EXPECT_THAT(entries[2].message, HasSubstr("not a regular file"));
  EXPECT_THAT(entries[4].message, HasSubstr("more than"));
  EXPECT_TRUE(entries[6].ok);
  EXPECT_TRUE(entries[7].ok);
  EXPECT_EQ(Where(*registry_, "h"), RevisionOf(1));
}

TEST_F(ModelDirectoryTest, DirectoryMovesPointerOnlyWhenFileChanged) {
  WriteFile(models_ + "/arm.urdf", Urdf(1));
  EXPECT_TRUE(Load().at(0).changed);
  Value(registry_->Register(Request("arm", 2)));

  // The same file again does not undo the call.
  Restart();
  auto entry = Load().at(0);
  EXPECT_TRUE(entry.ok);
  EXPECT_FALSE(entry.changed);
  EXPECT_THAT(entry.message, HasSubstr("unchanged"));
  EXPECT_EQ(Where(*registry_, "arm"), RevisionOf(2));

  WriteFile(models_ + "/arm.urdf", Urdf(3));
  Restart();
  const std::string before = Where(*registry_, "arm").substr(0, 12);
  EXPECT_THAT(Load().at(0).message, HasSubstr(", before at " + before));
  EXPECT_EQ(Where(*registry_, "arm"), RevisionOf(3));

  // Back to what it was is a change of the file too.
  WriteFile(models_ + "/arm.urdf", Urdf(1));
  EXPECT_TRUE(Load().at(0).changed);
  EXPECT_EQ(Where(*registry_, "arm"), RevisionOf(1));
}

TEST_F(ModelDirectoryTest, FileThatSaysWhatACallSaidIsLoadedFromThere) {
  Value(registry_->Register(Request("arm", 1)));
  WriteFile(models_ + "/arm.urdf", Urdf(1));
  const auto entry = Load().at(0);
  EXPECT_TRUE(entry.ok);
  EXPECT_FALSE(entry.changed);
  Value(registry_->Register(Request("arm", 2)));
  Load();
  EXPECT_EQ(Where(*registry_, "arm"), RevisionOf(2));
}

TEST_F(ModelDirectoryTest, DeletionByCallIsNotUndone) {
  WriteFile(models_ + "/arm.urdf", Urdf(1));
  Load();
  Value(registry_->Delete("arm", std::nullopt));
  Restart();
  EXPECT_TRUE(Load().at(0).ok);
  EXPECT_EQ(Error(registry_->Resolve("arm")).code,
            RegistryError::Code::kNotFound);
  WriteFile(models_ + "/arm.urdf", Urdf(2));
  Load();
  EXPECT_EQ(Where(*registry_, "arm"), RevisionOf(2));
}

TEST_F(ModelDirectoryTest, BadFileKeepsTheOldModelAndIsTriedAgain) {
  WriteFile(models_ + "/arm.urdf", Urdf(1));
  Load();
  WriteFile(models_ + "/arm.urdf", "<robot");
  EXPECT_FALSE(Load().at(0).ok);
  EXPECT_FALSE(Load().at(0).ok);
  EXPECT_EQ(Where(*registry_, "arm"), RevisionOf(1));
}

TEST_F(ModelDirectoryTest, MissingDirectoryIsOneEntry) {
  const auto entries = registry_->LoadDirectories({directory_ / "nowhere"});
  ASSERT_THAT(entries, SizeIs(1));
  EXPECT_FALSE(entries[0].ok);
  EXPECT_THAT(entries[0].message, HasSubstr("No such file"));
}

TEST_F(ModelDirectoryTest, EmptyDirectoryIsFine) {
  EXPECT_THAT(Load(), IsEmpty());
}

}  // namespace
}  // namespace torqued::server
