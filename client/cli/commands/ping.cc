// torquectl ping
#include <algorithm>
#include <ostream>
#include <vector>

#include "client/cli/commands/commands.h"
#include "client/cli/formats/csv_writer.h"
#include "client/cli/message_json.h"
#include "client/cli/shown_progress.h"
#include "server/flags/numbers.h"

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
      const client::HealthReport report = client.CheckHealth();
      progress.Update(k + 1, count);
      round_trips.push_back(Microseconds(report.round_trip));
      if (report.health != client::Health::kServing) health = report.health;
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

}  // namespace torqued::cli
