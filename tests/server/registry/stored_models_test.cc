// What is loaded from the store, how often, and who waits for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "server/registry/registry.h"
#include "tests/server/registry/registry_fixture.h"
#include "tests/support/await.h"

namespace torqued::server {
namespace {

using testing::ElementsAre;
using Code = RegistryError::Code;

TEST_F(RegistryTest, EachRobotOfAFleetIsLoadedOnce) {
  constexpr int kRobots = 300;
  const auto name = [](int k) { return "arm" + std::to_string(k); };
  for (int k = 1; k <= kRobots; ++k) Write(name(k), RevisionOf(k), Urdf(k));
  int parsed = 0;
  const AdmitSource admit = [&](std::int64_t) { return ++parsed > 0; };
  for (int round = 0; round < 2; ++round) {
    for (int k = 1; k <= kRobots; ++k) Value(registry_.Resolve(name(k), admit));
    EXPECT_EQ(parsed, kRobots);
  }
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
    Value(registry_.Delete("arm", std::nullopt));
    EXPECT_EQ(revision("arm"), "none");
    EXPECT_EQ(revision("arm@last"), "none");
  }
}

TEST_F(RegistryTest, ConcurrentRegisterAndResolve) {
  // A small cache, so that models are also loaded while others register.
  Registry shared(OpenStore(directory_ / "shared.db"),
                  3 * (Urdf(1).size() + Registry::kBytesOfRevision));
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
        if (name == std::string_view("leg") && i % 3 == 2) {
          Value(shared.Delete(name, std::nullopt));
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

TEST_F(RegistryTest, AStoredSourceIsAskedForBeforeItIsLoaded) {
  const std::string path = directory_ / "asked.db";
  Value(Registry(OpenStore(path)).Register(Request("arm", 1)));
  ASSERT_EQ(RunSql(path, "DELETE FROM summaries"), "");
  Registry registry(OpenStore(path));
  bool admits = false;
  int asked = 0;
  const AdmitSource admit = [&](std::int64_t bytes) {
    ++asked;
    EXPECT_EQ(bytes, static_cast<std::int64_t>(Urdf(1).size()));
    return admits;
  };
  EXPECT_EQ(Error(registry.List(0, "", {}, admit)).code, Code::kNotAdmitted);
  EXPECT_EQ(Error(registry.Resolve("arm", admit)).code, Code::kNotAdmitted);
  EXPECT_EQ(asked, 2);
  admits = true;
  for (int round = 0; round < 2; ++round) {
    Value(registry.List(0, "", {}, admit));
    Value(registry.Resolve("arm", admit));
    // Once it is at hand, nothing is asked.
    EXPECT_EQ(asked, 3);
  }
}

/// A function for SQL that waits, at most 20 s, and returns its argument.
struct Hold {
  static inline std::atomic<bool> reached, released, too_long;

  static int Add(sqlite3* connection, const char**,
                 const sqlite3_api_routines*) {
    return sqlite3_create_function(
        connection, "hold", 1, SQLITE_UTF8 | SQLITE_INNOCUOUS, nullptr,
        [](sqlite3_context* context, int, sqlite3_value** values) {
          reached = true;
          const auto end =
              std::chrono::steady_clock::now() + std::chrono::seconds(20);
          while (!released && !too_long) {
            too_long = std::chrono::steady_clock::now() > end;
            std::this_thread::yield();
          }
          sqlite3_result_value(context, values[0]);
        },
        nullptr, nullptr);
  }
};

class HeldStoreTest : public RegistryTest {
 protected:
  /// A registry over arm and leg whose store knows hold().
  Registry Open(const std::string& sql) {
    const std::string path = directory_ / "held.db";
    {
      Registry registry(OpenStore(path));
      Value(registry.Register(Request("arm", 1)));
      Value(registry.Register(Request("leg", 2)));
    }
    EXPECT_EQ(RunSql(path, sql), "");
    Hold::reached = Hold::released = Hold::too_long = false;
    const auto add = reinterpret_cast<void (*)()>(Hold::Add);
    sqlite3_auto_extension(add);
    auto store = OpenStore(path);
    sqlite3_cancel_auto_extension(add);
    return Registry(std::move(store));
  }
  /// Runs `meanwhile` while `held` waits in hold().
  static void Run(const std::function<void()>& held,
                  const std::function<void()>& meanwhile) {
    std::jthread thread(held);
    Await([] { return Hold::reached.load(); });
    meanwhile();
    EXPECT_FALSE(Hold::too_long);
    Hold::released = true;
  }
};

TEST_F(HeldStoreTest, ALookUpThatCorrectsASummaryWaitsForNoRegistration) {
  Registry registry = Open(
      "UPDATE summaries SET nq = 7; CREATE TRIGGER held AFTER INSERT ON names"
      " BEGIN SELECT hold(1); END");
  Run([&] { Value(registry.Register(Request("hand", 3))); },
      [&] { EXPECT_EQ(Where(registry, "arm"), RevisionOf(1)); });
}

TEST_F(HeldStoreTest, ALookUpOfANameWaitsForNoSourceThatIsRead) {
  Registry registry = Open(
      "ALTER TABLE revisions RENAME TO stored; CREATE VIEW revisions AS SELECT"
      " revision, format, options, hold(source) AS source FROM stored");
  Run([&] { EXPECT_EQ(Where(registry, "arm"), RevisionOf(1)); },
      [&] { EXPECT_EQ(Value(registry.List(0, "")).models.size(), 2u); });
}

}  // namespace
}  // namespace torqued::server
