#include "server/services/setup_cache.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "tests/server/robots.h"

namespace torqued::server {
namespace {

using SetupPtr = std::shared_ptr<const ComputeSetup>;

class SetupCacheTest : public ::testing::Test {
 protected:
  static v1::ComputeRequest Request() {
    v1::ComputeRequest request;
    request.add_quantities(v1::QUANTITY_INVERSE_DYNAMICS);
    return request;
  }

  OrError<SetupPtr> Ask(const v1::ComputeRequest& request,
                        const ModelEntry& entry) {
    return cache_.SetUp(ViewOf(request).query, entry, "baseline");
  }
  SetupPtr Ask(const v1::ComputeRequest& request) {
    return std::get<SetupPtr>(Ask(request, entry_));
  }
  SetupPtr AskOfRevision(int number) {
    ModelEntry entry = entry_;
    auto revised = std::make_shared<LoadedRevision>(*entry.loaded);
    revised->revision = std::to_string(number);
    entry.loaded = revised;
    return std::get<SetupPtr>(Ask(Request(), entry));
  }

  ModelEntry entry_ = ThreeJoints();
  SetupCache cache_;
};

TEST_F(SetupCacheTest, TheSameQueryIsSetUpOnce) {
  const SetupPtr first = Ask(Request());
  EXPECT_EQ(Ask(Request()), first);
  EXPECT_EQ(cache_.size(), 1u);
}

TEST_F(SetupCacheTest, WhateverTheReplyDependsOnTellsQueriesApart) {
  using Change = std::function<void(v1::ComputeRequest*)>;
  const std::vector<Change> changes = {
      [](auto* request) { request->set_quantities(0, v1::QUANTITY_JACOBIAN); },
      [](auto* request) { request->add_quantities(v1::QUANTITY_JACOBIAN); },
      [](auto* request) { request->mutable_options()->set_tip_frame("hand"); },
      [](auto* request) {
        for (const char* joint : {"twist", "lift", "reach"}) {
          request->mutable_options()->add_joint_names(joint);
        }
      },
      [](auto* request) {
        request->mutable_options()->set_encoding(v1::ENCODING_F32);
      },
      [](auto* request) { request->mutable_options()->set_fail_fast(true); },
      [](auto* request) {
        request->mutable_options()->mutable_payload()->set_mass(2);
      },
      [](auto* request) {
        request->mutable_options()->add_external_wrenches()->set_frame("hand");
      },
      [](auto* request) {
        request->mutable_options()->add_external_wrenches()->set_frame("slide");
      },
      [](auto* request) {
        request->mutable_options()->mutable_terms()->set_viscous_friction(true);
      },
      [](auto* request) {
        request->mutable_options()->mutable_terms()->set_coulomb_friction(true);
      },
      [](auto* request) {
        v1::Terms* terms = request->mutable_options()->mutable_terms();
        terms->set_coulomb_friction(true);
        terms->set_coulomb_smoothing(0.1);
      },
      [](auto* request) {
        request->mutable_options()->set_precision(v1::PRECISION_SINGLE);
      },
      [](auto* request) {
        request->mutable_options()->set_reference_frame(
            v1::REFERENCE_FRAME_WORLD);
      },
      [](auto* request) {
        request->mutable_operational_space()->set_sigma_min(true);
      },
      [](auto* request) {
        request->mutable_tip_wrench_on_environment()->set_reference_frame(
            v1::REFERENCE_FRAME_WORLD);
      }};
  std::set<SetupPtr> setups = {Ask(Request())};
  for (const Change& change : changes) {
    v1::ComputeRequest request = Request();
    change(&request);
    setups.insert(Ask(request));
    EXPECT_EQ(Ask(request)->echo,
              std::get<SetupPtr>(
                  server::SetUp(ViewOf(request).query, entry_, "baseline"))
                  ->echo);
  }
  EXPECT_EQ(setups.size(), changes.size() + 1);
}

TEST_F(SetupCacheTest, NamesAndRevisionsOfModelsTellQueriesApart) {
  ModelEntry renamed = ThreeJoints();
  renamed.name = "drei";
  ModelEntry revised = ThreeJoints();
  auto other = std::make_shared<LoadedRevision>(*revised.loaded);
  other->revision = std::string(64, '0');
  revised.loaded = other;
  const std::set<SetupPtr> setups = {
      Ask(Request()), std::get<SetupPtr>(Ask(Request(), renamed)),
      std::get<SetupPtr>(Ask(Request(), revised))};
  EXPECT_EQ(setups.size(), 3u);
}

TEST_F(SetupCacheTest, EachRobotOfAFleetIsSetUpOnce) {
  std::vector<SetupPtr> setups;
  setups.reserve(300);
  for (int k = 0; k < 300; ++k) setups.push_back(AskOfRevision(k));
  for (int k = 0; k < 300; ++k) EXPECT_EQ(AskOfRevision(k), setups[k]) << k;
}

TEST_F(SetupCacheTest, WhatIsNotAskedForAnyMoreGoesFirst) {
  const SetupPtr asked = Ask(Request());
  const std::weak_ptr<const ComputeSetup> first = AskOfRevision(0);
  int k = 1;
  for (; !first.expired() && k < 100'000; ++k) {
    AskOfRevision(k);
    EXPECT_EQ(Ask(Request()), asked);
  }
  EXPECT_EQ(cache_.size(), static_cast<std::size_t>(k));
  EXPECT_LT(k, 100'000);
}

TEST_F(SetupCacheTest, RefusalsAreNotRemembered) {
  v1::ComputeRequest request = Request();
  request.mutable_options()->set_tip_frame("nowhere");
  EXPECT_TRUE(std::holds_alternative<Error>(Ask(request, entry_)));
  EXPECT_TRUE(std::holds_alternative<Error>(Ask(request, entry_)));
  EXPECT_EQ(cache_.size(), 0u);
}

TEST_F(SetupCacheTest, ABrokenModelIsRefused) {
  auto broken = std::make_shared<LoadedRevision>();
  broken->revision = "abc";
  entry_.loaded = broken;
  const auto answer = Ask(Request(), entry_);
  ASSERT_TRUE(std::holds_alternative<Error>(answer));
  EXPECT_EQ(std::get<Error>(answer).reason, v1::MODEL_BROKEN);
}

}  // namespace
}  // namespace torqued::server
