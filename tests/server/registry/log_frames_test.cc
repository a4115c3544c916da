// What is read of SQLite's log.
#include "server/registry/log_frames.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "tests/server/registry/database.h"

namespace torqued::server {
namespace {

class LogFramesTest : public testing::Test {
 protected:
  LogFramesTest() {
    MakeDatabase(path_);
    writer_.emplace(path_);
    Insert(10);
    log_.emplace(path_);
    EXPECT_EQ(log_->problem(), "");
    Read();
  }

  void Insert(int bytes) const {
    writer_->Run("INSERT INTO rows VALUES (randomblob(" +
                 std::to_string(bytes) + "))");
  }
  void Checkpoint(const std::string& kind) const {
    writer_->Run("PRAGMA wal_checkpoint(" + kind + ")");
  }
  LogFrames::News Read() {
    const auto news = log_->Read();
    EXPECT_TRUE(news);
    if (!news) return {};
    log_->Keep(*news);
    return *news;
  }

  const TemporaryDirectory directory_;
  const std::string path_ = directory_ / "models.db";
  std::optional<Database> writer_;
  std::optional<LogFrames> log_;
};

TEST_F(LogFramesTest, AreThoseThatWereCommittedSince) {
  Insert(10'000);
  auto news = Read();
  EXPECT_FALSE(news.restarted);
  EXPECT_FALSE(news.missed);
  ASSERT_GE(news.frames.size(), 3u);
  EXPECT_EQ(std::to_string(news.frames.back().pages_of_store),
            RunSql(path_, "PRAGMA page_count"));
  for (std::size_t k = 0; k + 1 < news.frames.size(); ++k) {
    EXPECT_EQ(news.frames[k].pages_of_store, 0u);
  }
  EXPECT_TRUE(Read().frames.empty());
}

// The log has frames of what does not fit into memory before that.
TEST_F(LogFramesTest, AreNoneOfWhatIsNotCommitted) {
  writer_->Run("PRAGMA cache_size = 10; BEGIN");
  const auto before = std::filesystem::file_size(path_ + "-wal");
  for (int k = 0; k < 20; ++k) Insert(10'000);
  EXPECT_GT(std::filesystem::file_size(path_ + "-wal"), before);
  EXPECT_TRUE(Read().frames.empty());
  writer_->Run("ROLLBACK");
  Insert(10);
  const auto news = Read();
  EXPECT_FALSE(news.frames.empty());
  EXPECT_FALSE(news.missed);
}

TEST_F(LogFramesTest, AreCopiedAsFarAsReadersLetThem) {
  const Database reader(path_);
  reader.Run("BEGIN; SELECT count(*) FROM rows");
  const std::int64_t before = log_->committed();
  Insert(10'000);
  EXPECT_LT(Read().copied, before + 1);
  Checkpoint("PASSIVE");
  EXPECT_EQ(Read().copied, before);
  reader.Run("COMMIT");
  Checkpoint("PASSIVE");
  EXPECT_EQ(Read().copied, log_->committed());
  EXPECT_GT(log_->committed(), before);
}

TEST_F(LogFramesTest, BeginAnewOnceAllAreCopied) {
  Checkpoint("PASSIVE");
  EXPECT_FALSE(Read().restarted);
  Insert(10);
  const auto news = Read();
  EXPECT_TRUE(news.restarted);
  EXPECT_FALSE(news.missed);
  EXPECT_FALSE(news.frames.empty());
  EXPECT_EQ(news.copied, 0);
  EXPECT_EQ(log_->committed(), static_cast<std::int64_t>(news.frames.size()));
}

TEST_F(LogFramesTest, AreMissedWhereTheLogIsEmptiedBeforeTheyAreRead) {
  Insert(10);
  Checkpoint("TRUNCATE");
  auto news = Read();
  EXPECT_TRUE(news.restarted);
  EXPECT_TRUE(news.missed);
  EXPECT_TRUE(news.frames.empty());
  Insert(10);
  EXPECT_FALSE(Read().missed);
  Checkpoint("TRUNCATE");
  news = Read();
  EXPECT_TRUE(news.restarted);
  EXPECT_FALSE(news.missed);
  // Of the run that follows as well.
  Insert(10);
  Checkpoint("TRUNCATE");
  Insert(10);
  news = Read();
  EXPECT_TRUE(news.missed);
  EXPECT_FALSE(news.frames.empty());
}

}  // namespace
}  // namespace torqued::server
