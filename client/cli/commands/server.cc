// torquectl ping, info
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <ostream>
#include <string>
#include <vector>

#include "client/cli/commands/commands.h"
#include "client/cli/formats/csv.h"
#include "client/cli/message_json.h"
#include "client/cli/shown_progress.h"
#include "client/cli/terminal/table.h"
#include "client/cli/version.h"
#include "server/flags/options.h"

namespace torqued::cli {
namespace {

const char* HealthText(client::Health health) {
  switch (health) {
    case client::Health::kServing:
      return "SERVING";
    case client::Health::kNotServing:
      return "NOT_SERVING";
    case client::Health::kUnknown:
      break;
  }
  return "UNKNOWN";
}

double Microseconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

ExitCode Run(Session& session, int count) {
  const client::Client& client = session.client();
  std::vector<double> round_trips;
  client::Health health = client::Health::kServing;
  {
    ShownProgress progress(session, "calls");
    for (int k = 0; k < count; ++k) {
      const auto start = std::chrono::steady_clock::now();
      const client::Health answer = client.CheckHealth();
      round_trips.push_back(
          Microseconds(std::chrono::steady_clock::now() - start));
      progress.Update(k + 1, count);
      if (answer != client::Health::kServing) health = answer;
    }
  }
  std::sort(round_trips.begin(), round_trips.end());
  const double median = round_trips[round_trips.size() / 2];
  const double fastest = round_trips.front();

  switch (session.output()) {
    case OutputFormat::kJson: {
      Json json;
      json["address"] = client.address();
      json["health"] = HealthText(health);
      json["count"] = count;
      json["round_trip_us_min"] = fastest;
      json["round_trip_us_median"] = median;
      session.out() << ToText(json);
      break;
    }
    case OutputFormat::kCsv: {
      CsvWriter csv({"address", "health", "count", "round_trip_us_min",
                     "round_trip_us_median"});
      csv.Text(client.address());
      csv.Text(HealthText(health));
      csv.Number(count);
      csv.Number(fastest);
      csv.Number(median);
      csv.EndRow();
      session.out() << csv.text();
      break;
    }
    case OutputFormat::kTable:
      session.out() << client.address() << "  " << HealthText(health)
                    << "  round trip " << std::lround(fastest) << " us";
      if (count > 1) {
        session.out() << " at best, " << std::lround(median) << " us median of "
                      << count;
      }
      session.out() << "\n";
      break;
  }
  return health == client::Health::kServing ? ExitCode::kOk : ExitCode::kNo;
}

}  // namespace

void AddPing(CLI::App* app, Runner* runner) {
  CLI::App* command = app->add_subcommand(
      "ping", "Ask the server whether it serves; exit 2 when it does not");
  command->alias("health");
  const auto count = std::make_shared<int>(1);
  flags::WholeNumber(
      command->add_option("--count,-c", *count, "How often (default: 1)"), 1,
      1'000'000);
  command->callback([count, runner] {
    *runner = [count](Session& session) { return Run(session, *count); };
  });
}

namespace {

Json InfoJson(const std::string& address, const v1::GetServerInfoReply& info) {
  Json json;
  json["client_version"] = std::string(Version());
  json["address"] = address;
  json.update(ToJson(info));
  const auto* type = info.GetDescriptor();
  for (int k = 0; k < type->field_count(); ++k) {
    const auto* field = type->field(k);
    if (field->cpp_type() != field->CPPTYPE_UINT64) continue;
    // ToJson makes strings of them. Null: an older server does not say.
    const auto number = info.GetReflection()->GetUInt64(info, field);
    json[field->name()] = number > 0 ? Json(number) : Json();
  }
  return json;
}

void PrintCsv(const v1::GetServerInfoReply& info, std::ostream& out) {
  CsvWriter csv({"target", "in_use", "lanes_double", "lanes_single"});
  for (const v1::Target& target : info.targets()) {
    csv.Text(target.name());
    csv.Text(target.name() == info.target() ? "yes" : "no");
    csv.Number(target.lanes_double());
    csv.Number(target.lanes_single());
    csv.EndRow();
  }
  out << csv.text();
}

// "-" where an older server does not say.
std::string KnownText(std::uint64_t number) {
  return number > 0 ? std::to_string(number) : "-";
}

void PrintTables(const std::string& address, const v1::GetServerInfoReply& info,
                 std::ostream& out) {
  out << "client version      " << Version() << "\n"
      << "server version      " << info.server_version() << "\n"
      << "address             " << address << "\n"
      << "target in use       " << info.target() << "\n"
      << "threads             " << info.threads() << "\n"
      << "states per request  " << info.max_rows() << "\n"
      << "bytes per message   " << info.max_message_bytes() << "\n"
      << "bytes under way     " << info.max_inflight_bytes() << "\n"
      << "streams at a time   " << KnownText(info.max_inflight_streams())
      << "\n"
      << "memory, bytes       " << KnownText(info.memory_bytes()) << "\n"
      << "bytes arriving      " << KnownText(info.max_arriving_bytes()) << "\n"
      << "revision layout     " << info.revision_layout() << "\n";
  Table targets({{"target", Align::kLeft},
                 {"lanes (double)", Align::kRight},
                 {"lanes (single)", Align::kRight},
                 {"", Align::kLeft}});
  for (const v1::Target& target : info.targets()) {
    targets.Add({target.name(), std::to_string(target.lanes_double()),
                 std::to_string(target.lanes_single()),
                 target.name() == info.target() ? "in use" : ""});
  }
  out << "\n";
  targets.Print(out);
}

ExitCode PrintInfo(Session& session) {
  const client::Client& client = session.client();
  const v1::GetServerInfoReply info = client.GetServerInfo();
  switch (session.output()) {
    case OutputFormat::kJson:
      session.out() << ToText(InfoJson(client.address(), info));
      break;
    case OutputFormat::kCsv:
      PrintCsv(info, session.out());
      break;
    case OutputFormat::kTable:
      PrintTables(client.address(), info, session.out());
      break;
  }
  return ExitCode::kOk;
}

}  // namespace

void AddInfo(CLI::App* app, Runner* runner) {
  CLI::App* command = app->add_subcommand(
      "info", "The server: version, instruction sets, threads, limits");
  command->callback([runner] { *runner = PrintInfo; });
}

}  // namespace torqued::cli
