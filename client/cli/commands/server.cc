// torquectl ping, info
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "client/cli/commands/commands.h"
#include "client/cli/document.h"
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

ExitCode Ping(Session& session, int count) {
  const client::Client& client = session.client();
  std::vector<double> round_trips;
  client::Health health = client::Health::kServing;
  const client::Progress progress = session.ShowProgress("calls");
  for (int k = 0; k < count; ++k) {
    const auto start = std::chrono::steady_clock::now();
    const client::Health answer = client.CheckHealth();
    round_trips.push_back(std::chrono::duration<double, std::micro>(
                              std::chrono::steady_clock::now() - start)
                              .count());
    progress(k + 1, count);
    if (answer != client::Health::kServing) health = answer;
  }
  std::sort(round_trips.begin(), round_trips.end());
  Json answer = {{"address", client.address()},
                 {"health", HealthText(health)},
                 {"count", count},
                 {"round_trip_us_min", round_trips.front()},
                 {"round_trip_us_median", round_trips[round_trips.size() / 2]}};
  session.Answer([&] { return answer; },
                 [&] {
                   return CsvOf({"address", "health", "count",
                                 "round_trip_us_min", "round_trip_us_median"},
                                Json::array({answer}));
                 },
                 [&](std::ostream& out) { PrintFields(answer, out); });
  return health == client::Health::kServing ? ExitCode::kOk : ExitCode::kNo;
}

ExitCode Info(Session& session) {
  const client::Client& client = session.client();
  Json info = {{"client_version", std::string(Version())},
               {"address", client.address()}};
  info.update(Document(client.GetServerInfo()));
  const Members columns = {"name", "lanes_double", "lanes_single"};
  session.Answer([&] { return info; },
                 [&] { return CsvOf(columns, info["targets"]); },
                 [&](std::ostream& out) {
                   PrintFields(info, out);
                   out << "\n";
                   PrintRows(columns, info["targets"], out);
                 });
  return ExitCode::kOk;
}

}  // namespace

void AddServer(CLI::App* app, Runner* runner) {
  const auto count = std::make_shared<int>(1);
  CLI::App* ping = AddCommand(
      app, "ping", "Ask the server whether it serves; exit 2 when it does not",
      runner, [count](Session& session) { return Ping(session, *count); });
  ping->alias("health");
  flags::WholeNumber(
      ping->add_option("--count,-c", *count, "How often (default: 1)"), 1,
      1'000'000);
  AddCommand(app, "info",
             "The server: version, instruction sets, threads, limits", runner,
             Info);
}

}  // namespace torqued::cli
