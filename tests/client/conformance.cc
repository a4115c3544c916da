#include "tests/client/conformance.h"

#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "client/cpp/result_fields.h"

namespace torqued::client {
namespace {

double Number(const Json& json) {
  if (json.is_number()) return json.get<double>();
  if (json.is_null() || json == "NaN") {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const double infinity = std::numeric_limits<double>::infinity();
  if (json == "Infinity") return infinity;
  if (json == "-Infinity") return -infinity;
  throw std::invalid_argument("no number: " + json.dump());
}

Batch Table(const Json& rows) {
  Batch table(rows.size(), rows.empty() ? 0 : rows[0].size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows[i].size(); ++j) {
      table(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
          Number(rows[i][j]);
    }
  }
  return table;
}

/// A column of numbers.
Batch Column(const Json& numbers) {
  Batch column(numbers.size(), 1);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    column(static_cast<Eigen::Index>(i), 0) = Number(numbers[i]);
  }
  return column;
}

template <class Enum>
Enum Parsed(bool (*parse)(google::protobuf::ConstStringParam, Enum*),
            const char* prefix, const Json& name) {
  Enum value{};
  if (!parse(prefix + name.get<std::string>(), &value)) {
    throw std::invalid_argument("no such enum: " + name.dump());
  }
  return value;
}

v1::ReferenceFrame Frame(const Json& name) {
  return Parsed(v1::ReferenceFrame_Parse, "REFERENCE_FRAME_", name);
}

Payload PayloadOf(const Json& json) {
  Payload payload;
  for (const auto& [key, value] : json.items()) {
    if (key == "frame") {
      payload.frame = value;
    } else if (key == "mass") {
      payload.mass = Number(value);
    } else if (key == "center_of_mass") {
      payload.center_of_mass = Column(value);
    } else if (key == "inertia") {
      payload.inertia = value;
    } else {
      throw std::invalid_argument("payload." + key);
    }
  }
  return payload;
}

void SetTerms(const Json& terms, ComputeOptions* options) {
  for (const auto& [key, value] : terms.items()) {
    if (key == "gravity") {
      options->gravity = Column(value);
    } else if (key == "viscous_friction") {
      options->viscous_friction = value;
    } else if (key == "coulomb_friction") {
      options->coulomb_friction = value;
    } else if (key == "coulomb_smoothing") {
      options->coulomb_smoothing = Number(value);
    } else {
      throw std::invalid_argument("terms." + key);
    }
  }
}

void SetOptions(const Json& json, ComputeOptions* options) {
  for (const auto& [key, value] : json.items()) {
    if (key == "joint_names") {
      options->joint_names = value.get<std::vector<std::string>>();
    } else if (key == "terms") {
      SetTerms(value, options);
    } else if (key == "tip_frame") {
      options->tip_frame = value;
    } else if (key == "reference_frame") {
      options->reference_frame = Frame(value);
    } else if (key == "payload") {
      options->payload = PayloadOf(value);
    } else if (key == "precision") {
      options->precision = Parsed(v1::Precision_Parse, "PRECISION_", value);
    } else if (key == "fail_fast") {
      options->fail_fast = value;
    } else if (key == "external_wrenches") {
      for (const Json& place : value) {
        WrenchPlace& at = options->external_wrenches.emplace_back();
        at.frame = place.value("frame", "");
        if (place.contains("reference_frame")) {
          at.reference_frame = Frame(place["reference_frame"]);
        }
      }
    } else {
      throw std::invalid_argument("options." + key);
    }
  }
}

void SetTask(const Json& json, TaskOptions* task) {
  for (const auto& [key, value] : json.items()) {
    if (key == "axes") {
      for (const Json& axis : value) {
        task->axes.push_back(Parsed(v1::TaskAxis_Parse, "TASK_AXIS_", axis));
      }
    } else if (key == "singularity") {
      // Damping alone says so.
      if (value != "DAMPED") throw std::invalid_argument("singularity");
    } else if (key == "damping") {
      task->damping = Number(value);
    } else if (key == "rank_tolerance") {
      task->rank_tolerance = Number(value);
    } else if (key == "characteristic_length") {
      task->characteristic_length = Number(value);
    } else if (key == "sigma_min") {
      task->sigma_min = value;
    } else {
      throw std::invalid_argument("operational_space." + key);
    }
  }
}

using NamedTable = std::pair<const char*, Batch States::*>;
constexpr NamedTable kTables[] = {
    {"q", &States::q},
    {"v", &States::v},
    {"a", &States::a},
    {"tau", &States::tau},
    {"base_twist", &States::base_twist},
    {"base_acceleration", &States::base_acceleration},
    {"external_wrenches_on_robot", &States::external_wrenches_on_robot},
    {"task_acceleration", &States::task_acceleration},
    {"null_space_torque", &States::null_space_torque},
    {"gravity", &States::gravity}};

void SetStates(const Json& json, Question* question) {
  for (const auto& [key, rows] : json.items()) {
    if (key == "tip_wrench_on_environment") {
      question->options.tip_wrench_on_environment.emplace().wrench =
          Table(rows);
      continue;
    }
    bool known = false;
    for (const auto& [name, table] : kTables) {
      if (key != name) continue;
      question->states.*table = Table(rows);
      known = true;
    }
    if (!known) throw std::invalid_argument("states." + key);
  }
}

/// What is wrong with a table of results.
std::string CompareTable(const std::string& name, const Batch& got,
                         const Batch& expected, double tolerance) {
  if (got.rows() != expected.rows() || got.cols() != expected.cols()) {
    return name + " is of another size";
  }
  for (Eigen::Index i = 0; i < got.rows(); ++i) {
    double scale = 1;
    for (Eigen::Index j = 0; j < got.cols(); ++j) {
      scale = std::fmax(scale, std::abs(expected(i, j)));
    }
    for (Eigen::Index j = 0; j < got.cols(); ++j) {
      const bool same =
          std::isnan(expected(i, j))
              ? std::isnan(got(i, j))
              : std::abs(got(i, j) - expected(i, j)) <= tolerance * scale;
      if (same) continue;
      std::ostringstream text;
      text.precision(17);
      text << name << "(" << i << ", " << j << ") is " << got(i, j) << ", not "
           << expected(i, j);
      return text.str();
    }
  }
  return {};
}

template <class T>
Batch AsColumn(const std::vector<T>& numbers) {
  Batch column(numbers.size(), 1);
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    column(static_cast<Eigen::Index>(k), 0) = static_cast<double>(numbers[k]);
  }
  return column;
}

std::string CompareResult(const Evaluation& evaluation, const std::string& name,
                          const Json& rows, double tolerance) {
  if (name == "rule") {
    Json got = Json::array();
    for (const v1::TaskRule rule : evaluation.rule) {
      got.push_back(v1::TaskRule_Name(rule).substr(sizeof("TASK_RULE_") - 1));
    }
    return got == rows ? "" : "rule is " + got.dump();
  }
  if (name == "rank") {
    return CompareTable(name, AsColumn(evaluation.rank), Column(rows), 0);
  }
  if (name == "sigma_min") {
    return CompareTable(name, AsColumn(evaluation.sigma_min), Column(rows),
                        tolerance);
  }
  for (const ResultField& field : ResultFields()) {
    if (field.name != name) continue;
    return CompareTable(name, evaluation.*field.batch, Table(rows), tolerance);
  }
  return "there is no result " + name;
}

std::string CompareStatus(const v1::RowStatus& got, const Json& expected) {
  const double value =
      expected.contains("value") ? Number(expected["value"]) : got.value();
  const bool same_value =
      got.value() == value || (std::isnan(got.value()) && std::isnan(value));
  if (got.row() == expected["row"] &&
      v1::RowCode_Name(got.code()) ==
          "ROW_CODE_" + expected["code"].get<std::string>() &&
      got.field() == expected.value("field", got.field()) &&
      got.joint() == expected.value("joint", got.joint()) && same_value &&
      !got.message().empty()) {
    return {};
  }
  return "not the status of " + expected.dump() + ": " + got.ShortDebugString();
}

std::string CompareRows(const Evaluation& evaluation, const Json& expected) {
  if (evaluation.row_status.size() != expected.size() ||
      evaluation.rows_not_ok != static_cast<std::int64_t>(expected.size())) {
    return std::to_string(evaluation.rows_not_ok) + " rows are not OK";
  }
  for (std::size_t k = 0; k < expected.size(); ++k) {
    std::string wrong = CompareStatus(evaluation.row_status[k], expected[k]);
    if (!wrong.empty()) return wrong;
  }
  return {};
}

std::string TextOf(const Json& object, const char* key) {
  return object[key].get<std::string>();
}

}  // namespace

const Json& ConformanceSuite() {
  static const Json* const suite = [] {
    std::ifstream file(TORQUED_CONFORMANCE_CASES);
    return new Json(Json::parse(file));
  }();
  return *suite;
}

Question QuestionOf(const Json& one) {
  Question question;
  question.model = one["model"];
  for (const Json& name : one["quantities"]) {
    question.quantities.push_back(
        Parsed(v1::Quantity_Parse, "QUANTITY_", name));
  }
  SetStates(one["states"], &question);
  if (one.contains("options")) SetOptions(one["options"], &question.options);
  if (one.contains("operational_space")) {
    SetTask(one["operational_space"], &question.options.task);
  }
  if (one.contains("tip_wrench_reference_frame")) {
    question.options.tip_wrench_on_environment.value().reference_frame =
        Frame(one["tip_wrench_reference_frame"]);
  }
  return question;
}

std::string Compare(const Evaluation& evaluation, const Json& expect) {
  if (evaluation.rows != expect["rows"]) {
    return std::to_string(evaluation.rows) + " rows";
  }
  for (const auto& [name, rows] : expect["results"].items()) {
    std::string wrong =
        CompareResult(evaluation, name, rows, expect.value("tolerance", 1e-10));
    if (!wrong.empty()) return wrong;
  }
  const v1::Echo& echo = evaluation.echo;
  if (expect.value("tip_frame", echo.tip_frame()) != echo.tip_frame()) {
    return "the tip frame is " + echo.tip_frame();
  }
  const Json names =
      std::vector(echo.joint_names().begin(), echo.joint_names().end());
  if (expect.value("joint_names", names) != names) {
    return "the joints are " + names.dump();
  }
  return CompareRows(evaluation, expect.value("row_status", Json::array()));
}

std::string Compare(const Error& error, const Json& expected) {
  const Error::Details& details = error.details();
  const auto metadata = [&details](const char* key) {
    const auto found = details.metadata.find(key);
    return found == details.metadata.end() ? std::string() : found->second;
  };
  const std::string field =
      details.field_violations.empty() ? "" : details.field_violations[0].field;
  const bool same =
      ToString(error.code()) == TextOf(expected, "code") &&
      details.reason == TextOf(expected, "reason") &&
      (!expected.contains("field") || field == TextOf(expected, "field")) &&
      (!expected.contains("row") ||
       metadata("row") == expected["row"].dump()) &&
      (!expected.contains("joint") ||
       metadata("joint") == TextOf(expected, "joint")) &&
      error.what()[0] != '\0';
  if (same) return {};
  return "not " + expected.dump() + ": " + ToString(error.code()) + " " +
         details.reason + " in " + field + ": " + error.what();
}

}  // namespace torqued::client
