#include "server/wire/enums.h"

namespace torqued::server {

std::optional<Quantity> ToQuantity(int number) {
  switch (number) {
    case v1::QUANTITY_INVERSE_DYNAMICS:
      return Quantity::kInverseDynamics;
    case v1::QUANTITY_MASS_MATRIX:
      return Quantity::kMassMatrix;
    case v1::QUANTITY_FORWARD_DYNAMICS:
      return Quantity::kForwardDynamics;
    case v1::QUANTITY_BIAS_FORCES:
      return Quantity::kBiasForces;
    case v1::QUANTITY_FRAME_POSE:
      return Quantity::kFramePose;
    case v1::QUANTITY_JACOBIAN:
      return Quantity::kJacobian;
    case v1::QUANTITY_JACOBIAN_DRIFT:
      return Quantity::kJacobianDrift;
    case v1::QUANTITY_OPERATIONAL_SPACE:
      return Quantity::kOperationalSpace;
    case v1::QUANTITY_GRAVITY_FORCES:
      return Quantity::kGravityForces;
    case v1::QUANTITY_CORIOLIS_FORCES:
      return Quantity::kCoriolisForces;
    case v1::QUANTITY_CORIOLIS_MATRIX:
      return Quantity::kCoriolisMatrix;
    case v1::QUANTITY_CHRISTOFFEL_SYMBOLS:
      return Quantity::kChristoffelSymbols;
    case v1::QUANTITY_MASS_MATRIX_RATE:
      return Quantity::kMassMatrixRate;
    case v1::QUANTITY_MASS_MATRIX_INVERSE:
      return Quantity::kMassMatrixInverse;
    case v1::QUANTITY_ENERGY:
      return Quantity::kEnergy;
    case v1::QUANTITY_CENTER_OF_MASS:
      return Quantity::kCenterOfMass;
    case v1::QUANTITY_MOMENTUM:
      return Quantity::kMomentum;
    case v1::QUANTITY_MOMENTUM_MATRIX:
      return Quantity::kMomentumMatrix;
    case v1::QUANTITY_LINK_TWISTS:
      return Quantity::kLinkTwists;
    case v1::QUANTITY_LINK_ACCELERATIONS:
      return Quantity::kLinkAccelerations;
    case v1::QUANTITY_FRAME_VELOCITY:
      return Quantity::kFrameVelocity;
    case v1::QUANTITY_FRAME_ACCELERATION:
      return Quantity::kFrameAcceleration;
    case v1::QUANTITY_JACOBIAN_RATE:
      return Quantity::kJacobianRate;
    case v1::QUANTITY_JOINT_WRENCHES:
      return Quantity::kJointWrenches;
    case v1::QUANTITY_BASE_WRENCH:
      return Quantity::kBaseWrench;
    case v1::QUANTITY_REGRESSOR:
      return Quantity::kRegressor;
    case v1::QUANTITY_INVERSE_DYNAMICS_DERIVATIVES:
      return Quantity::kInverseDynamicsDerivatives;
    case v1::QUANTITY_FORWARD_DYNAMICS_DERIVATIVES:
      return Quantity::kForwardDynamicsDerivatives;
    case v1::QUANTITY_TASK_PROJECTION:
      return Quantity::kTaskProjection;
    case v1::QUANTITY_FORWARD_FRAME_ACCELERATION:
      return Quantity::kForwardFrameAcceleration;
    case v1::QUANTITY_TASK_TORQUE:
      return Quantity::kTaskTorque;
    case v1::QUANTITY_POWER_BALANCE:
      return Quantity::kPowerBalance;
    default:
      return std::nullopt;
  }
}

std::optional<ReferenceFrame> ToReferenceFrame(int number) {
  switch (number) {
    case v1::REFERENCE_FRAME_UNSPECIFIED:
    case v1::REFERENCE_FRAME_LOCAL:
      return ReferenceFrame::kLocal;
    case v1::REFERENCE_FRAME_LOCAL_WORLD_ALIGNED:
      return ReferenceFrame::kLocalWorldAligned;
    case v1::REFERENCE_FRAME_WORLD:
      return ReferenceFrame::kWorld;
    default:
      return std::nullopt;
  }
}

std::optional<std::uint8_t> ToAxis(int number) {
  if (number < v1::TASK_AXIS_ANGULAR_X || number > v1::TASK_AXIS_LINEAR_Z) {
    return std::nullopt;
  }
  return static_cast<std::uint8_t>(number - v1::TASK_AXIS_ANGULAR_X);
}

std::optional<SingularityRule> ToSingularityRule(int number) {
  switch (number) {
    case v1::SINGULARITY_RULE_UNSPECIFIED:
    case v1::SINGULARITY_RULE_REPORT:
      return SingularityRule::kReport;
    case v1::SINGULARITY_RULE_DAMPED:
      return SingularityRule::kDamped;
    default:
      return std::nullopt;
  }
}

std::optional<Precision> ToPrecision(int number) {
  switch (number) {
    case v1::PRECISION_UNSPECIFIED:
    case v1::PRECISION_DOUBLE:
      return Precision::kDouble;
    case v1::PRECISION_SINGLE:
      return Precision::kSingle;
    default:
      return std::nullopt;
  }
}

std::optional<Validation> ToValidation(int number) {
  switch (number) {
    case v1::VALIDATION_UNSPECIFIED:
    case v1::VALIDATION_DEFAULT:
      return Validation::kDefault;
    case v1::VALIDATION_STRICT:
      return Validation::kStrict;
    case v1::VALIDATION_LENIENT:
      return Validation::kLenient;
    default:
      return std::nullopt;
  }
}

std::optional<Payload> ToPayload(int number) {
  switch (number) {
    case v1::ENCODING_VALUES:
      return Payload::kValues;
    case v1::ENCODING_F64:
      return Payload::kF64;
    case v1::ENCODING_F32:
      return Payload::kF32;
    default:
      return std::nullopt;
  }
}

v1::ReferenceFrame ToWire(ReferenceFrame frame) {
  switch (frame) {
    case ReferenceFrame::kLocal:
      return v1::REFERENCE_FRAME_LOCAL;
    case ReferenceFrame::kLocalWorldAligned:
      return v1::REFERENCE_FRAME_LOCAL_WORLD_ALIGNED;
    case ReferenceFrame::kWorld:
      return v1::REFERENCE_FRAME_WORLD;
  }
  return v1::REFERENCE_FRAME_UNSPECIFIED;
}

v1::TaskAxis ToWireAxis(std::uint8_t axis) {
  return static_cast<v1::TaskAxis>(v1::TASK_AXIS_ANGULAR_X + axis);
}

v1::SingularityRule ToWire(SingularityRule rule) {
  switch (rule) {
    case SingularityRule::kReport:
      return v1::SINGULARITY_RULE_REPORT;
    case SingularityRule::kDamped:
      return v1::SINGULARITY_RULE_DAMPED;
  }
  return v1::SINGULARITY_RULE_UNSPECIFIED;
}

v1::Precision ToWire(Precision precision) {
  switch (precision) {
    case Precision::kDouble:
      return v1::PRECISION_DOUBLE;
    case Precision::kSingle:
      return v1::PRECISION_SINGLE;
  }
  return v1::PRECISION_UNSPECIFIED;
}

v1::Validation ToWire(Validation validation) {
  switch (validation) {
    case Validation::kDefault:
      return v1::VALIDATION_DEFAULT;
    case Validation::kStrict:
      return v1::VALIDATION_STRICT;
    case Validation::kLenient:
      return v1::VALIDATION_LENIENT;
  }
  return v1::VALIDATION_UNSPECIFIED;
}

v1::TaskRule ToWire(TaskRule rule) {
  switch (rule) {
    case TaskRule::kFullRank:
      return v1::TASK_RULE_FULL_RANK;
    case TaskRule::kRangeRestricted:
      return v1::TASK_RULE_RANGE_RESTRICTED;
    case TaskRule::kDamped:
      return v1::TASK_RULE_DAMPED;
    case TaskRule::kUndefined:
      return v1::TASK_RULE_UNDEFINED;
  }
  return v1::TASK_RULE_UNSPECIFIED;
}

v1::RowCode ToWire(RowCode code) {
  switch (code) {
    case RowCode::kInvalidInput:
      return v1::ROW_CODE_INVALID_INPUT;
    case RowCode::kSingularMassMatrix:
      return v1::ROW_CODE_SINGULAR_MASS_MATRIX;
    case RowCode::kNotFiniteResult:
      return v1::ROW_CODE_NOT_FINITE_RESULT;
    case RowCode::kSingularTaskSpace:
      return v1::ROW_CODE_SINGULAR_TASK_SPACE;
    case RowCode::kWeakTaskSpace:
      return v1::ROW_CODE_WEAK_TASK_SPACE;
  }
  return v1::ROW_CODE_UNSPECIFIED;
}

v1::JointType ToWire(JointType type) {
  switch (type) {
    case JointType::kRevolute:
      return v1::JOINT_TYPE_REVOLUTE;
    case JointType::kContinuous:
      return v1::JOINT_TYPE_CONTINUOUS;
    case JointType::kPrismatic:
      return v1::JOINT_TYPE_PRISMATIC;
  }
  return v1::JOINT_TYPE_UNSPECIFIED;
}

v1::Severity ToWire(Severity severity) {
  switch (severity) {
    case Severity::kInfo:
      return v1::SEVERITY_INFO;
    case Severity::kWarning:
      return v1::SEVERITY_WARNING;
    case Severity::kError:
      return v1::SEVERITY_ERROR;
  }
  return v1::SEVERITY_UNSPECIFIED;
}

}  // namespace torqued::server
