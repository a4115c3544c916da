// torquectl info
#include <ostream>
#include <string>

#include "client/cli/commands/commands.h"
#include "client/cli/formats/csv_writer.h"
#include "client/cli/message_json.h"
#include "client/cli/terminal/table.h"
#include "client/cli/version.h"

namespace torqued::cli {
namespace {

// Null where an older server does not say.
Json Known(std::uint64_t number) { return number > 0 ? Json(number) : Json(); }

// Not ToJson of the message: 64-bit numbers would become strings.
Json InfoJson(const std::string& address, const v1::GetServerInfoReply& info) {
  Json json;
  json["client_version"] = std::string(Version());
  json["address"] = address;
  json["server_version"] = info.server_version();
  json["target"] = info.target();
  json["targets"] = Json::array();
  for (const v1::Target& target : info.targets()) {
    Json& listed = json["targets"].emplace_back();
    listed["name"] = target.name();
    listed["lanes_double"] = target.lanes_double();
    listed["lanes_single"] = target.lanes_single();
  }
  json["threads"] = info.threads();
  json["max_rows"] = info.max_rows();
  json["max_message_bytes"] = info.max_message_bytes();
  json["max_inflight_rows"] = info.max_inflight_rows();
  json["max_inflight_bytes"] = info.max_inflight_bytes();
  json["max_inflight_streams"] = Known(info.max_inflight_streams());
  json["growing_windows"] =
      info.has_growing_windows() ? Json(info.growing_windows()) : Json();
  json["memory_bytes"] = Known(info.memory_bytes());
  json["max_arriving_bytes"] = Known(info.max_arriving_bytes());
  json["max_held_bytes"] = Known(info.max_held_bytes());
  json["revision_layout"] = info.revision_layout();
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

std::string WindowsText(const v1::GetServerInfoReply& info) {
  if (!info.has_growing_windows()) return "-";
  return info.growing_windows() ? "on" : "off";
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
      << "states under way    " << info.max_inflight_rows() << "\n"
      << "bytes under way     " << info.max_inflight_bytes() << "\n"
      << "streams at a time   " << KnownText(info.max_inflight_streams())
      << "\n"
      << "growing windows     " << WindowsText(info) << "\n"
      << "memory, bytes       " << KnownText(info.memory_bytes()) << "\n"
      << "bytes arriving      " << KnownText(info.max_arriving_bytes()) << "\n"
      << "bytes held at once  " << KnownText(info.max_held_bytes()) << "\n"
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

ExitCode Run(Session& session) {
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
  command->callback([runner] { *runner = Run; });
}

}  // namespace torqued::cli
