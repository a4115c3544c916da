#include "client/cli/evaluation_output.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "client/cli/enum_text.h"
#include "client/cli/formats/csv.h"
#include "client/cli/formats/number_text.h"
#include "client/cli/message_json.h"
#include "client/cli/terminal/table.h"
#include "client/cpp/error.h"
#include "client/cpp/result_fields.h"

namespace torqued::cli {
namespace {

using client::Batch;
using client::Evaluation;
using Names = std::vector<std::string>;

constexpr std::int64_t kRemarkedRows = 10;

/// A vector or a matrix of numbers for each state.
struct Part {
  const client::ResultField* field;
  const Batch* numbers;
  Names rows;  // of the matrix; empty for a vector
  Names columns;
};

/// "i.j" for all i of `first` and all j of `second`.
Names Pairs(const Names& first, const Names& second) {
  Names pairs;
  for (const std::string& i : first) {
    for (const std::string& j : second) {
      pairs.push_back(std::string(i).append(".").append(j));
    }
  }
  return pairs;
}

Names Words(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

/// What is along a dimension.
Names NamesAlong(const std::string& dimension, const v1::TableInfo& info,
                 const v1::Echo& echo) {
  Names joints(echo.joint_names().begin(), echo.joint_names().end());
  if (dimension == "nv" || dimension == "links") return joints;
  if (dimension == "m") {
    const Names all = Words("? ax ay az lx ly lz");
    Names axes;
    for (const int axis : echo.operational_space().axes()) {
      axes.push_back(
          all[axis >= 1 && axis <= 6 ? static_cast<std::size_t>(axis) : 0]);
    }
    return axes;
  }
  if (dimension == "10links") {
    return Pairs(joints, Words("m mcx mcy mcz ixx ixy iyy ixz iyz izz"));
  }
  if (dimension == "6") {
    return Words(info.unit() == "N m, N" ? "mx my mz fx fy fz"
                                         : "ax ay az lx ly lz");
  }
  if (dimension == "4") return Words("ex ey ez p");
  return Words(info.labels().empty() ? "x y z" : info.labels());
}

Part PartOf(const client::ResultField& field, const Evaluation& evaluation) {
  Part part{&field, &(evaluation.*field.batch), {}, {}};
  for (const std::string& dimension : client::Dimensions(*field.info)) {
    // All dimensions but the last are those of the rows.
    if (!part.columns.empty()) {
      part.rows = part.rows.empty() ? std::move(part.columns)
                                    : Pairs(part.rows, part.columns);
    }
    part.columns = NamesAlong(dimension, *field.info, evaluation.echo);
  }
  if (field.info->shape().empty()) part.columns = {"value"};
  // The names come from one part of the reply, the numbers from another.
  const std::size_t rows = part.rows.empty() ? 1 : part.rows.size();
  if (static_cast<std::size_t>(part.numbers->cols()) !=
      rows * part.columns.size()) {
    throw client::Error(grpc::StatusCode::INTERNAL,
                        std::string("the reply's ") + field.name + " has " +
                            std::to_string(part.numbers->cols()) +
                            " columns, which its echo does not name");
  }
  return part;
}

std::vector<Part> PartsOf(const std::vector<v1::Quantity>& quantities,
                          const Evaluation& evaluation) {
  std::vector<Part> parts;
  for (const v1::Quantity quantity : quantities) {
    for (const client::ResultField& field : client::ResultFields()) {
      if (field.info->quantity() == quantity) {
        parts.push_back(PartOf(field, evaluation));
      }
    }
  }
  return parts;
}

/// What has one value for each state: rank, sigma_min, rule.
Json ListsOf(const Evaluation& evaluation) {
  Json lists = Json::object();
  if (evaluation.rule.empty()) return lists;
  lists["rank"] = evaluation.rank;
  lists["sigma_min"] = evaluation.sigma_min;
  for (const v1::TaskRule rule : evaluation.rule) {
    lists["rule"].push_back(v1::TaskRule_Name(rule));
  }
  return lists;
}

Json PartJson(const Part& part) {
  Json states = Json::array();
  for (const auto& state : part.numbers->rowwise()) {
    Json matrix = Json::array();
    auto at = state.begin();
    // A vector is one row.
    for (std::size_t row = 0; row < std::max<std::size_t>(part.rows.size(), 1);
         ++row) {
      const auto end = at + static_cast<Eigen::Index>(part.columns.size());
      matrix.push_back(std::vector<double>(at, end));
      at = end;
    }
    states.push_back(part.rows.empty() ? matrix[0] : std::move(matrix));
  }
  return states;
}

Json AnswerJson(const std::vector<Part>& parts, const Evaluation& evaluation) {
  Json json;
  json["rows"] = evaluation.rows;
  Json& results = json["results"];
  for (const Part& part : parts) results[part.field->name] = PartJson(part);
  results.update(ListsOf(evaluation));
  json["row_status"] = Json::array();
  for (const v1::RowStatus& status : evaluation.row_status) {
    json["row_status"].push_back(ToJson(status));
  }
  json["rows_not_ok"] = evaluation.rows_not_ok;
  json["echo"] = ToJson(evaluation.echo);
  return json;
}

/// Of each row its code by `text`, and the message.
std::vector<std::pair<std::string, std::string>> StatusesOf(
    const Evaluation& evaluation,
    const std::function<std::string(v1::RowCode)>& text,
    const std::string& ok) {
  std::vector<std::pair<std::string, std::string>> statuses(
      static_cast<std::size_t>(evaluation.rows), {ok, ""});
  std::size_t behind = 0;
  for (const v1::RowStatus& status : evaluation.row_status) {
    behind = static_cast<std::size_t>(status.row()) + 1;
    statuses.at(behind - 1) = {text(status.code()), status.message()};
  }
  if (evaluation.rows_not_ok > std::ssize(evaluation.row_status)) {
    // The others are not listed.
    for (; behind < statuses.size(); ++behind) statuses[behind].first = "?";
  }
  return statuses;
}

std::string AnswerCsv(const std::vector<Part>& parts,
                      const Evaluation& evaluation) {
  // "elbow.tau", "shoulder.elbow.mass_matrix", "ax.lx.lambda".
  Names header;
  for (const Part& part : parts) {
    const Names columns = Pairs(part.columns, {part.field->name});
    const Names names = part.rows.empty() ? columns : Pairs(part.rows, columns);
    header.insert(header.end(), names.begin(), names.end());
  }
  const Json lists = ListsOf(evaluation);
  for (const auto& [name, list] : lists.items()) header.push_back(name);
  header.insert(header.end(), {"status", "message"});

  CsvWriter csv(header);
  const auto statuses =
      StatusesOf(evaluation, v1::RowCode_Name<v1::RowCode>, "OK");
  for (std::size_t row = 0; row < statuses.size(); ++row) {
    for (const Part& part : parts) {
      const auto index = static_cast<Eigen::Index>(row);
      for (const double number : part.numbers->row(index)) csv.Number(number);
    }
    for (const Json& list : lists) {
      if (list[row].is_string()) {
        csv.Text(list[row].get<std::string>());
      } else {
        csv.Number(list[row].get<double>());
      }
    }
    csv.Text(statuses[row].first);
    csv.Text(statuses[row].second);
    csv.EndRow();
  }
  return csv.text();
}

/// A line for each state, or for each row of its matrix.
void PrintPart(const Part& part, const Evaluation& evaluation,
               std::ostream& out) {
  // "tau [N m | N]".
  const v1::TableInfo& info = *part.field->info;
  out << info.symbol() << (info.unit().empty() ? "" : " [" + info.unit() + "]")
      << "\n";
  const Names rows = part.rows.empty() ? Names{""} : part.rows;
  std::vector<TableColumn> columns = {{"state", Align::kRight}};
  if (!part.rows.empty()) columns.emplace_back();
  for (const std::string& name : part.columns) {
    columns.push_back({name, Align::kRight});
  }
  columns.emplace_back();
  Table table(std::move(columns));
  const auto statuses = StatusesOf(evaluation, EnumText<v1::RowCode>, "");
  for (std::size_t state = 0; state < statuses.size(); ++state) {
    const auto numbers = part.numbers->row(static_cast<Eigen::Index>(state));
    auto at = numbers.begin();
    for (const std::string& row : rows) {
      Names cells = {std::to_string(state)};
      if (!part.rows.empty()) cells.push_back(row);
      for (std::size_t k = 0; k < part.columns.size(); ++k) {
        cells.push_back(ReadableText(*at++));
      }
      cells.push_back(statuses[state].first);
      table.Add(std::move(cells));
    }
  }
  table.Print(out);
}

void PrintTables(const std::vector<Part>& parts, const Evaluation& evaluation,
                 std::ostream& out) {
  const v1::Echo& echo = evaluation.echo;
  out << ModelText(echo.model(), echo.revision());
  if (!echo.tip_frame().empty()) out << "  tip " << echo.tip_frame();
  out << "  target " << echo.target() << "  server " << echo.server_version()
      << "\n";
  if (echo.precision() == v1::PRECISION_SINGLE &&
      echo.computed_precision() == v1::PRECISION_DOUBLE) {
    out << "computed in double precision: single precision does not suit this "
           "model\n";
  }
  for (const Part& part : parts) PrintPart(part, evaluation, out);
  for (std::size_t k = 0; k < evaluation.rule.size(); ++k) {
    out << "state " << k << ": rank " << evaluation.rank[k] << ", sigma_min "
        << ReadableText(evaluation.sigma_min[k]) << ", "
        << EnumText(evaluation.rule[k]) << "\n";
  }
}

/// The rows that are not OK: the first few, one line each, and how many more.
void RemarkRows(Session& session, const Evaluation& evaluation) {
  std::int64_t more = evaluation.rows_not_ok;
  for (const v1::RowStatus& status : evaluation.row_status) {
    if (evaluation.rows_not_ok - more == kRemarkedRows) break;
    --more;
    std::string text = "row " + std::to_string(status.row()) + ": " +
                       EnumText(status.code()) + " (" + status.field();
    if (!status.joint().empty()) text += ", joint " + status.joint();
    session.Remark(text + "): " + status.message());
  }
  if (more > 0) {
    session.Remark("and " + std::to_string(more) + " more rows are not OK");
  }
}

}  // namespace

std::string ModelText(const std::string& name, const std::string& revision) {
  return name + "@" + revision.substr(0, 12);
}

ExitCode PrintEvaluation(Session& session,
                         const std::vector<v1::Quantity>& quantities,
                         const Evaluation& evaluation) {
  const std::vector<Part> parts = PartsOf(quantities, evaluation);
  session.Answer(
      [&] { return AnswerJson(parts, evaluation); },
      [&] { return AnswerCsv(parts, evaluation); },
      [&](std::ostream& out) { PrintTables(parts, evaluation, out); });
  if (session.output() != OutputFormat::kJson) RemarkRows(session, evaluation);
  return evaluation.ok() ? ExitCode::kOk : ExitCode::kNo;
}

}  // namespace torqued::cli
