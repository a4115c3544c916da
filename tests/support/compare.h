// How far two results are apart.
#pragma once

#include <Eigen/Core>
#include <map>
#include <string>

namespace torqued::testing_support {

/// max |actual - expected| / max(max |expected|, scale): an error relative to
/// the largest entry of the result. `scale` is the size of the terms that the
/// result is a sum of, where they may cancel. Infinite when sizes differ or a
/// number is not finite.
double RelativeError(const Eigen::Ref<const Eigen::MatrixXd>& actual,
                     const Eigen::Ref<const Eigen::MatrixXd>& expected,
                     double scale = 0);

/// Ratio of the largest to the smallest singular value; infinite for a
/// singular matrix.
double ConditionNumber(const Eigen::Ref<const Eigen::MatrixXd>& matrix);

/// The range of the errors of each quantity over all robots and states of a
/// test. Prints it and records it as a property of the test when it goes out of
/// scope.
class LargestErrors {
 public:
  LargestErrors() = default;
  ~LargestErrors();
  LargestErrors(const LargestErrors&) = delete;
  LargestErrors& operator=(const LargestErrors&) = delete;

  /// `where` names the robot and the state.
  void Add(const std::string& quantity, double error, const std::string& where);
  /// The RelativeError of `actual`.
  void Add(const std::string& quantity,
           const Eigen::Ref<const Eigen::MatrixXd>& actual,
           const Eigen::Ref<const Eigen::MatrixXd>& expected,
           const std::string& where);
  /// Fails the running test for a quantity whose largest error is above
  /// `bound`, or that was never added.
  void ExpectBelow(const std::string& quantity, double bound) const;
  /// The same for one that must be above: the twin that proves a comparison
  /// can fail. It is the smallest error that counts.
  void ExpectAbove(const std::string& quantity, double bound) const;

 private:
  struct Range {
    double smallest;
    double largest;
    std::string smallest_at;
    std::string largest_at;
  };

  /// Null, and a failure of the running test, when it was never added.
  const Range* Find(const std::string& quantity) const;

  std::map<std::string, Range> ranges_;
};

}  // namespace torqued::testing_support
