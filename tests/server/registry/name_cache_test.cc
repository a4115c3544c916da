#include "server/registry/name_cache.h"

#include <gtest/gtest.h>

#include <string>

namespace torqued::server {
namespace {

Registration Pointing(const std::string& name, const std::string& revision) {
  Registration registration;
  registration.name = name;
  registration.revision = revision;
  return registration;
}

TEST(NameCacheTest, RemembersWhatAReferenceLedTo) {
  NameCache cache;
  EXPECT_FALSE(cache.Find("arm"));
  cache.Insert("arm", Pointing("arm", "a"), cache.generation());
  cache.Insert("arm@old", Pointing("arm", "b"), cache.generation());
  EXPECT_EQ(cache.Find("arm")->revision, "a");
  EXPECT_EQ(cache.Find("arm@old")->revision, "b");
  EXPECT_FALSE(cache.Find("ar"));
}

TEST(NameCacheTest, AChangeForgetsEverything) {
  NameCache cache;
  cache.Insert("arm", Pointing("arm", "a"), cache.generation());
  {
    const NameCache::Change change(cache);
  }
  EXPECT_FALSE(cache.Find("arm"));
  cache.Insert("arm", Pointing("arm", "b"), cache.generation());
  EXPECT_EQ(cache.Find("arm")->revision, "b");
}

TEST(NameCacheTest, NothingThatWasReadBeforeAChangeIsRemembered) {
  NameCache cache;
  const NameCache::Generation before = cache.generation();
  {
    const NameCache::Change change(cache);
  }
  cache.Insert("arm", Pointing("arm", "a"), before);
  EXPECT_FALSE(cache.Find("arm"));
}

TEST(NameCacheTest, NothingThatWasReadDuringAChangeIsRememberedAfterIt) {
  NameCache cache;
  NameCache::Generation during = 0;
  {
    const NameCache::Change change(cache);
    during = cache.generation();
  }
  cache.Insert("arm", Pointing("arm", "a"), during);
  EXPECT_FALSE(cache.Find("arm"));
}

TEST(NameCacheTest, NothingIsRememberedDuringAChange) {
  NameCache cache;
  {
    const NameCache::Change change(cache);
    {
      // The end of one is not the end of the other.
      const NameCache::Change other(cache);
    }
    cache.Insert("arm", Pointing("arm", "a"), cache.generation());
  }
  EXPECT_FALSE(cache.Find("arm"));
}

TEST(NameCacheTest, IsBounded) {
  NameCache cache;
  const auto name = [](std::size_t i) { return "arm" + std::to_string(i); };
  const std::size_t count = 2 * NameCache::kMaxEntries + 5;
  for (std::size_t i = 0; i < count; ++i) {
    cache.Insert(name(i), Pointing(name(i), "a"), cache.generation());
  }
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; ++i) found += cache.Find(name(i)) ? 1 : 0;
  EXPECT_LE(found, NameCache::kMaxEntries);
  EXPECT_TRUE(cache.Find(name(count - 1)));
}

}  // namespace
}  // namespace torqued::server
