#include "bench/robots.h"

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "core/formats/urdf.h"

namespace torqued::bench {
namespace {

std::string ReadDeployed(const std::string& name) {
  const std::string path = TORQUED_MODELS_DIR "/" + name + ".urdf";
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw std::runtime_error("cannot read " + path);
  return std::move(text).str();
}

/// The 7-axis arm with a hand of 0.6 kg and two fingers on prismatic joints;
/// plain boxes.
std::string GripperUrdf() {
  static constexpr std::string_view kEnd = "</robot>";
  static constexpr std::string_view kGripper = R"(
  <joint name="hand_joint" type="fixed">
    <parent link="panda_link8"/>
    <child link="hand"/>
    <origin xyz="0 0 0" rpy="0 0 -0.785398"/>
  </joint>
  <link name="hand">
    <inertial>
      <origin xyz="0 0 0.03"/>
      <mass value="0.6"/>
      <inertia ixx="0.0022" ixy="0" ixz="0" iyy="0.0003" iyz="0" izz="0.0022"/>
    </inertial>
  </link>
  <joint name="left_finger_joint" type="prismatic">
    <parent link="hand"/>
    <child link="left_finger"/>
    <origin xyz="0 0 0.058"/>
    <axis xyz="0 1 0"/>
    <limit lower="0" upper="0.04" effort="50" velocity="0.2"/>
  </joint>
  <link name="left_finger">
    <inertial>
      <origin xyz="0 0.01 0.025"/>
      <mass value="0.05"/>
      <inertia ixx="1.2e-5" ixy="0" ixz="0" iyy="1.2e-5" iyz="0" izz="3e-6"/>
    </inertial>
  </link>
  <joint name="right_finger_joint" type="prismatic">
    <parent link="hand"/>
    <child link="right_finger"/>
    <origin xyz="0 0 0.058"/>
    <axis xyz="0 -1 0"/>
    <limit lower="0" upper="0.04" effort="50" velocity="0.2"/>
  </joint>
  <link name="right_finger">
    <inertial>
      <origin xyz="0 -0.01 0.025"/>
      <mass value="0.05"/>
      <inertia ixx="1.2e-5" ixy="0" ixz="0" iyy="1.2e-5" iyz="0" izz="3e-6"/>
    </inertial>
  </link>
)";
  std::string urdf = ReadDeployed("panda");
  return urdf.insert(urdf.rfind(kEnd), kGripper);
}

BenchRobot Load(std::string name, std::string urdf, std::string tip) {
  BuildOptions options;
  options.default_tip = tip;
  LoadResult loaded = LoadUrdf(urdf, options);
  if (loaded.model == nullptr) {
    throw std::runtime_error(
        name + " does not load: " + loaded.report.findings().front().message);
  }
  return {std::move(name), std::move(urdf), std::move(tip),
          std::move(loaded.model)};
}

}  // namespace

std::vector<BenchRobot> BenchRobots() {
  return {
      Load("ur5e", ReadDeployed("ur5e"), "tool0"),
      Load("panda", ReadDeployed("panda"), "panda_link8"),
      Load("panda_gripper", GripperUrdf(), "panda_link8"),
      Load("humanoid", HumanoidUrdf(), kHumanoidTip),
  };
}

BenchRobot LightLinkedRobot() {
  return Load("humanoid_hands", HumanoidWithHandsUrdf(), kHumanoidTip);
}

}  // namespace torqued::bench
