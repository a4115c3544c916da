#include "tests/fuzz/fuzz_robots.h"

#include <utility>
#include <vector>

#include "tests/server/robots.h"

namespace torqued::fuzz {
namespace {

using server::ModelEntry;
using server::ThreeJoints;

constexpr char kFork[] = R"(<robot name="fork">
  <link name="base"/>
  <link name="left"><inertial><origin xyz="0.2 0 0"/><mass value="2"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/>
  </inertial></link>
  <link name="right"><inertial><mass value="1"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/>
  </inertial></link>
  <joint name="a" type="continuous"><parent link="base"/><child link="left"/>
    <axis xyz="0 1 0"/></joint>
  <joint name="b" type="continuous"><parent link="base"/><child link="right"/>
    <axis xyz="0 0 1"/></joint>
</robot>)";

constexpr char kStatue[] =
    R"(<robot name="statue"><link name="base"/></robot>)";

constexpr char kCoaxial[] = R"(<robot name="coaxial">
  <link name="base"/><link name="middle"/>
  <link name="end"><inertial><origin xyz="0.2 0 0"/><mass value="2"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/>
  </inertial></link>
  <joint name="a" type="continuous"><parent link="base"/>
    <child link="middle"/><axis xyz="0 0 1"/></joint>
  <joint name="b" type="continuous"><parent link="middle"/>
    <child link="end"/><axis xyz="0 0 1"/></joint>
</robot>)";

ModelEntry Entry(std::string source) {
  ModelEntry entry;
  entry.name = "robot";
  entry.loaded = server::LoadRevision("urdf", std::move(source), {});
  return entry;
}

}  // namespace

const ModelEntry& FuzzRobot(Robot robot) {
  // By number of Robot.
  static const std::vector<ModelEntry> entries = {
      ThreeJoints(), Entry(kFork), Entry(kStatue), Entry("<robot"),
      Entry(kCoaxial)};
  const auto number = static_cast<std::size_t>(robot);
  return entries[number % entries.size()];
}

std::span<const std::string> FuzzRobotNames() {
  static const std::vector<std::string> names = {
      "lift", "reach", "twist", "a",     "b",   "base",   "upper",
      "hand", "left",  "right", "slide", "end", "middle", "nothing"};
  return names;
}

}  // namespace torqued::fuzz
