#include "bench/peers/peer.h"

#include <dlfcn.h>

#include <sstream>
#include <stdexcept>
#include <utility>

namespace torqued::bench {

std::vector<std::string> PeerLibraries() {
  std::istringstream names(TORQUED_BENCH_PEERS);
  std::vector<std::string> libraries;
  for (std::string name; names >> name;) libraries.push_back(name);
  return libraries;
}

LoadedPeer LoadPeer(const std::string& library, const BenchRobot& robot,
                    const States& states, std::int64_t rows) {
  const std::string path =
      TORQUED_BENCH_PEER_DIR "/torqued_bench_" + library + ".so";
  // Never unloaded: what the library started may still run.
  void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) throw std::runtime_error(dlerror());
  auto* make =
      reinterpret_cast<MakePeer*>(dlsym(module, "torqued_bench_make_peer"));
  if (make == nullptr) throw std::runtime_error(dlerror());

  const PeerRequest request{robot.urdf, robot.tip};
  std::string why;
  LoadedPeer loaded;
  loaded.library = library;
  loaded.peer.reset(make(request, why));
  if (loaded.peer == nullptr) {
    throw std::runtime_error(library + " and " + robot.name + ": " + why);
  }
  loaded.joints = JointIndices(*robot.model, loaded.peer->joint_names());
  loaded.states = WithColumns(states, loaded.joints, rows);
  return loaded;
}

}  // namespace torqued::bench
