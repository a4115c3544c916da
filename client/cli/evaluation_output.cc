#include "client/cli/evaluation_output.h"

#include <iterator>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "client/cli/enum_text.h"
#include "client/cli/formats/csv.h"
#include "client/cli/formats/number_text.h"
#include "client/cli/message_json.h"
#include "client/cli/terminal/plain_text.h"
#include "client/cli/terminal/table.h"
#include "client/cpp/error.h"
#include "client/cpp/result_fields.h"

namespace torqued::cli {
namespace {

using client::Batch;
using client::Evaluation;

constexpr std::size_t kRemarkedRows = 10;
constexpr std::size_t kShortRevision = 12;

// A vector or a matrix of numbers per state.
struct Part {
  std::string name;   // as on the wire
  std::string title;  // for people
  const Batch* numbers;
  std::vector<std::string> rows;  // of the matrix; empty for a vector
  std::vector<std::string> columns;
};

// "tau [N m | N]".
std::string TitleOf(const v1::TableInfo& info) {
  return info.unit().empty() ? info.symbol()
                             : info.symbol() + " [" + info.unit() + "]";
}

std::vector<std::string> AxisNames(const Evaluation& evaluation) {
  std::vector<std::string> names;
  for (const int axis : evaluation.echo.operational_space().axes()) {
    constexpr const char* kNames[] = {"?", "ax", "ay", "az", "lx", "ly", "lz"};
    names.emplace_back(axis >= 1 && axis <= 6 ? kNames[axis] : kNames[0]);
  }
  return names;
}

// Every name of `first` with every one of `second`: "i.j".
std::vector<std::string> Pairs(const std::vector<std::string>& first,
                               const std::vector<std::string>& second) {
  std::vector<std::string> pairs;
  for (const std::string& i : first) {
    for (const std::string& j : second) {
      pairs.push_back(i);
      pairs.back().append(".").append(j);
    }
  }
  return pairs;
}

std::vector<std::string> Words(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

// Of what stands along a dimension.
std::vector<std::string> NamesAlong(const std::string& dimension,
                                    const v1::TableInfo& info,
                                    const Evaluation& evaluation) {
  std::vector<std::string> joints(evaluation.echo.joint_names().begin(),
                                  evaluation.echo.joint_names().end());
  if (dimension == "nv" || dimension == "links") return joints;
  if (dimension == "m") return AxisNames(evaluation);
  if (dimension == "10links") {
    return Pairs(joints, {"m", "mcx", "mcy", "mcz", "ixx", "ixy", "iyy", "ixz",
                          "iyz", "izz"});
  }
  if (dimension == "6") {
    return Words(info.unit() == "N m, N" ? "mx my mz fx fy fz"
                                         : "ax ay az lx ly lz");
  }
  if (dimension == "4") return Words("ex ey ez p");
  return Words(info.labels().empty() ? "x y z" : info.labels());
}

Part PartOf(const client::ResultField& field, const Evaluation& evaluation) {
  const v1::TableInfo& info = *field.info;
  Part part{field.name, TitleOf(info), &(evaluation.*field.batch), {}, {}};
  for (const std::string& dimension : client::Dimensions(info)) {
    // All dimensions but the last are those of the rows.
    if (!part.columns.empty()) {
      part.rows = part.rows.empty() ? std::move(part.columns)
                                    : Pairs(part.rows, part.columns);
    }
    part.columns = NamesAlong(dimension, info, evaluation);
  }
  if (info.shape().empty()) part.columns = {"value"};
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

// The names come from one part of the reply, the numbers from another.
void CheckSizes(const std::vector<Part>& parts) {
  for (const Part& part : parts) {
    const std::size_t rows = part.rows.empty() ? 1 : part.rows.size();
    if (static_cast<std::size_t>(part.numbers->cols()) !=
        rows * part.columns.size()) {
      throw client::Error(grpc::StatusCode::INTERNAL,
                          "the reply's " + part.name + " has " +
                              std::to_string(part.numbers->cols()) +
                              " columns, which its echo does not name");
    }
  }
}

Json RowJson(const double* numbers, std::size_t count) {
  Json row = Json::array();
  for (std::size_t k = 0; k < count; ++k) row.push_back(numbers[k]);
  return row;
}

Json PartJson(const Part& part) {
  Json states = Json::array();
  const std::size_t width = part.columns.size();
  for (Eigen::Index state = 0; state < part.numbers->rows(); ++state) {
    const double* numbers = part.numbers->row(state).data();
    if (part.rows.empty()) {
      states.push_back(RowJson(numbers, width));
      continue;
    }
    Json matrix = Json::array();
    for (std::size_t row = 0; row < part.rows.size(); ++row) {
      matrix.push_back(RowJson(numbers + row * width, width));
    }
    states.push_back(std::move(matrix));
  }
  return states;
}

void PrintJson(Session& session, const std::vector<Part>& parts,
               const Evaluation& evaluation) {
  Json json;
  json["rows"] = evaluation.rows;
  Json& results = json["results"];
  for (const Part& part : parts) results[part.name] = PartJson(part);
  if (!evaluation.rank.empty()) results["rank"] = evaluation.rank;
  if (!evaluation.sigma_min.empty()) {
    results["sigma_min"] = evaluation.sigma_min;
  }
  for (const v1::TaskRule rule : evaluation.rule) {
    results["rule"].push_back(NameOrNumber(v1::TaskRule_Name(rule), rule));
  }
  json["row_status"] = Json::array();
  for (const v1::RowStatus& status : evaluation.row_status) {
    json["row_status"].push_back(ToJson(status));
  }
  json["rows_not_ok"] = evaluation.rows_not_ok;
  json["echo"] = ToJson(evaluation.echo);
  session.out() << ToText(json);
}

// "OK", the code, or "?" behind the last row that is listed if more are not OK.
class StatusOfRow {
 public:
  using CodeText = std::string (*)(v1::RowCode);

  StatusOfRow(const Evaluation& evaluation, CodeText text)
      : unlisted_from_(
            evaluation.rows_not_ok >
                    static_cast<std::int64_t>(evaluation.row_status.size())
                ? static_cast<Eigen::Index>(evaluation.row_status.back().row())
                : evaluation.rows) {
    for (const v1::RowStatus& status : evaluation.row_status) {
      codes_.emplace(static_cast<Eigen::Index>(status.row()),
                     text(status.code()));
    }
  }

  std::string operator()(Eigen::Index row) const {
    const auto found = codes_.find(row);
    if (found != codes_.end()) return found->second;
    return row < unlisted_from_ ? "OK" : "?";
  }

 private:
  Eigen::Index unlisted_from_;
  std::unordered_map<Eigen::Index, std::string> codes_;
};

// "elbow.tau", "shoulder.elbow.mass_matrix", "ax.lx.lambda".
std::vector<std::string> ColumnNames(const Part& part) {
  std::vector<std::string> names;
  if (part.rows.empty()) {
    for (const std::string& column : part.columns) {
      names.push_back(column + "." + part.name);
    }
  }
  for (const std::string& row : part.rows) {
    for (const std::string& column : part.columns) {
      std::string& name = names.emplace_back(row);
      name.append(".").append(column).append(".").append(part.name);
    }
  }
  return names;
}

void PrintCsv(Session& session, const std::vector<Part>& parts,
              const Evaluation& evaluation) {
  std::vector<std::string> header;
  for (const Part& part : parts) {
    for (std::string& name : ColumnNames(part)) {
      header.push_back(std::move(name));
    }
  }
  const bool is_task = !evaluation.rule.empty();
  if (is_task) header.insert(header.end(), {"rank", "sigma_min", "rule"});
  header.emplace_back("status");

  CsvWriter csv(header);
  const StatusOfRow status(evaluation, [](v1::RowCode code) {
    return NameOrNumber(v1::RowCode_Name(code), code);
  });
  for (Eigen::Index row = 0; row < evaluation.rows; ++row) {
    for (const Part& part : parts) {
      for (const double number : part.numbers->row(row)) csv.Number(number);
    }
    if (is_task) {
      const auto k = static_cast<std::size_t>(row);
      csv.Number(evaluation.rank[k]);
      csv.Number(evaluation.sigma_min[k]);
      const v1::TaskRule rule = evaluation.rule[k];
      csv.Text(NameOrNumber(v1::TaskRule_Name(rule), rule));
    }
    csv.Text(status(row));
    csv.EndRow();
  }
  session.out() << csv.text();
}

void PrintVectors(Session& session, const Part& part,
                  const Evaluation& evaluation) {
  std::vector<TableColumn> columns = {{"state", Align::kRight}};
  for (const std::string& name : part.columns) {
    columns.push_back({name, Align::kRight});
  }
  columns.push_back({"", Align::kLeft});
  Table table(std::move(columns));
  const StatusOfRow status(evaluation, RowCodeText);
  for (Eigen::Index row = 0; row < evaluation.rows; ++row) {
    std::vector<std::string> cells = {std::to_string(row)};
    for (const double number : part.numbers->row(row)) {
      cells.push_back(ReadableText(number));
    }
    const std::string& code = status(row);
    cells.push_back(code == "OK" ? "" : code);
    table.Add(std::move(cells));
  }
  session.out() << part.title << "\n";
  table.Print(session.out());
}

void PrintMatrix(Session& session, const Part& part, Eigen::Index state) {
  std::vector<TableColumn> columns = {{"", Align::kLeft}};
  for (const std::string& name : part.columns) {
    columns.push_back({name, Align::kRight});
  }
  Table table(std::move(columns));
  const auto matrix = Evaluation::MatrixOf(
      *part.numbers, state, static_cast<Eigen::Index>(part.rows.size()));
  for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
    std::vector<std::string> cells = {part.rows[static_cast<std::size_t>(row)]};
    for (const double number : matrix.row(row)) {
      cells.push_back(ReadableText(number));
    }
    table.Add(std::move(cells));
  }
  session.out() << part.title << "  state " << state << "\n";
  table.Print(session.out());
}

void PrintTables(Session& session, const std::vector<Part>& parts,
                 const Evaluation& evaluation) {
  const v1::Echo& echo = evaluation.echo;
  session.out() << ModelText(echo.model(), echo.revision());
  if (!echo.tip_frame().empty()) session.out() << "  tip " << echo.tip_frame();
  session.out() << "  target " << echo.target() << "  server "
                << echo.server_version() << "\n";
  if (echo.precision() == v1::PRECISION_SINGLE &&
      echo.computed_precision() == v1::PRECISION_DOUBLE) {
    session.out() << "computed in double precision: single precision does not "
                     "suit this model\n";
  }
  for (const Part& part : parts) {
    if (part.rows.empty()) {
      PrintVectors(session, part, evaluation);
      continue;
    }
    for (Eigen::Index state = 0; state < evaluation.rows; ++state) {
      PrintMatrix(session, part, state);
    }
  }
  for (std::size_t k = 0; k < evaluation.rule.size(); ++k) {
    session.out() << "state " << k << ": rank " << evaluation.rank[k]
                  << ", sigma_min " << ReadableText(evaluation.sigma_min[k])
                  << ", " << TaskRuleText(evaluation.rule[k]) << "\n";
  }
}

}  // namespace

std::string ModelText(const std::string& name, const std::string& revision) {
  return name + "@" + revision.substr(0, kShortRevision);
}

void RemarkRows(Session& session, const Evaluation& evaluation) {
  std::size_t told = 0;
  for (const v1::RowStatus& status : evaluation.row_status) {
    if (told == kRemarkedRows) break;
    ++told;
    std::string text = "row " + std::to_string(status.row()) + ": " +
                       RowCodeText(status.code()) + " (" + status.field();
    if (!status.joint().empty()) text += ", joint " + status.joint();
    session.Remark(text + "): " + status.message());
  }
  const std::int64_t more =
      evaluation.rows_not_ok - static_cast<std::int64_t>(told);
  if (more > 0) {
    session.Remark("and " + std::to_string(more) + " more rows are not OK");
  }
}

ExitCode PrintEvaluation(Session& session,
                         const std::vector<v1::Quantity>& quantities,
                         const Evaluation& evaluation) {
  const std::vector<Part> parts = PartsOf(quantities, evaluation);
  CheckSizes(parts);
  switch (session.output()) {
    case OutputFormat::kJson:
      PrintJson(session, parts, evaluation);
      break;
    case OutputFormat::kCsv:
      PrintCsv(session, parts, evaluation);
      RemarkRows(session, evaluation);
      break;
    case OutputFormat::kTable:
      PrintTables(session, parts, evaluation);
      RemarkRows(session, evaluation);
      break;
  }
  return evaluation.ok() ? ExitCode::kOk : ExitCode::kNo;
}

}  // namespace torqued::cli
