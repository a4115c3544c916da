// torquectl models list
#include <google/protobuf/util/time_util.h>

#include <ostream>

#include "client/cli/commands/commands.h"
#include "client/cli/formats/csv_writer.h"
#include "client/cli/message_json.h"
#include "client/cli/terminal/table.h"

namespace torqued::cli {
namespace {

using google::protobuf::util::TimeUtil;

std::string StateText(const v1::ModelSummary& model) {
  return model.state() == v1::MODEL_STATE_READY ? "READY" : "BROKEN";
}

void PrintTable(const std::vector<v1::ModelSummary>& models,
                std::ostream& out) {
  Table table({{"name", Align::kLeft},
               {"revision", Align::kLeft},
               {"state", Align::kLeft},
               {"nq", Align::kRight},
               {"nv", Align::kRight},
               {"registered", Align::kLeft},
               {"", Align::kLeft}});
  for (const v1::ModelSummary& model : models) {
    table.Add({model.name(), model.revision().substr(0, 12), StateText(model),
               std::to_string(model.nq()), std::to_string(model.nv()),
               TimeUtil::ToString(model.registered_at()), model.problem()});
  }
  table.Print(out);
}

void PrintCsv(const std::vector<v1::ModelSummary>& models, std::ostream& out) {
  CsvWriter csv(
      {"name", "revision", "state", "nq", "nv", "registered", "problem"});
  for (const v1::ModelSummary& model : models) {
    csv.Text(model.name());
    csv.Text(model.revision());
    csv.Text(StateText(model));
    csv.Number(model.nq());
    csv.Number(model.nv());
    csv.Text(TimeUtil::ToString(model.registered_at()));
    csv.Text(model.problem());
    csv.EndRow();
  }
  out << csv.text();
}

ExitCode Run(Session& session) {
  session.RequireLastingServer("models list");
  const std::vector<v1::ModelSummary> models = session.client().ListModels();
  switch (session.output()) {
    case OutputFormat::kJson: {
      Json list = Json::array();
      for (const v1::ModelSummary& model : models) {
        list.push_back(ToJson(model));
      }
      session.out() << ToText(list);
      break;
    }
    case OutputFormat::kCsv:
      PrintCsv(models, session.out());
      break;
    case OutputFormat::kTable:
      PrintTable(models, session.out());
      break;
  }
  return ExitCode::kOk;
}

}  // namespace

void AddModelsList(CLI::App* models, Runner* runner) {
  CLI::App* command =
      models->add_subcommand("list", "Names and their current revisions");
  command->callback([runner] { *runner = Run; });
}

}  // namespace torqued::cli
