#include "server/services/state_batch.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "core/engine/evaluation_plan.h"
#include "tests/server/robots.h"

namespace torqued::server {
namespace {

class QueryCacheTest : public ::testing::Test {
 protected:
  static v1::ComputeRequest Request() {
    v1::ComputeRequest request;
    request.add_quantities(v1::QUANTITY_INVERSE_DYNAMICS);
    return request;
  }

  OrError<QueryPtr> Ask(const v1::ComputeRequest& request,
                        const ModelEntry& entry) {
    return cache_.Prepare(FieldsOf(request), entry, *FindTarget("baseline"));
  }
  QueryPtr Ask(const v1::ComputeRequest& request) {
    return std::get<QueryPtr>(Ask(request, entry_));
  }
  QueryPtr AskOfRevision(int number) {
    ModelEntry entry = entry_;
    auto revised = std::make_shared<LoadedRevision>(*entry.loaded);
    revised->revision = std::to_string(number);
    entry.loaded = revised;
    return std::get<QueryPtr>(Ask(Request(), entry));
  }

  ModelEntry entry_ = ThreeJoints();
  QueryCache cache_;
};

TEST_F(QueryCacheTest, TheSameQueryIsPreparedOnce) {
  const QueryPtr first = Ask(Request());
  EXPECT_EQ(Ask(Request()), first);
}

TEST_F(QueryCacheTest, WhateverTheReplyDependsOnTellsQueriesApart) {
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
  std::set<QueryPtr> queries = {Ask(Request())};
  for (const Change& change : changes) {
    v1::ComputeRequest request = Request();
    change(&request);
    queries.insert(Ask(request));
    EXPECT_EQ(Ask(request)->echo,
              std::get<QueryPtr>(server::PrepareQuery(FieldsOf(request), entry_,
                                                      *FindTarget("baseline")))
                  ->echo);
  }
  EXPECT_EQ(queries.size(), changes.size() + 1);
}

TEST_F(QueryCacheTest, NamesAndRevisionsOfModelsTellQueriesApart) {
  ModelEntry renamed = ThreeJoints();
  renamed.name = "drei";
  ModelEntry revised = ThreeJoints();
  auto other = std::make_shared<LoadedRevision>(*revised.loaded);
  other->revision = std::string(64, '0');
  revised.loaded = other;
  const std::set<QueryPtr> queries = {
      Ask(Request()), std::get<QueryPtr>(Ask(Request(), renamed)),
      std::get<QueryPtr>(Ask(Request(), revised))};
  EXPECT_EQ(queries.size(), 3u);
}

TEST_F(QueryCacheTest, EachRobotOfAFleetIsPreparedOnce) {
  std::vector<QueryPtr> queries;
  queries.reserve(300);
  for (int k = 0; k < 300; ++k) queries.push_back(AskOfRevision(k));
  for (int k = 0; k < 300; ++k) EXPECT_EQ(AskOfRevision(k), queries[k]) << k;
}

// To lay out a million entries takes milliseconds.
TEST_F(QueryCacheTest, ALargeRobotIsPreparedOnce) {
  std::string joints, links = "<link name='0'/>";
  for (int k = 1; k <= 1024; ++k) {
    const std::string name = std::to_string(k), parent = std::to_string(k - 1);
    links += "<link name='" + name + "'><inertial><mass value='1'/>" +
             "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>" +
             "</inertial></link>";
    joints += "<joint name='" + name + "' type='continuous'><parent link='" +
              parent + "'/><child link='" + name + "'/></joint>";
  }
  ModelEntry entry;
  entry.loaded = LoadRevision(
      "urdf", "<robot name='chain'>" + links + joints + "</robot>", {});
  v1::ComputeRequest request;
  request.add_quantities(v1::QUANTITY_MASS_MATRIX);
  EXPECT_EQ(std::get<QueryPtr>(Ask(request, entry)),
            std::get<QueryPtr>(Ask(request, entry)));
}

TEST_F(QueryCacheTest, WhatIsNotAskedForAnyMoreGoesFirst) {
  const QueryPtr asked = Ask(Request());
  const std::weak_ptr<const PreparedQuery> first = AskOfRevision(0);
  int k = 1;
  for (; !first.expired() && k < 100'000; ++k) {
    AskOfRevision(k);
    EXPECT_EQ(Ask(Request()), asked);
  }
  EXPECT_LT(k, 100'000);
}

}  // namespace
}  // namespace torqued::server
