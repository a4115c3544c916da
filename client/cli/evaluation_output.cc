#include "client/cli/evaluation_output.h"

#include <algorithm>
#include <iterator>
#include <ostream>
#include <sstream>
#include <string>
#include <unordered_map>
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

constexpr std::size_t kRemarkedRows = 10;
constexpr std::size_t kShortRevision = 12;

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
std::vector<std::pair<const char*, Json>> ListsOf(
    const Evaluation& evaluation) {
  if (evaluation.rule.empty()) return {};
  Json rules = Json::array();
  for (const v1::TaskRule rule : evaluation.rule) {
    rules.push_back(EnumName(rule));
  }
  return {{"rank", evaluation.rank},
          {"sigma_min", evaluation.sigma_min},
          {"rule", std::move(rules)}};
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

void PrintJson(Session& session, const std::vector<Part>& parts,
               const Evaluation& evaluation) {
  Json json;
  json["rows"] = evaluation.rows;
  Json& results = json["results"];
  for (const Part& part : parts) results[part.field->name] = PartJson(part);
  for (auto& [name, list] : ListsOf(evaluation)) {
    results[name] = std::move(list);
  }
  json["row_status"] = Json::array();
  for (const v1::RowStatus& status : evaluation.row_status) {
    json["row_status"].push_back(ToJson(status));
  }
  json["rows_not_ok"] = evaluation.rows_not_ok;
  json["echo"] = ToJson(evaluation.echo);
  session.out() << ToText(json);
}

/// The statuses by row.
class RowStatuses {
 public:
  explicit RowStatuses(const Evaluation& evaluation)
      : unlisted_from_(
            evaluation.rows_not_ok >
                    static_cast<std::int64_t>(evaluation.row_status.size())
                ? static_cast<Eigen::Index>(evaluation.row_status.back().row())
                : evaluation.rows) {
    for (const v1::RowStatus& status : evaluation.row_status) {
      listed_.emplace(static_cast<Eigen::Index>(status.row()), &status);
    }
  }

  /// Null if it is not listed.
  const v1::RowStatus* Find(Eigen::Index row) const {
    const auto found = listed_.find(row);
    return found == listed_.end() ? nullptr : found->second;
  }
  /// "?" behind the last row that is listed if more are not OK.
  std::string Unlisted(Eigen::Index row, const char* ok) const {
    return row < unlisted_from_ ? ok : "?";
  }

 private:
  Eigen::Index unlisted_from_;
  std::unordered_map<Eigen::Index, const v1::RowStatus*> listed_;
};

void PrintCsv(Session& session, const std::vector<Part>& parts,
              const Evaluation& evaluation) {
  // "elbow.tau", "shoulder.elbow.mass_matrix", "ax.lx.lambda".
  Names header;
  for (const Part& part : parts) {
    const Names columns = Pairs(part.columns, {part.field->name});
    const Names names = part.rows.empty() ? columns : Pairs(part.rows, columns);
    header.insert(header.end(), names.begin(), names.end());
  }
  const auto lists = ListsOf(evaluation);
  for (const auto& [name, list] : lists) header.emplace_back(name);
  header.insert(header.end(), {"status", "message"});

  CsvWriter csv(header);
  const RowStatuses statuses(evaluation);
  for (Eigen::Index row = 0; row < evaluation.rows; ++row) {
    for (const Part& part : parts) {
      for (const double number : part.numbers->row(row)) csv.Number(number);
    }
    for (const auto& [name, list] : lists) {
      const Json& value = list[static_cast<std::size_t>(row)];
      if (value.is_string()) {
        csv.Text(value.get<std::string>());
      } else {
        csv.Number(value.get<double>());
      }
    }
    const v1::RowStatus* status = statuses.Find(row);
    csv.Text(status != nullptr ? EnumName(status->code())
                               : statuses.Unlisted(row, "OK"));
    csv.Text(status != nullptr ? status->message() : "");
    csv.EndRow();
  }
  session.out() << csv.text();
}

/// A line for each row of the numbers: its name, they, and what `end` says.
template <class Numbers, class End>
void PrintNumbers(std::ostream& out, const Names& columns, TableColumn corner,
                  const Numbers& numbers, const Names& rows, const End& end) {
  std::vector<TableColumn> titles = {std::move(corner)};
  for (const std::string& name : columns) {
    titles.push_back({name, Align::kRight});
  }
  titles.emplace_back();
  Table table(std::move(titles));
  for (Eigen::Index row = 0; row < numbers.rows(); ++row) {
    Names cells = {rows.empty() ? std::to_string(row)
                                : rows[static_cast<std::size_t>(row)]};
    for (const double number : numbers.row(row)) {
      cells.push_back(ReadableText(number));
    }
    cells.push_back(end(row));
    table.Add(std::move(cells));
  }
  table.Print(out);
}

void PrintPart(const Part& part, const Evaluation& evaluation,
               std::ostream& out) {
  // "tau [N m | N]".
  const v1::TableInfo& info = *part.field->info;
  const std::string title =
      info.symbol() + (info.unit().empty() ? "" : " [" + info.unit() + "]");
  if (part.rows.empty()) {
    const RowStatuses statuses(evaluation);
    out << title << "\n";
    PrintNumbers(out, part.columns, {"state", Align::kRight}, *part.numbers, {},
                 [&statuses](Eigen::Index row) {
                   const v1::RowStatus* status = statuses.Find(row);
                   return status != nullptr ? EnumText(status->code())
                                            : statuses.Unlisted(row, "");
                 });
    return;
  }
  for (Eigen::Index state = 0; state < evaluation.rows; ++state) {
    out << title << "  state " << state << "\n";
    PrintNumbers(
        out, part.columns, {"", Align::kLeft},
        Evaluation::MatrixOf(*part.numbers, state,
                             static_cast<Eigen::Index>(part.rows.size())),
        part.rows, [](Eigen::Index) { return ""; });
  }
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
  for (const Part& part : parts) PrintPart(part, evaluation, session.out());
  for (std::size_t k = 0; k < evaluation.rule.size(); ++k) {
    session.out() << "state " << k << ": rank " << evaluation.rank[k]
                  << ", sigma_min " << ReadableText(evaluation.sigma_min[k])
                  << ", " << EnumText(evaluation.rule[k]) << "\n";
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
                       EnumText(status.code()) + " (" + status.field();
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
