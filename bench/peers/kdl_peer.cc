// Orocos KDL: solvers for chains; for trees inverse dynamics and Jacobian only.
#include "bench/peers/oracle_peer.h"
#include "tests/support/libraries/kdl_robot.h"

namespace torqued::bench {
namespace {

template <class Robot>
class KdlPeer : public OraclePeer<Robot> {
 public:
  using OraclePeer<Robot>::OraclePeer;
  std::string version() const override {
    return "Orocos KDL " TORQUED_KDL_VERSION;
  }
};

std::unique_ptr<Peer> MakeKdl(const PeerRequest& request) {
  if (oracles::KdlTree(request.urdf, request.tip, {}).is_chain()) {
    return std::make_unique<KdlPeer<oracles::KdlChain>>(request);
  }
  return std::make_unique<KdlPeer<oracles::KdlTree>>(request);
}

}  // namespace
}  // namespace torqued::bench

TORQUED_BENCH_PEER(MakeKdl)
