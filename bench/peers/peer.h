// Another dynamics library, as a competent user of it computes our workloads.
//
// Each library stands in a module of its own that is loaded at run time and
// sees the symbols of no other: what one was compiled with (Debian's packages
// for any x86-64, others perhaps for this machine) must not leak into another
// through the templates that all of them instantiate.
#pragma once

#include <string>
#include <vector>

#include "bench/workload.h"

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

  virtual bool Computes(Workload workload) const = 0;
  /// The results stay where the library leaves them.
  virtual void Compute(Workload workload, const StateRow& state) = 0;
  /// A result of the last state, row-major, matrices in full.
  virtual void Copy(Output output, double* numbers) const = 0;
};

/// What a module is asked for.
struct PeerRequest {
  std::string urdf;
  std::string tip;                       // link
  std::vector<std::string> joint_names;  // all movable ones, in any order
};

/// Every module exports it as "torqued_bench_make_peer"; the caller owns the
/// peer. Null, with a sentence in `why`, where the library cannot read the
/// robot. Gravity is (0, 0, −9.81).
using MakePeer = Peer*(const PeerRequest& request, std::string& why);

}  // namespace torqued::bench
