#include "server/registry/revision_cache.h"

#include <gtest/gtest.h>

namespace torqued::server {
namespace {

RevisionCache::Entry Entry(std::string revision, std::size_t source_bytes = 1) {
  auto loaded = std::make_shared<LoadedRevision>();
  loaded->revision = std::move(revision);
  loaded->source.assign(source_bytes, 'x');
  return loaded;
}

void Insert(RevisionCache& cache, RevisionCache::Entry entry) {
  cache.Insert(std::move(entry), cache.generation());
}

TEST(RevisionCache, LeastRecentlyUsedGoesFirst) {
  RevisionCache cache({.entries = 2, .source_bytes = 100});
  Insert(cache, Entry("a"));
  Insert(cache, Entry("b"));
  EXPECT_NE(cache.Find("a"), nullptr);
  Insert(cache, Entry("c"));
  EXPECT_NE(cache.Find("a"), nullptr);
  EXPECT_EQ(cache.Find("b"), nullptr);
  EXPECT_NE(cache.Find("c"), nullptr);
}

TEST(RevisionCache, PeekingIsNoUse) {
  RevisionCache cache({.entries = 2, .source_bytes = 100});
  Insert(cache, Entry("a"));
  Insert(cache, Entry("b"));
  EXPECT_NE(cache.Peek("a"), nullptr);
  Insert(cache, Entry("c"));
  EXPECT_EQ(cache.Peek("a"), nullptr);
}

TEST(RevisionCache, BytesAreBoundedToo) {
  RevisionCache cache({.entries = 9, .source_bytes = 100});
  Insert(cache, Entry("a", 40));
  Insert(cache, Entry("b", 40));
  Insert(cache, Entry("c", 40));
  EXPECT_EQ(cache.size(), 2u);
  EXPECT_EQ(cache.Peek("a"), nullptr);
  // Larger than all: alone, and still served.
  Insert(cache, Entry("d", 1000));
  EXPECT_EQ(cache.size(), 1u);
  EXPECT_NE(cache.Peek("d"), nullptr);
  // What went no longer counts.
  Insert(cache, Entry("e", 60));
  Insert(cache, Entry("f", 40));
  EXPECT_EQ(cache.size(), 2u);
}

TEST(RevisionCache, ScansPushNothingOut) {
  RevisionCache cache({.entries = 2, .source_bytes = 100});
  Insert(cache, Entry("a"));
  cache.InsertIfRoom(Entry("large", 100), cache.generation());
  EXPECT_EQ(cache.Peek("large"), nullptr);
  cache.InsertIfRoom(Entry("b"), cache.generation());
  EXPECT_NE(cache.Peek("b"), nullptr);
  cache.InsertIfRoom(Entry("c"), cache.generation());
  EXPECT_EQ(cache.Peek("c"), nullptr);
  EXPECT_NE(cache.Peek("a"), nullptr);
}

TEST(RevisionCache, ReplacesAnEntryOfTheSameRevision) {
  RevisionCache cache({.entries = 2, .source_bytes = 100});
  Insert(cache, Entry("a", 90));
  const auto fresh = Entry("a", 60);
  Insert(cache, fresh);
  EXPECT_EQ(cache.Find("a"), fresh);
  Insert(cache, Entry("b", 40));
  EXPECT_EQ(cache.size(), 2u);
}

TEST(RevisionCache, WhatWasReadBeforeAnErasureStaysOut) {
  RevisionCache cache({.entries = 2, .source_bytes = 100});
  Insert(cache, Entry("a"));
  const auto generation = cache.generation();
  const auto in_flight = cache.Find("a");
  const std::vector<std::string> removed = {"a", "never seen"};
  cache.Erase(removed);
  EXPECT_EQ(cache.Find("a"), nullptr);
  cache.Insert(in_flight, generation);
  cache.InsertIfRoom(in_flight, generation);
  EXPECT_EQ(cache.Find("a"), nullptr);
  EXPECT_EQ(in_flight->revision, "a");  // callers keep what they hold
}

}  // namespace
}  // namespace torqued::server
