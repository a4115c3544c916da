// What a trajectory asks of one joint.
#pragma once

#include <cstdint>
#include <optional>

namespace torqued {

/// A number and where it stands.
struct PeakValue {
  std::int64_t row = -1;  // -1: there is none
  double value = 0;
  /// s since that row, before the next one: between samples. 0: at the row.
  double after = 0;

  bool present() const { return row >= 0; }
};

/// Rows are samples from 0. Positions and velocities are those of the samples
/// and of the extrema between them that are known. Powers and energies are
/// those that the drive gives: tau v, and its integral, straight between
/// samples.
struct JointDemand {
  PeakValue torque;    // of the largest magnitude, signed; N m or N
  PeakValue velocity;  // likewise; rad/s or m/s
  /// |tau| over the limit at that speed; absent: the joint has none. Infinite
  /// for a torque where the limit is 0.
  PeakValue torque_use;
  PeakValue velocity_use;  // |v| over the limit
  PeakValue lowest_position;
  PeakValue highest_position;
  PeakValue highest_power;  // W
  PeakValue lowest_power;   // W; negative: the drive brakes
  double rms_torque = 0;    // over time; squares are straight between samples
  /// Infinite where the limit is 0 and the torque is not.
  std::optional<double> rms_torque_use;
  double energy_given = 0;  // J, of the times with positive power
  double energy_taken = 0;  // J, at least 0, of those with negative power
};

/// One sample of a joint.
struct JointSample {
  double q = 0;
  double v = 0;
  double tau = 0;
  double torque_limit = 0;    // infinite: none
  double velocity_limit = 0;  // infinite: none
};

/// |value| / limit; 0 / 0 is 0.
double UseOf(double value, double limit);

/// Takes the samples of a joint in order.
class JointTally {
 public:
  /// `step`: seconds since the sample before; of the first one 0.
  void Add(std::int64_t row, double step, const JointSample& sample);

  /// Extrema between a row that was added and the next one.
  void AddPositionBetween(std::int64_t row, double after, double q);
  /// `limit` is infinite where there is none.
  void AddVelocityBetween(std::int64_t row, double after, double v,
                          double limit);

  /// Whether an integral of finite numbers has left the range of numbers.
  bool overflows() const;

  /// `duration`: seconds from the first sample to the last.
  JointDemand Finish(double duration) const;

 private:
  /// Integrates by trapezoids. Takes infinity, which stays.
  struct Integral {
    double sum = 0;
    double last = 0;

    void Add(double step, double value);
  };

  void AddPower(double step, double power);

  JointDemand demand_;
  Integral square_of_torque_;
  Integral square_of_use_;
  double last_power_ = 0;
};

}  // namespace torqued
