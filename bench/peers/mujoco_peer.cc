// MuJoCo, without constraints, contacts and sensors.
#include "bench/peers/oracle_peer.h"
#include "tests/support/libraries/mujoco_robot.h"

namespace torqued::bench {
namespace {

class MujocoPeer : public OraclePeer<oracles::MujocoRobot> {
 public:
  using OraclePeer::OraclePeer;
  std::string version() const override {
    return std::string("MuJoCo ") + mj_versionString();
  }
  /// Inertias are stored as principal moments and a quaternion.
  double tolerance() const override { return 1e-6; }
};

std::unique_ptr<Peer> MakeMujoco(const PeerRequest& request) {
  return std::make_unique<MujocoPeer>(request);
}

}  // namespace
}  // namespace torqued::bench

TORQUED_BENCH_PEER(MakeMujoco)
