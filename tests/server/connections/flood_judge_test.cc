#include "server/connections/flood_judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace torqued::server {
namespace {

using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::chrono::milliseconds kLook{5};
// Of a flood that ends by itself, and how many bytes of memory each takes.
constexpr std::int64_t kShort = std::int64_t{58} << 10;
constexpr std::int64_t kTimes = 64;

struct FloodJudgeTest : testing::Test {
  struct Client {
    ConnectionId id;
    std::string peer;
    ConnectionReading now;
    bool counted = true;

    void Call(std::int64_t count = 1) {
      now.begun += count;
      now.called += count;
    }
    /// So much of a message, of which the server takes notice.
    void Upload(std::int64_t bytes) {
      now.bytes += bytes;
      now.sent += 13;
    }
  };

  const FloodJudge::Limits limits;
  FloodJudge judge{limits, 2000};
  std::deque<Client> clients;
  const std::int64_t idle = 100 * kMiB;
  std::int64_t memory = idle;
  std::int64_t accounted = 0;
  std::chrono::steady_clock::time_point time{std::chrono::hours(1)};
  bool certain = false;  // the last verdict

  Client& Add(const std::string& peer) {
    const ConnectionId slot = clients.size();
    clients.push_back({(slot + 1) << kSlotBits | slot, peer, {}});
    return clients.back();
  }

  /// Those that are ended, which are gone then; by reason.
  std::map<Flood, std::vector<ConnectionId>> Look(
      std::chrono::milliseconds later = kLook) {
    time += later;
    std::vector<FloodJudge::Seen> seen;
    for (Client& client : clients) {
      client.now.time = time;
      if (client.id != kNoConnection) {
        seen.push_back({client.id, client.peer, client.now, client.counted});
      }
    }
    std::map<Flood, std::vector<ConnectionId>> ended;
    for (const auto& verdict : judge.Look(seen, memory, accounted, idle)) {
      ended[verdict.flood].push_back(verdict.id);
      certain = verdict.certain;
      clients[SlotOf(verdict.id)].id = kNoConnection;
    }
    return ended;
  }

  /// As fields of headers by index do, until somebody is ended for it or memory
  /// has grown by so much.
  std::vector<ConnectionId> Flooded(
      const std::vector<Client*>& flooders, std::int64_t most,
      const std::function<void()>& meanwhile = [] {}) {
    for (std::int64_t grown = 0; grown < most; grown += kMiB) {
      const std::int64_t each =
          kMiB / 64 / static_cast<std::int64_t>(flooders.size());
      for (Client* flooder : flooders) flooder->now.bytes += each;
      memory += kMiB;
      meanwhile();
      auto ended = Look();
      if (!ended.empty()) return ended[Flood::kMemory];
    }
    return {};
  }

  /// Over these connections and then new ones, at one moment each.
  std::vector<ConnectionId> FloodedByMany(std::deque<Client*> flooders) {
    std::deque<Client*> late;
    while (memory < idle + 3 * limits.memory) {
      if (flooders.empty()) {
        flooders.push_back(&Add("a"));
        flooders.back()->now.sent += 60;  // settings
      }
      Client& flooder = *flooders.front();
      flooders.pop_front();
      flooder.now.begun += 1;
      flooder.now.bytes += kShort;
      // Its call is shown late where many others have come.
      late.push_back(&flooder);
      if (late.size() > 3) late.front()->now.called += 1, late.pop_front();
      memory += kTimes * kShort;
      auto ended = Look();
      if (!ended.empty()) return ended[Flood::kMemory];
    }
    return {};
  }
};

TEST_F(FloodJudgeTest, EndsWhoseBytesAreNoMessageWhileMemoryGrows) {
  Client& flooder = Add("a");
  flooder.Call();
  Look();
  const ConnectionId id = flooder.id;
  EXPECT_THAT(Flooded({&flooder}, limits.memory), IsEmpty());
  // And three times what it sends.
  EXPECT_THAT(Flooded({&flooder}, 10 * kMiB), ElementsAre(id));
  EXPECT_TRUE(certain);
}

TEST_F(FloodJudgeTest, BlamesNobodyForWhatWasAdmittedBefore) {
  accounted = 250 * kMiB;
  Look();
  Client& uploader = Add("a");
  uploader.Call();
  Look();
  // The server says nothing to it yet.
  uploader.now.bytes += kMiB / 2;
  for (int step = 0; step < 50; ++step) {
    memory += 5 * kMiB;
    EXPECT_THAT(Look(), IsEmpty()) << step;
  }
}

TEST_F(FloodJudgeTest, BlamesNoMessageForWhatAnEndedConnectionLeaves) {
  Client& flooder = Add("a");
  flooder.Call();
  Client& uploader = Add("b");
  uploader.Call();
  Look();
  const ConnectionId id = flooder.id;
  EXPECT_THAT(Flooded({&flooder}, 2 * limits.memory), ElementsAre(id));
  // Messages to which the server says nothing yet, and to which it does.
  bool answered = false;
  const auto grow = [&](std::chrono::milliseconds span) {
    for (auto passed = kLook; passed < span; passed += kLook) {
      memory += kMiB;
      uploader.now.bytes += kMiB / 256;
      if (answered) uploader.now.sent += 13;
      if (!Look().empty()) return false;
    }
    return true;
  };
  EXPECT_TRUE(grow(limits.aftermath / 2));
  answered = true;
  EXPECT_TRUE(grow(limits.aftermath / 2));
  // From then on it is what comes that takes the memory.
  EXPECT_FALSE(grow(10 * limits.aftermath));
}

TEST_F(FloodJudgeTest, EndsOneFlooderAndNobodyWhoUploads) {
  Client& flooder = Add("a");
  flooder.Call();
  // From slow ones, which have sent little, to one that has sent much.
  std::vector<Client*> uploaders;
  for (int k = 0; k < 20; ++k) {
    uploaders.push_back(&Add("b" + std::to_string(k)));
    uploaders.back()->Call();
    uploaders.back()->now.bytes = k * kMiB / 8;
  }
  Look();
  int looks = 0;
  const auto upload = [&] {
    ++looks;
    for (std::size_t k = 0; k < uploaders.size(); ++k) {
      // The server says something every 256 KB.
      uploaders[k]->now.bytes += 1000 * static_cast<std::int64_t>(k);
      if (looks * k % 256 < k) uploaders[k]->now.sent += 13;
    }
  };
  const ConnectionId id = flooder.id;
  EXPECT_THAT(Flooded({&flooder}, 1024 * kMiB, upload), ElementsAre(id));
  for (int i = 0; i < 100; ++i) {
    upload();
    EXPECT_THAT(Look(), IsEmpty());
  }
}

TEST_F(FloodJudgeTest, EndsAllConnectionsOfAPeerThatFloodTogether) {
  std::vector<Client*> flooders;
  for (int k = 0; k < 500; ++k) {
    flooders.push_back(&Add("a"));
    flooders.back()->Call();
  }
  Client& uploader = Add("b");
  uploader.Call();
  Look();
  const ConnectionId id = uploader.id;
  const auto ended =
      Flooded(flooders, 300 * kMiB, [&] { uploader.Upload(10'000); });
  EXPECT_EQ(ended.size(), flooders.size());
  EXPECT_EQ(uploader.id, id);
}

TEST_F(FloodJudgeTest, EndsConnectionsOfAFlooderWhoseBytesAreStillToBeRead) {
  std::deque<Client*> unread;
  for (int k = 0; k < 400; ++k) {
    unread.push_back(&Add("a"));
    unread.back()->Call();
  }
  // Of some, gRPC has not taken the connection yet.
  for (int k = 0; k < 300; ++k) {
    Client& late = Add("a");
    late.counted = false;
    late.now.unread = kShort;
  }
  Client& idler = Add("a");
  idler.Call();
  Client& uploader = Add("b");
  uploader.Call();
  Look();
  for (Client* client : unread) client->now.unread = kShort;
  uploader.now.unread = kMiB;
  std::size_t ended = 0;
  while (ended == 0 && !unread.empty()) {
    // As gRPC does: all that one has sent, then all of the next.
    unread.front()->now.bytes += std::exchange(unread.front()->now.unread, 0);
    unread.pop_front();
    memory += kTimes * kShort;
    uploader.Upload(10'000);
    ended = Look()[Flood::kMemory].size();
  }
  EXPECT_EQ(ended, 700U);
  EXPECT_LT(memory, idle + 2 * limits.memory);
  EXPECT_NE(idler.id, kNoConnection);
  EXPECT_NE(uploader.id, kNoConnection);
}

TEST_F(FloodJudgeTest, EndsWhatComesTogetherWithNewConnections) {
  EXPECT_THAT(FloodedByMany({}), SizeIs(Gt(20U)));
}

TEST_F(FloodJudgeTest, EndsWhatComesTogetherWithNewCalls) {
  std::deque<Client*> flooders;
  for (int k = 0; k < 400; ++k) flooders.push_back(&Add("a"));
  Look();
  EXPECT_THAT(FloodedByMany(flooders), SizeIs(Gt(20U)));
}

TEST_F(FloodJudgeTest, EndsNobodyWhoBeginsToUploadInTheLookOfAFlood) {
  Client& uploader = Add("b");
  for (int k = 0; k < 70; ++k) Add("a");
  Look();
  for (Client& flooder : clients) {
    if (&flooder == &uploader) continue;
    flooder.Call();
    flooder.now.bytes += kShort;
    flooder.now.sent += 60;  // settings are acknowledged
    memory += kTimes * kShort;
  }
  uploader.Call();
  // Less than the flood, and enough to have done it.
  uploader.Upload(2 * kMiB);
  memory += limits.copies * 2 * kMiB;
  EXPECT_THAT(Look()[Flood::kMemory], SizeIs(70));
  EXPECT_NE(uploader.id, kNoConnection);
  EXPECT_TRUE(certain);
}

TEST_F(FloodJudgeTest, EndsFloodersOfSeveralPeersOneAfterTheOther) {
  std::vector<Client*> flooders;
  for (int k = 0; k < 3; ++k) {
    flooders.push_back(&Add("a" + std::to_string(k)));
    flooders.back()->Call();
  }
  Look();
  for (int left = 3; left > 0; --left) {
    const std::int64_t most = limits.memory + limits.most_left;
    EXPECT_EQ(Flooded(flooders, most).size(), 1U);
    std::erase_if(flooders, [](const Client* client) {
      return client->id == kNoConnection;
    });
  }
}

TEST_F(FloodJudgeTest, EndsThoseThatLetTheServerSaySomethingMeanwhile) {
  Client& flooder = Add("a");
  flooder.Call(200);
  flooder.now.serving = 100;
  Look();
  int looks = 0;
  const auto answered = [&] {
    if (++looks % 50 != 0) return;
    flooder.now.ended += 1;
    flooder.now.sent += 100;
  };
  EXPECT_EQ(Flooded({&flooder}, 2 * limits.memory + 10 * kMiB, answered).size(),
            1U);
}

TEST_F(FloodJudgeTest, BlamesNobodyForMemoryThatCallsAccountFor) {
  Client& slow = Add("a");
  slow.Call();
  Look();
  slow.now.bytes += kMiB;
  accounted = 4 * limits.memory;
  Look();
  accounted = 0;  // the allocator keeps it
  memory += 4 * limits.memory;
  EXPECT_THAT(Look(), IsEmpty());
}

TEST_F(FloodJudgeTest, BlamesNobodyForWhatOthersSendOrOpen) {
  Client& slow = Add("a");
  slow.Call();
  Client& other = Add("b");
  other.Call();
  Client& caller = Add("c");
  Look();
  slow.now.bytes += kMiB;
  for (int i = 0; i < 100; ++i) {
    other.Upload(kMiB);
    memory += limits.copies * kMiB;
    EXPECT_THAT(Look(), IsEmpty());
  }
  for (int i = 0; i < 256; ++i) {
    caller.Call();
    memory += limits.call_bytes;
    EXPECT_THAT(Look(), IsEmpty());
  }
}

TEST_F(FloodJudgeTest, BlamesNobodyForWhatAnEndedConnectionLeaves) {
  Client& slow = Add("a");
  slow.Call();
  Client& flooder = Add("b");
  Look();
  slow.now.bytes += kMiB;
  memory += limits.memory;
  Look();
  flooder.Call(100'000);
  memory += 3 * limits.memory;
  EXPECT_EQ(Look()[Flood::kStreams].size(), 1U);
  EXPECT_THAT(Look(), IsEmpty());
  judge.OthersEnded();
  memory += 3 * limits.memory;
  EXPECT_THAT(Look(), IsEmpty());
  EXPECT_THAT(Look(), IsEmpty());
}

TEST_F(FloodJudgeTest, EndsThePeerThatHasMostCallsWithoutAMessage) {
  Client& busy = Add("busy");
  busy.Call(256);
  for (int k = 0; k < 400; ++k) Add("flooder").Call(64);
  Look();
  EXPECT_THAT(Look(limits.waiting_time / 2), IsEmpty());
  EXPECT_TRUE(judge.soon());
  const auto ended = Look(limits.waiting_time)[Flood::kStreams];
  // As many as bring it below the bound.
  EXPECT_EQ(ended.size(), (256 + 400 * 64 - 16384 + 63) / 64);
  EXPECT_NE(busy.id, kNoConnection);
  EXPECT_THAT(Look(limits.waiting_time), IsEmpty());
  EXPECT_FALSE(judge.soon());
}

TEST_F(FloodJudgeTest, CallsOfConnectionsThatAreGoneWaitForNothing) {
  for (int k = 0; k < 200; ++k) {
    Client& client = Add("fleet");
    client.Call(256);
    client.now.serving = 256;
  }
  EXPECT_THAT(Look(), IsEmpty());
  for (Client& client : clients) {
    client.now.serving = 0;
    client.counted = false;
  }
  EXPECT_THAT(Look(), IsEmpty());
  EXPECT_FALSE(judge.soon());
}

TEST_F(FloodJudgeTest, WhatIsNotCountedExplainsNoMemory) {
  Client& unknown = Add("b");
  unknown.counted = false;
  unknown.now.bytes = 100 * kMiB;
  Client& flooder = Add("a");
  flooder.Call();
  Look();
  EXPECT_THAT(Flooded({&flooder}, limits.memory + 10 * kMiB), SizeIs(1));
}

TEST_F(FloodJudgeTest, WaitsNotWhereThereAreTwiceAsMany) {
  for (int k = 0; k < 600; ++k) Add(std::to_string(k)).Call(64);
  EXPECT_FALSE(Look()[Flood::kStreams].empty());
}

TEST_F(FloodJudgeTest, LeavesCallsAloneThatServicesWorkOn) {
  for (int k = 0; k < 200; ++k) {
    Client& client = Add("gateway");
    client.Call(256);
    client.now.serving = 200;
  }
  for (int i = 0; i < 10; ++i) {
    EXPECT_THAT(Look(limits.waiting_time), IsEmpty());
  }
}

TEST_F(FloodJudgeTest, ManyCallsOfALongLifeAreNoneThatWait) {
  Client& client = Add("balancer");
  for (int i = 0; i < 100'000; ++i) {
    client.Call();
    client.now.ended += 1;
    client.now.over += 1;
    if (i % 1000 == 0) Look();
  }
  EXPECT_THAT(Look(), IsEmpty());
  EXPECT_FALSE(judge.soon());
}

TEST_F(FloodJudgeTest, JudgesNobodyWhoseCallsAreNotKnown) {
  Client& client = Add("a");
  client.counted = false;
  client.now.called = 1;
  for (int i = 0; i < 100; ++i) {
    client.now.bytes += 4 * kMiB;
    EXPECT_THAT(Look(limits.watch.header_time), IsEmpty());
  }
  client.counted = true;
  client.now.begun = 1;
  client.now.messages = 10;
  EXPECT_THAT(Look(), IsEmpty());
}

TEST_F(FloodJudgeTest, TheNextConnectionOfAPlaceIsAnotherOne) {
  Client& client = Add("a");
  client.Call(100);
  Look();
  client.id += ConnectionId{1} << kSlotBits;
  client.now = {};
  client.Call();
  EXPECT_THAT(Look(), IsEmpty());
}

}  // namespace
}  // namespace torqued::server
