#include "core/model/topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/core/model/descriptions.h"

namespace torqued {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Edge {
  std::string joint, parent, child;
};

struct Found {
  Topology topology;
  LintReport report;
  std::vector<std::string> order;  // of the links
};

Found Find(const std::vector<std::string>& link_names,
           const std::vector<Edge>& edges) {
  std::vector<LinkDescription> links;
  std::vector<JointDescription> joints;
  for (const std::string& name : link_names) {
    links.push_back(MasslessLink(name));
    links.back().line = static_cast<int>(links.size());
  }
  for (const Edge& edge : edges) {
    joints.push_back(
        JointOf(edge.joint, JointKind::kFixed, edge.parent, edge.child));
    joints.back().line = 100 + static_cast<int>(joints.size());
  }
  Found found;
  found.topology = FindTopology(links, joints, found.report);
  if (found.topology.valid) {
    for (const int link : found.topology.links) {
      found.order.push_back(links[link].name);
    }
  }
  return found;
}

Finding Only(const LintReport& report) {
  EXPECT_EQ(report.findings().size(), 1u) << Messages(report);
  return report.findings().empty() ? Finding{} : report.findings()[0];
}

TEST(Topology, SiblingsAreOrderedByJointName) {
  // Byte-wise: digits, capitals, small letters, then other scripts; "j10"
  // before "j2"; a prefix before what it begins. The links' names would give
  // the reverse.
  const std::vector<std::string> names = {"",  "10", "A",   "Z",  "_",
                                          "a", "aa", "j10", "j2", "\xC3\xA9"};
  std::vector<std::string> links = {"base"};
  std::vector<Edge> edges;
  std::vector<std::string> expected = {"base"};
  for (std::size_t i = 1; i < names.size(); ++i) {
    const std::string link(1, static_cast<char>('z' - i));
    links.push_back(link);
    edges.push_back({names[i], "base", link});
    expected.push_back(link);
  }
  std::reverse(edges.begin(), edges.end());
  EXPECT_EQ(Find(links, edges).order, expected);
}

TEST(Topology, OrderIsDepthFirst) {
  const Found found = Find({"d", "base", "a", "b", "c"}, {{"j2", "base", "b"},
                                                          {"j1", "base", "a"},
                                                          {"j9", "a", "c"},
                                                          {"j0", "b", "d"}});
  EXPECT_THAT(found.order, ElementsAre("base", "a", "c", "b", "d"));
}

TEST(Topology, OrderOfTheInputDoesNotMatter) {
  std::mt19937 random(5);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::string> links = {"l0"};
    std::vector<Edge> edges;
    for (int i = 1; i < 40; ++i) {
      const std::string name = "l" + std::to_string(i);
      edges.push_back({"j" + std::to_string(random()),
                       links[random() % links.size()], name});
      links.push_back(name);
    }
    const auto expected = Find(links, edges).order;
    ASSERT_EQ(expected.size(), 40u);
    std::shuffle(links.begin(), links.end(), random);
    std::shuffle(edges.begin(), edges.end(), random);
    EXPECT_EQ(Find(links, edges).order, expected);
  }
}

TEST(Topology, ParentsStandBeforeChildren) {
  const Found found = Find({"a", "b", "c"}, {{"x", "b", "a"}, {"y", "c", "b"}});
  EXPECT_THAT(found.order, ElementsAre("c", "b", "a"));
  EXPECT_THAT(found.topology.parent_joint, ElementsAre(0, 1, -1));
  EXPECT_THAT(found.topology.is_leaf, ElementsAre(1, 0, 0));
}

TEST(Topology, CycleIsReportedWithItsJoints) {
  const Found found =
      Find({"base", "a", "b", "c"},
           {{"j3", "b", "c"}, {"j1", "c", "a"}, {"j2", "a", "b"}});
  EXPECT_FALSE(found.topology.valid);
  const Finding f = Only(found.report);
  EXPECT_EQ(f.code, LintCode::kCycle);
  EXPECT_EQ(f.severity, Severity::kError);
  EXPECT_EQ(f.joint, "j3");
  EXPECT_EQ(f.link, "c");
  EXPECT_EQ(f.line, 101);
  EXPECT_THAT(f.message, HasSubstr("'j3', 'j1', 'j2'"));
}

TEST(Topology, EveryCycleIsReported) {
  const Found found = Find(
      {"base", "a", "b", "c", "d"},
      {{"j1", "a", "b"}, {"j2", "b", "a"}, {"j3", "c", "d"}, {"j4", "d", "c"}});
  EXPECT_EQ(Count(found.report, LintCode::kCycle), 2);
  EXPECT_EQ(found.report.errors(), 2);
}

TEST(Topology, LinksBehindACycleAreUnreachable) {
  const Found found =
      Find({"base", "a", "b", "tail"},
           {{"j1", "a", "b"}, {"j2", "b", "a"}, {"j3", "a", "tail"}});
  EXPECT_EQ(Count(found.report, LintCode::kCycle), 1);
  ASSERT_EQ(Count(found.report, LintCode::kUnreachableLink), 1)
      << Messages(found.report);
  const Finding& f = found.report.findings()[1];
  EXPECT_EQ(f.link, "tail");
  EXPECT_EQ(f.joint, "j3");
  EXPECT_EQ(f.line, 4);
}

TEST(Topology, CycleWithoutARootIsReportedAsACycleOnly) {
  const Found found = Find({"a", "b"}, {{"j1", "a", "b"}, {"j2", "b", "a"}});
  EXPECT_EQ(Only(found.report).code, LintCode::kCycle);
  EXPECT_FALSE(found.topology.valid);
}

TEST(Topology, SelfLoopIsNamed) {
  const Found found = Find({"base", "a"}, {{"j", "a", "a"}});
  const Finding f = Only(found.report);
  EXPECT_EQ(f.code, LintCode::kCycle);
  EXPECT_EQ(f.joint, "j");
  EXPECT_THAT(f.message, HasSubstr("to itself"));
}

TEST(Topology, TwoParentsNameBothJoints) {
  const Found found = Find({"base", "a", "b", "c"}, {{"j1", "base", "a"},
                                                     {"j2", "base", "b"},
                                                     {"j3", "a", "c"},
                                                     {"j4", "b", "c"}});
  EXPECT_FALSE(found.topology.valid);
  const Finding f = Only(found.report);
  EXPECT_EQ(f.code, LintCode::kTwoParents);
  EXPECT_EQ(f.joint, "j4");
  EXPECT_EQ(f.link, "c");
  EXPECT_EQ(f.line, 104);
  EXPECT_THAT(f.message, HasSubstr("'j3' (line 103)"));
}

TEST(Topology, SeveralRootsAreListed) {
  const Found found = Find({"base", "a", "stray", "b"},
                           {{"j1", "base", "a"}, {"j2", "a", "b"}});
  EXPECT_FALSE(found.topology.valid);
  const Finding f = Only(found.report);
  EXPECT_EQ(f.code, LintCode::kSeveralRoots);
  EXPECT_EQ(f.link, "stray");
  EXPECT_EQ(f.line, 3);
  EXPECT_THAT(f.message, HasSubstr("'base', 'stray'"));
}

TEST(Topology, UnknownParentIsNoSecondRoot) {
  // One mistake is one finding: the part behind the joint is not called
  // unreachable, nor its link a root.
  const Found found =
      Find({"base", "a", "b"}, {{"j1", "bse", "a"}, {"j2", "a", "b"}});
  EXPECT_FALSE(found.topology.valid);
  const Finding f = Only(found.report);
  EXPECT_EQ(f.code, LintCode::kUnknownLink);
  EXPECT_EQ(f.joint, "j1");
  EXPECT_EQ(f.link, "bse");
  EXPECT_EQ(f.line, 101);
  EXPECT_THAT(f.message, HasSubstr("parent"));
}

TEST(Topology, DuplicateNamesPointAtTheFirst) {
  const Found links = Find({"base", "a", "a"}, {{"j", "base", "a"}});
  EXPECT_EQ(Only(links.report).code, LintCode::kDuplicateName);
  EXPECT_EQ(Only(links.report).link, "a");
  EXPECT_EQ(Only(links.report).line, 3);
  EXPECT_THAT(Only(links.report).message, HasSubstr("first (line 2)"));
  EXPECT_FALSE(links.topology.valid);

  const Found joints =
      Find({"base", "a", "b"}, {{"j", "base", "a"}, {"j", "base", "b"}});
  EXPECT_EQ(Only(joints.report).code, LintCode::kDuplicateName);
  EXPECT_EQ(Only(joints.report).joint, "j");
  EXPECT_EQ(Only(joints.report).line, 102);
  EXPECT_FALSE(joints.topology.valid);

  // A link and a joint may share a name.
  EXPECT_TRUE(Find({"base", "j"}, {{"j", "base", "j"}}).topology.valid);
}

TEST(Topology, NothingIsNoTree) { EXPECT_FALSE(Find({}, {}).topology.valid); }

}  // namespace
}  // namespace torqued
