// Loads the modules of the other libraries.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/peers/peer.h"
#include "bench/robots.h"
#include "bench/states.h"

namespace torqued::bench {

/// A library's version of one robot, with the states in its order of joints.
struct LoadedPeer {
  std::string library;  // "kdl", "mujoco", "pinocchio", "rbdl"
  std::unique_ptr<Peer> peer;
  std::vector<int> joints;  // canonical index of each of its joints
  States states;
};

/// Names of the libraries that were found when this was built.
std::vector<std::string> PeerLibraries();

/// With the first `rows` states. Throws std::runtime_error where the module
/// cannot be loaded or the library cannot read the robot.
LoadedPeer LoadPeer(const std::string& library, const BenchRobot& robot,
                    const States& states, std::int64_t rows);

/// A state of the peer's table.
StateRow RowOf(const States& states, std::int64_t row);

}  // namespace torqued::bench
