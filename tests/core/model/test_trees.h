// Trees made to order: the relation of each axis to the one before it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/model.h"
#include "tests/support/random_robot.h"

namespace torqued {

/// How a joint's axis lies to its parent's, at q = 0.
enum class AxisRelation : std::uint8_t {
  kAny,
  kParallel,
  kAntiparallel,
  kPerpendicular,
  kCoincident,          // parallel, on the same line
  kOppositeCoincident,  // antiparallel, on the same line
  kIntersecting,        // at any angle
  kRightIntersecting,   // perpendicular
};

/// A tree and its memory.
struct TestTree {
  std::string name;
  std::vector<TreeBody> bodies;

  Tree tree() const { return {static_cast<int>(bodies.size()), bodies.data()}; }
};

/// Adds a body to a tree: valid random inertia, offsets up to 0.3 m, any
/// frames; the axis in the given relation to the parent's. A root's is any.
void AddBody(int parent, JointMotion motion, AxisRelation relation,
             testing_support::Random& random, TestTree& out);

/// The same with a given sine of the angle to the parent's axis.
void AddBodyAtSine(int parent, double sine, testing_support::Random& random,
                   TestTree& out);

/// n bodies in depth-first order on one or several roots; all relations.
TestTree RandomTree(std::uint64_t seed, int n, double prismatic_share,
                    double branching);

/// A copy of the model's tree.
TestTree CopyOf(const Model& model, std::string name);

/// Random trees, chains and forests of 1 to 12 joints; random and shipped
/// robots; constructed special cases. All on the scale of a metre.
std::vector<TestTree> ReasonableTrees();

/// 8 revolute joints of which three have axes of this sine to those before.
TestTree NearParallelChain(double sine, std::uint64_t seed);

}  // namespace torqued
