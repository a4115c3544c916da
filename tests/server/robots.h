// Small robots for tests of the server.
#pragma once

#include <string>

#include "server/registry/registry.h"

namespace torqued::server {

/// Revolute "lift", then prismatic "reach", then revolute "twist"; one leaf.
inline constexpr char kThreeJoints[] = R"(<robot name="three">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0.2 0 0"/><mass value="2"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/>
  </inertial></link>
  <link name="slide"><inertial><origin xyz="0.1 0 0"/><mass value="1"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/>
  </inertial></link>
  <link name="hand"><inertial><origin xyz="0 0.1 0"/><mass value="1"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/>
  </inertial></link>
  <joint name="lift" type="revolute"><parent link="base"/>
    <child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" effort="30" velocity="4"/></joint>
  <joint name="reach" type="prismatic"><parent link="upper"/>
    <child link="slide"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="1" effort="50" velocity="1"/>
    <dynamics damping="0.5" friction="0.25"/></joint>
  <joint name="twist" type="continuous"><parent link="slide"/>
    <child link="hand"/><axis xyz="1 0 0"/></joint>
</robot>)";

inline ModelEntry ThreeJoints() {
  ModelEntry entry;
  entry.name = "three";
  entry.loaded = LoadRevision("urdf", kThreeJoints, {});
  return entry;
}

}  // namespace torqued::server
