// Streams of torqued.v1.Trajectories, from the wire to verdict and tables.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "fuzz_inputs.pb.h"
#include "server/services/check_job.h"
#include "server/wire/trajectory_messages.h"
#include "tests/fuzz/array_numbers.h"
#include "tests/fuzz/fuzz_robots.h"
#include "tests/fuzz/message_input.h"
#include "tests/fuzz/refusal.h"
#include "tests/fuzz/require.h"

namespace torqued::fuzz {
namespace {

using namespace torqued::server;  // NOLINT(google-build-using-namespace)

using Messages = google::protobuf::RepeatedPtrField<v1::TrajectorySamples>;

/// What a check comes to.
struct Outcome {
  std::optional<Error> error;
  std::int64_t rows = 0;  // before the error, or all
  v1::TrajectoryVerdict verdict;
  v1::TrajectoryRows tables;
};

Engine& TheEngine() {
  static Engine engine(Engine::Options{.threads = 1});
  return engine;
}

Admission& AdmissionOf(bool narrow) {
  static Admission wide({1 << 30}), small({6000});
  return narrow ? small : wide;
}

void Append(const v1::Array& part, v1::Array* whole) {
  if (part.columns() == 0) return;
  whole->set_columns(part.columns());
  for (const double number : NumbersOf(part).values) whole->add_values(number);
}

/// Behind the rows that are there.
void Append(const v1::TrajectoryRows& part, v1::TrajectoryRows* whole) {
  for (int k = v1::TrajectoryTable_MIN + 1; k <= v1::TrajectoryTable_MAX; ++k) {
    const auto table = static_cast<v1::TrajectoryTable>(k);
    v1::TrajectoryRows copy = part;
    Append(*ArrayOf(table, &copy), ArrayOf(table, whole));
  }
}

Outcome Check(const CheckInput& input, const Messages& messages) {
  Outcome outcome;
  Admission& admission = AdmissionOf(input.narrow());
  {
    Reservation room(admission);
    CheckJob job(TheEngine(), &room, nullptr);
    v1::CheckTrajectoryStart start = input.start();
    outcome.error = job.Start(std::move(start), FuzzRobot(input.robot()));
    for (const v1::TrajectorySamples& samples : messages) {
      if (!outcome.error) outcome.error = job.Append(samples);
    }
    while (!outcome.error && job.verdict() == nullptr) {
      outcome.error = job.Step();
    }
    if (!outcome.error) outcome.verdict = *job.verdict();
    while (!outcome.error && !job.all_rows_filled()) {
      v1::TrajectoryRows rows;
      outcome.error = job.FillNext(&rows);
      if (!outcome.error) Append(rows, &outcome.tables);
    }
    outcome.rows = job.rows();
  }
  FUZZ_REQUIRE(admission.held() == Admission::Load(),
               "what was admitted is not given back");
  return outcome;
}

/// The same samples, each in a message of its own.
Messages OneByOne(const Messages& messages) {
  Messages single;
  for (const v1::TrajectorySamples& message : messages) {
    const auto time = ReadArray(message.time(), "");
    const auto rows = std::get<InputArray>(time).rows;
    for (std::int64_t row = 0; row < rows; ++row) {
      v1::TrajectorySamples* one = single.Add();
      const auto cut = [row](const v1::Array& from, v1::Array* to) {
        const auto columns = static_cast<std::size_t>(from.columns());
        const std::vector<double> numbers = NumbersOf(from).values;
        if (numbers.empty()) return;
        to->set_columns(from.columns());
        for (std::size_t k = 0; k < columns; ++k) {
          to->add_values(numbers[static_cast<std::size_t>(row) * columns + k]);
        }
      };
      cut(message.time(), one->mutable_time());
      cut(message.q(), one->mutable_q());
      cut(message.v(), one->mutable_v());
      cut(message.a(), one->mutable_a());
      cut(message.tip_wrench_on_environment(),
          one->mutable_tip_wrench_on_environment());
    }
  }
  return single;
}

/// Numbers have their place in all samples, where other fields have theirs in
/// a message.
void CheckPlace(Error error, const Outcome& outcome) {
  for (Violation& violation : error.violations) {
    const std::string array =
        violation.field.substr(0, violation.field.find('['));
    violation.field = array == "samples" ? array : "samples." + array;
  }
  for (const auto& [key, value] : error.metadata) {
    FUZZ_REQUIRE(key != "row" || std::stoll(value) < outcome.rows, value);
  }
  v1::CheckTrajectoryRequest any;
  CheckRefusal(error, any);
}

void CheckPeak(const v1::Peak& peak, const Outcome& outcome) {
  FUZZ_REQUIRE(peak.sample() < outcome.verdict.samples(), "sample of a peak");
  FUZZ_REQUIRE(!std::isnan(peak.value()) && std::isfinite(peak.time()),
               "a peak");
}

void CheckViolation(const v1::LimitViolation& violation,
                    const Outcome& outcome) {
  const std::string text = violation.ShortDebugString();
  FUZZ_REQUIRE(v1::LimitKind_IsValid(violation.kind()) && violation.kind() != 0,
               text);
  FUZZ_REQUIRE(violation.first_sample() <= violation.worst().sample() &&
                   violation.worst().sample() <= violation.last_sample() &&
                   violation.last_sample() < outcome.verdict.samples(),
               text);
  // An extremum between two samples needs none.
  FUZZ_REQUIRE((violation.samples() >= 1 || violation.worst().between()) &&
                   violation.samples() <=
                       violation.last_sample() - violation.first_sample() + 1,
               text);
  FUZZ_REQUIRE(violation.begin() <= violation.end(), text);
  FUZZ_REQUIRE(violation.severity() > 1 ||
                   // The share by which the range is left may be rounded away.
                   violation.severity() == 1,
               text);
}

void CheckRemarks(const Outcome& outcome) {
  const v1::TrajectoryVerdict& verdict = outcome.verdict;
  const std::uint64_t count = verdict.remark_count();
  FUZZ_REQUIRE(verdict.remarks_size() ==
                   static_cast<int>(std::min<std::uint64_t>(count, 100)),
               "as many as are listed");
  std::uint64_t counted = 0;
  for (const v1::JointDemand& joint : verdict.joints()) {
    counted += joint.velocity_remarks() + joint.acceleration_remarks();
  }
  FUZZ_REQUIRE(counted == count, "remarks of each kind");
  FUZZ_REQUIRE(count == 0 || !verdict.judged_between(),
               "derived rates contradict nothing");
  for (const v1::Remark& remark : verdict.remarks()) {
    const std::string text = remark.ShortDebugString();
    FUZZ_REQUIRE(v1::RemarkKind_IsValid(remark.kind()) && remark.kind() != 0,
                 text);
    FUZZ_REQUIRE(remark.first_sample() <= remark.worst().sample() &&
                     remark.worst().sample() < remark.last_sample() &&
                     remark.last_sample() < verdict.samples(),
                 text);
    FUZZ_REQUIRE(
        remark.steps() >= 1 &&
            remark.steps() <= remark.last_sample() - remark.first_sample(),
        text);
    CheckPeak(remark.worst(), outcome);
    FUZZ_REQUIRE(std::isfinite(remark.expected()) &&
                     std::isfinite(remark.tolerance()) &&
                     std::abs(remark.worst().value() - remark.expected()) >=
                         remark.tolerance(),
                 text);
  }
  if (verdict.has_coarse_step()) {
    FUZZ_REQUIRE(verdict.coarse_step().sample() + 1 < verdict.samples() &&
                     verdict.coarse_step().duration() > 0,
                 verdict.coarse_step().ShortDebugString());
  }
}

void CheckVerdict(const Outcome& outcome) {
  const v1::TrajectoryVerdict& verdict = outcome.verdict;
  const auto count = verdict.violation_count();
  FUZZ_REQUIRE(verdict.samples() == static_cast<std::uint64_t>(outcome.rows),
               "samples");
  const bool contradicts =
      (verdict.asked().consistent() && verdict.remark_count() > 0) ||
      (verdict.has_inconsistency() && !verdict.asked().allow_inconsistent());
  FUZZ_REQUIRE(verdict.passes() == (count == 0 && !contradicts), "passes");
  CheckRemarks(outcome);
  FUZZ_REQUIRE(verdict.has_first_violation() == (count > 0), "the first");
  FUZZ_REQUIRE(verdict.violations_size() ==
                   static_cast<int>(std::min<std::uint64_t>(count, 1000)),
               "as many as are listed");
  FUZZ_REQUIRE(std::isfinite(verdict.duration()), "duration");
  double before = HUGE_VAL;
  for (const v1::LimitViolation& violation : verdict.violations()) {
    CheckViolation(violation, outcome);
    FUZZ_REQUIRE(violation.severity() <= before, "the gravest first");
    FUZZ_REQUIRE(violation.begin() >= verdict.first_violation().begin(),
                 "the first");
    before = violation.severity();
  }
  std::uint64_t counted = 0, slowed = 0;
  for (const v1::JointDemand& joint : verdict.joints()) {
    for (const v1::Peak* peak :
         {&joint.torque(), &joint.velocity(), &joint.lowest_position(),
          &joint.highest_position(), &joint.highest_power(),
          &joint.lowest_power()}) {
      CheckPeak(*peak, outcome);
      FUZZ_REQUIRE(std::isfinite(peak->value()), joint.joint());
    }
    FUZZ_REQUIRE(std::isfinite(joint.rms_torque()) &&
                     std::isfinite(joint.energy_given()) &&
                     std::isfinite(joint.energy_taken()),
                 joint.joint());
    FUZZ_REQUIRE(!std::isnan(joint.rms_torque_use()), joint.joint());
    slowed += joint.torque_violations() + joint.velocity_violations();
    counted += joint.position_violations();
  }
  FUZZ_REQUIRE(counted + slowed == count, "violations of each kind");

  FUZZ_REQUIRE(verdict.has_slow_down(), "slow_down");
  const v1::SlowDown& slow_down = verdict.slow_down();
  if (slow_down.possible()) {
    FUZZ_REQUIRE(slow_down.factor() >= 1, "slow_down");
  }
  const bool as_it_is = slow_down.possible() && slow_down.factor() == 1;
  FUZZ_REQUIRE(slow_down.has_limited_by() == !as_it_is, "what slows it down");
  FUZZ_REQUIRE(as_it_is ? slow_down.fastest() >= 1 : slow_down.fastest() == 0,
               "fastest");
  FUZZ_REQUIRE(slowed > 0 || (slow_down.possible() && slow_down.factor() == 1),
               "slower than it needs to be");
  if (verdict.has_payload() && verdict.payload().possible()) {
    FUZZ_REQUIRE(verdict.payload().least() >= 0 &&
                     verdict.payload().least() <= verdict.payload().most(),
                 "payload");
  }
}

void CheckTables(const Outcome& outcome) {
  for (const int number : outcome.verdict.asked().tables()) {
    const auto table = static_cast<v1::TrajectoryTable>(number);
    v1::TrajectoryRows tables = outcome.tables;
    const v1::Array& array = *ArrayOf(table, &tables);
    const std::string name = v1::TrajectoryTable_Name(table);
    FUZZ_REQUIRE(
        array.values_size() ==
            outcome.rows * ColumnsOf(table, outcome.verdict.joints_size()),
        name);
    for (const double value : array.values()) {
      const bool may_be_infinite = table == v1::TRAJECTORY_TABLE_TORQUE_LIMIT ||
                                   table == v1::TRAJECTORY_TABLE_CONDITION;
      FUZZ_REQUIRE(may_be_infinite ? !std::isnan(value) : std::isfinite(value),
                   name);
    }
  }
}

void Answer(const CheckInput& sent) {
  CheckInput input;
  if (!ThroughTheWire(sent, &input)) return;
  const Outcome outcome = Check(input, input.samples());
  if (outcome.error && outcome.error->reason != v1::INVALID_SAMPLE) {
    v1::CheckTrajectoryRequest request;
    *request.mutable_start() = input.start();
    return CheckRefusal(*outcome.error, request);
  }
  if (outcome.error) {
    CheckPlace(*outcome.error, outcome);
  } else {
    CheckVerdict(outcome);
    CheckTables(outcome);
  }
  // However the samples were cut.
  const Outcome other = Check(input, OneByOne(input.samples()));
  FUZZ_REQUIRE(other.error.has_value() == outcome.error.has_value(), "error");
  if (outcome.error) {
    FUZZ_REQUIRE(other.error->message == outcome.error->message,
                 other.error->message);
    return;
  }
  FUZZ_REQUIRE(
      other.verdict.SerializeAsString() == outcome.verdict.SerializeAsString(),
      "verdict");
  FUZZ_REQUIRE(
      other.tables.SerializeAsString() == outcome.tables.SerializeAsString(),
      "tables");
}

}  // namespace

std::unique_ptr<google::protobuf::Message> NewInput() {
  return std::make_unique<CheckInput>();
}

std::span<const std::string> Words() { return FuzzRobotNames(); }

}  // namespace torqued::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  torqued::fuzz::CheckInput input;
  if (!torqued::fuzz::ParseInput(torqued::fuzz::Text(data, size), &input)) {
    return -1;
  }
  torqued::fuzz::Answer(input);
  return 0;
}
