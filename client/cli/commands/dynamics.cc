// torquectl id, mass-matrix, fd, opspace, compute
#include <absl/strings/str_replace.h>

#include <algorithm>
#include <memory>
#include <ostream>
#include <set>
#include <utility>

#include "client/cli/commands/commands.h"
#include "client/cli/document.h"
#include "client/cli/formats/container.h"
#include "client/cli/formats/text.h"
#include "client/cli/request_flags.h"
#include "client/cpp/result_fields.h"
#include "server/flags/options.h"

namespace torqued::cli {
namespace {

using client::Evaluation;

constexpr std::int64_t kRemarkedRows = 10;

/// A vector or a matrix of numbers for each state.
struct Part {
  const client::ResultField* field;
  const client::Batch* numbers;
  Members rows = {};  // of the matrix; empty for a vector
  Members columns = {};

  auto Matrix(std::int64_t state) const {
    const std::size_t count = rows.empty() ? 1 : rows.size();
    return Evaluation::MatrixOf(*numbers, state,
                                static_cast<Eigen::Index>(count));
  }
};

/// "i.j" for all i of `first` and all j of `second`.
Members Combinations(const Members& first, const Members& second) {
  Members pairs;
  for (const std::string& i : first) {
    for (const std::string& j : second) pairs.push_back(Cat(i, ".", j));
  }
  return pairs;
}

Members NamesAlong(const std::string& dimension, const v1::TableInfo& info,
                   const v1::Echo& echo) {
  Members joints(echo.joint_names().begin(), echo.joint_names().end());
  if (dimension == "nv" || dimension == "links") return joints;
  if (dimension == "m") {
    const Members all = SplitList("?,ax,ay,az,lx,ly,lz", ',');
    Members axes;
    for (const int axis : echo.operational_space().axes()) {
      axes.push_back(
          all[axis >= 1 && axis <= 6 ? static_cast<std::size_t>(axis) : 0]);
    }
    return axes;
  }
  if (dimension == "10links") {
    return Combinations(
        joints, SplitList("m,mcx,mcy,mcz,ixx,ixy,iyy,ixz,iyz,izz", ','));
  }
  if (dimension == "6") {
    return SplitList(
        info.unit() == "N m, N" ? "mx,my,mz,fx,fy,fz" : "ax,ay,az,lx,ly,lz",
        ',');
  }
  if (dimension == "4") return {"ex", "ey", "ez", "p"};
  return SplitList(info.labels().empty() ? "x y z" : info.labels(), ' ');
}

std::vector<Part> PartsOf(const std::vector<v1::Quantity>& quantities,
                          const Evaluation& evaluation) {
  std::vector<Part> parts;
  for (const v1::Quantity quantity : quantities) {
    for (const client::ResultField& field : client::ResultFields()) {
      if (field.info->quantity() != quantity) continue;
      Part& part = parts.emplace_back(Part{&field, &(evaluation.*field.batch)});
      for (const std::string& dimension : client::Dimensions(*field.info)) {
        // All dimensions but the last are those of the rows.
        if (!part.columns.empty()) {
          part.rows = part.rows.empty() ? std::move(part.columns)
                                        : Combinations(part.rows, part.columns);
        }
        part.columns = NamesAlong(dimension, *field.info, evaluation.echo);
      }
      if (field.info->shape().empty()) part.columns = {"value"};
      // The names come from one part of the reply, the numbers from another.
      const std::size_t rows = std::max<std::size_t>(part.rows.size(), 1);
      part.columns.resize(static_cast<std::size_t>(part.numbers->cols()) /
                          rows);
    }
  }
  return parts;
}

Json AnswerJson(const std::vector<Part>& parts, const Evaluation& evaluation) {
  Json json = {{"rows", evaluation.rows}};
  Json& results = json["results"];
  for (const Part& part : parts) {
    Json& states = results[part.field->name] = Json::array();
    for (std::int64_t state = 0; state < evaluation.rows; ++state) {
      Json matrix = MatrixJson(part.Matrix(state));
      states.push_back(std::move(part.rows.empty() ? matrix[0] : matrix));
    }
  }
  if (!evaluation.rule.empty()) {
    results["rank"] = evaluation.rank;
    results["sigma_min"] = evaluation.sigma_min;
  }
  for (const v1::TaskRule rule : evaluation.rule) {
    results["rule"].push_back(v1::TaskRule_Name(rule));
  }
  json["row_status"] = Json::array();
  for (const v1::RowStatus& status : evaluation.row_status) {
    json["row_status"].push_back(ToJson(status));
  }
  json["rows_not_ok"] = evaluation.rows_not_ok;
  json["echo"] = ToJson(evaluation.echo);
  return json;
}

/// For each row its code by `text`, and the message.
std::vector<std::pair<std::string, std::string>> StatusesOf(
    const Evaluation& evaluation, const auto& text, const std::string& ok) {
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
  Members header;
  for (const Part& part : parts) {
    const Members columns = Combinations(part.columns, {part.field->name});
    const Members names =
        part.rows.empty() ? columns : Combinations(part.rows, columns);
    header.insert(header.end(), names.begin(), names.end());
  }
  const bool has_task = !evaluation.rule.empty();
  if (has_task) header.insert(header.end(), {"rank", "sigma_min", "rule"});
  header.insert(header.end(), {"status", "message"});

  CsvWriter csv(header);
  const auto statuses =
      StatusesOf(evaluation, v1::RowCode_Name<v1::RowCode>, "OK");
  for (std::size_t row = 0; row < statuses.size(); ++row) {
    for (const Part& part : parts) {
      const auto index = static_cast<Eigen::Index>(row);
      for (const double number : part.numbers->row(index)) csv.Number(number);
    }
    if (has_task) {
      csv.Number(evaluation.rank[row]);
      csv.Number(evaluation.sigma_min[row]);
      csv.Text(v1::TaskRule_Name(evaluation.rule[row]));
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
  Members titles = {"state"};
  if (!part.rows.empty()) titles.emplace_back();
  titles.insert(titles.end(), part.columns.begin(), part.columns.end());
  titles.emplace_back();
  Json lines = Json::array();
  const auto statuses = StatusesOf(evaluation, EnumText<v1::RowCode>, "");
  for (std::int64_t state = 0; state < evaluation.rows; ++state) {
    const auto matrix = part.Matrix(state);
    for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
      Json& line = lines.emplace_back(Json::array({state}));
      if (!part.rows.empty()) {
        line.push_back(part.rows[static_cast<std::size_t>(row)]);
      }
      for (const double number : matrix.row(row)) line.push_back(number);
      line.push_back(statuses[static_cast<std::size_t>(state)].first);
    }
  }
  PrintTable(titles, lines, out);
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
    session.Remark(Cat("row ", status.row(), ": ", EnumText(status.code()),
                       " (", status.field(),
                       status.joint().empty() ? "" : ", joint ", status.joint(),
                       "): ", status.message()));
  }
  if (more > 0) session.Remark(Cat("and ", more, " more rows are not OK"));
}

struct Command {
  const char* name;
  v1::Quantity quantity;  // unspecified: those of the arguments
  const char* about;
};

constexpr Command kCommands[] = {
    {"id", v1::QUANTITY_INVERSE_DYNAMICS,
     "Inverse dynamics: the torques that states need"},
    {"mass-matrix", v1::QUANTITY_MASS_MATRIX,
     "Joint-space inertia matrix M(q)"},
    {"fd", v1::QUANTITY_FORWARD_DYNAMICS,
     "Forward dynamics: the accelerations that torques cause"},
    {"opspace", v1::QUANTITY_OPERATIONAL_SPACE,
     "Operational space: Lambda and eta of the tip"},
    {"compute", v1::QUANTITY_UNSPECIFIED,
     "Any quantities of states, in one call"}};

struct ComputeFlags {
  const CLI::App* command = nullptr;
  Fields options, tables;
  std::vector<std::string> asked;
  std::vector<v1::Quantity> quantities;
  std::string model, states;
};

/// The states of the tables, or those of a file: then `start` names the
/// revision in whose joint order it was read.
client::States LoadStates(Session& session, const ComputeFlags& flags,
                          v1::EvaluateStart* start) {
  v1::Options* options = start->mutable_options();
  client::States states = ReadTableFlags(*flags.command, flags.tables, options);
  const auto order = TakeJointOrder(options);
  if (order) {
    options->mutable_joint_names()->Add(order->begin(), order->end());
  }
  if (flags.states.empty()) return states;
  TableRules rules;
  for (const std::string_view suffix : {"q", "v", "a", "tau"}) {
    if (!flags.tables.contains(suffix)) continue;
    rules.suffixes.push_back(suffix);
    if (suffix == "q" || (suffix == "tau" && flags.asked.empty())) {
      rules.required.push_back(suffix);
    }
    if (const std::string flag = FlagOf(suffix);
        flags.command->count(flag) > 0) {
      throw UsageError("--states", flag + " is given as well");
    }
  }
  const v1::ModelInfo info = session.client().GetModel(start->model()).model();
  StateTable table = ReadStateTable(flags.states, info, order, rules);
  start->set_model(info.name() + "@" + info.revision());
  session.RemarkUnused(table.name, table.unused);
  states.q = std::move(table.tables["q"]);
  states.v = std::move(table.tables["v"]);
  states.a = std::move(table.tables["a"]);
  states.tau = std::move(table.tables["tau"]);
  return states;
}

ExitCode Compute(Session& session, const ComputeFlags& flags) {
  // In the order of the contract.
  std::set<v1::Quantity> asked(flags.quantities.begin(),
                               flags.quantities.end());
  for (const std::string& name : flags.asked) {
    const auto* quantity = FindEnumFlag(
        *v1::Quantity_descriptor(), absl::StrReplaceAll(name, {{"-", "_"}}));
    asked.insert(static_cast<v1::Quantity>(quantity->number()));
  }
  const std::vector<v1::Quantity> quantities(asked.begin(), asked.end());
  v1::EvaluateStart start;
  ReadFieldFlags(*flags.command, flags.options, &start);
  start.set_model(session.ResolveModel(flags.model));
  const client::States states = LoadStates(session, flags, &start);
  client::ComputeOptions options{start.options(), start.operational_space(),
                                 start.tip_wrench_reference_frame()};
  if (asked.contains(v1::QUANTITY_OPERATIONAL_SPACE)) {
    // Every form of output shows it.
    options.operational_space.set_sigma_min(true);
  }
  options.progress = session.ShowProgress("states");
  const Evaluation evaluation =
      session.client().Compute(start.model(), quantities, states, options);
  const std::vector<Part> parts = PartsOf(quantities, evaluation);
  session.Answer(
      [&] { return AnswerJson(parts, evaluation); },
      [&] { return AnswerCsv(parts, evaluation); },
      [&](std::ostream& out) { PrintTables(parts, evaluation, out); });
  if (session.output() != OutputFormat::kJson) RemarkRows(session, evaluation);
  return evaluation.ok() ? ExitCode::kOk : ExitCode::kNo;
}

}  // namespace

void AddDynamics(CLI::App* app, Runner* runner) {
  for (const Command& row : kCommands) {
    const auto flags = std::make_shared<ComputeFlags>();
    CLI::App* command = AddCommand(
        app, row.name, row.about, runner,
        [flags](Session& session) { return Compute(session, *flags); });
    flags->command = command;
    if (row.quantity != v1::QUANTITY_UNSPECIFIED) {
      flags->quantities = {row.quantity};
      flags->tables = FieldsOf(row.quantity);
    } else {
      // "coriolis-matrix" and so on.
      std::vector<std::string> names = EnumFlags(*v1::Quantity_descriptor());
      for (std::string& name : names) {
        absl::StrReplaceAll({{"_", "-"}}, &name);
      }
      flags::OneOf(command
                       ->add_option("QUANTITIES", flags->asked,
                                    "Quantities to compute, one or more")
                       ->required(),
                   std::move(names));
      for (int k = v1::Quantity_MIN + 1; k < v1::Quantity_ARRAYSIZE; ++k) {
        flags->tables.merge(FieldsOf(static_cast<v1::Quantity>(k)));
      }
    }
    flags->options = flags->tables;
    flags->options.erase("gravity");  // the table's flag is that of the terms
    AddModelFlag(command, &flags->model);
    AddTableFlags(command, flags->tables);
    command->add_option("--states", flags->states,
                        "File with q, v, a and tau: CSV with columns <joint>.q "
                        "..., CSV without names or NPY with those blocks in "
                        "the order of --joint-names, or NPZ with arrays of "
                        "these names and joint_names");
    AddFieldFlags(command, *v1::EvaluateStart::descriptor(), flags->options);
    command->footer(
        "Tables have a row for each state or one for all: a,b,... with ; "
        "between rows, or the flag again, or @file.npy or @file.csv.");
  }
}

}  // namespace torqued::cli
