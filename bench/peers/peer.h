// Another dynamics library, as a competent user of it computes our quantities.
//
// Each library stands in a module of its own that is loaded at run time and
// sees the symbols of no other: what one was compiled with (Debian's packages
// for any x86-64, others perhaps for this machine) must not leak into another
// through the templates that all of them instantiate.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "bench/evaluation_run.h"

namespace torqued::bench {

/// Pointers to one number per joint, in the library's own order of joints.
struct StateRow {
  const double* q;
  const double* v;
  const double* a;
  const double* tau;
};

/// Not thread-safe. Solvers and their memory are made once, by the constructor.
class Peer {
 public:
  virtual ~Peer() = default;

  /// "Orocos KDL 1.5.1"
  virtual std::string version() const = 0;
  /// The library's order of all movable joints, in which states are given and
  /// results come.
  virtual std::vector<std::string> joint_names() const = 0;
  /// Whether spatial vectors are (linear; angular), unlike ours.
  virtual bool linear_first() const { return false; }
  /// Largest relative difference, for a well-conditioned state, that the way
  /// the library stores a robot explains.
  virtual double tolerance() const { return 1e-10; }

  /// The results stay where the library leaves them. False: it does not offer
  /// the quantity.
  virtual bool Compute(Quantity quantity, const StateRow& state) = 0;
  /// A result of the last state, row-major, matrices in full.
  virtual void Copy(Output output, double* numbers) = 0;
};

/// What a module is asked for. Gravity is (0, 0, −9.81).
struct PeerRequest {
  std::string urdf;
  std::string tip;  // link
};

/// Every module exports it as "torqued_bench_make_peer"; the caller owns the
/// peer. Null, with a sentence in `why`, where the library cannot read the
/// robot.
using MakePeer = Peer*(const PeerRequest& request, std::string& why);

/// Defines it by a function of a request in torqued::bench, which may throw.
#define TORQUED_BENCH_PEER(make)                                          \
  extern "C" torqued::bench::Peer* torqued_bench_make_peer(               \
      const torqued::bench::PeerRequest& request, std::string& why) try { \
    return torqued::bench::make(request).release();                       \
  } catch (const std::exception& error) {                                 \
    why = error.what();                                                   \
    return nullptr;                                                       \
  }

/// A library's version of one robot, with the states in its order of joints.
struct LoadedPeer {
  std::string library;  // "kdl", "mujoco", "pinocchio", "rbdl"
  std::unique_ptr<Peer> peer;
  std::vector<int> joints;  // canonical index of each of its joints
  States states;

  bool Compute(Quantity quantity, std::int64_t row) const {
    const auto at = row * states.columns;
    return peer->Compute(quantity,
                         {states.q.data() + at, states.v.data() + at,
                          states.a.data() + at, states.tau.data() + at});
  }
};

/// Names of the libraries that were found when this was built.
std::vector<std::string> PeerLibraries();

/// With the first `rows` states. Throws std::runtime_error where the module
/// cannot be loaded or the library cannot read the robot.
LoadedPeer LoadPeer(const std::string& library, const BenchRobot& robot,
                    const States& states, std::int64_t rows);

}  // namespace torqued::bench
