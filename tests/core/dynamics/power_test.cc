// Where the energy of a robot comes from and goes to.
#include "core/dynamics/power-inl.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "core/dynamics/applied_wrenches-inl.h"
#include "core/dynamics/energy-inl.h"
#include "tests/core/dynamics/random_cases.h"
#include "tests/support/compare.h"

namespace torqued::testing_support {
namespace {

using Eigen::VectorXd;

constexpr double kGravity[3] = {1.5, -2.5, -9};
constexpr double kTipWrench[6] = {3, -2, 1, 7, 5, -4};
constexpr double kWrenches[12] = {1, 2, -3, 4, -5, 6, -2, 1, 4, 3, 8, -1};

using Shares = std::array<double, kPowerShareCount>;

/// A robot that friction, wrenches and a moving base act on.
struct Work {
  explicit Work(const RandomCase& c)
      : robot(c),
        tip{c.tip, ReferenceFrame::kLocalWorldAligned},
        places{{{c.tip, ReferenceFrame::kWorld},
                {c.tip, ReferenceFrame::kLocal}}} {
    places[1].frame.body = 0;
    wrenches.on_environment = {&tip, 1, kTipWrench};
    wrenches.on_robot = {places.data(), 2, kWrenches};
  }

  Shares Powers(const BaseMotion<double>* base) const {
    const State& s = robot.state;
    Configured<double> at = At(robot.tree(), s.q);
    ApplyWrenches(robot.tree(), wrenches, at.scratch());
    VectorXd tau(robot.n());
    Shares powers;
    PowerBalance(robot.tree(), terms, s.v.data(), s.a.data(), wrenches,
                 at.scratch(), tau.data(), powers.data(), base);
    return powers;
  }

  const RandomCase& robot;
  WrenchPlace tip;
  std::array<WrenchPlace, 2> places;
  AppliedWrenches<double> wrenches;
  DynamicsTerms terms = {
      {kGravity[0], kGravity[1], kGravity[2]}, true, true, true};
  BaseMotion<double> motion = {{{0.3, -0.5, 0.7}, {1, -2, 0.4}},
                               {{-1, 2, 0.6}, {3, 0.2, -1}},
                               {0.6, 2, -1.5}};
};

double Size(const Shares& powers) {
  double size = 1;
  for (const double power : powers) size += std::abs(power);
  return size;
}

double Balance(const Shares& powers) {
  return powers[kKineticRate] + powers[kPotentialRate] -
         std::accumulate(powers.begin() + kActuatorPower, powers.end(), 0.0);
}

TEST(PowerBalance, WhatGoesInIsWhatTheEnergiesGrowBy) {
  for (const RandomCase& c :
       MakeRandomCases({.friction = true, .armature = true})) {
    Work work(c);
    for (const double smoothing : {0.0, 0.2}) {
      work.terms.coulomb_smoothing = smoothing;
      for (const BaseMotion<double>* base :
           {static_cast<const BaseMotion<double>*>(nullptr),
            static_cast<const BaseMotion<double>*>(&work.motion)}) {
        const Shares powers = work.Powers(base);
        const double size = Size(powers);
        EXPECT_LT(std::abs(Balance(powers)), 1e-13 * size) << c.name;
        EXPECT_EQ(powers[kBasePower] != 0, base != nullptr);
        EXPECT_LT(powers[kCoulombPower], 0);
        EXPECT_LT(powers[kViscousPower], 0);
        // Twin: without any of the shares it does not come out.
        for (std::size_t k = 0; k < powers.size(); ++k) {
          Shares without = powers;
          without[k] = 0;
          if (powers[k] != 0) {
            EXPECT_GT(std::abs(Balance(without)), 1e-11 * size) << k;
          }
        }
      }
    }
  }
}

TEST(PowerBalance, RatesAreThoseOfTheEnergies) {
  for (const RandomCase& c :
       MakeRandomCases({.friction = true, .armature = true})) {
    const Work work(c);
    const Shares powers = work.Powers(nullptr);
    const State& s = c.state;
    Configured<Dual> at(c.tree(), Along(s.q, s.v));
    const std::vector<Dual> v = Along(s.v, s.a);
    const double scale = Size(powers);
    EXPECT_NEAR(powers[kKineticRate],
                KineticEnergy(c.tree(), v.data(), at.scratch()).d,
                1e-13 * scale);
    EXPECT_NEAR(powers[kPotentialRate],
                PotentialEnergy(c.tree(), kGravity, at.scratch()).d,
                1e-13 * scale);
  }
}

TEST(PowerBalance, NothingWorksOnARobotAtRest) {
  for (const RandomCase& c : MakeRandomCases({.count = 4})) {
    const Work work(c);
    Configured<double> at = At(c.tree(), c.state.q);
    ApplyWrenches(c.tree(), work.wrenches, at.scratch());
    VectorXd tau(c.n());
    Shares powers;
    PowerBalance(c.tree(), work.terms, static_cast<const double*>(nullptr),
                 c.state.a.data(), work.wrenches, at.scratch(), tau.data(),
                 powers.data());
    for (const double power : powers) EXPECT_EQ(power, 0);
  }
}

}  // namespace
}  // namespace torqued::testing_support
