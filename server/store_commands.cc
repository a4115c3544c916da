#include "server/store_commands.h"

#include <cstdio>
#include <optional>
#include <string>
#include <variant>

#include "core/model/text.h"
#include "server/lifecycle/signals.h"
#include "server/registry/store_copy.h"

namespace torqued::server {
namespace {

constexpr std::size_t kMaxLineBytes = 1000;
constexpr int kNoAnswer = 1;
constexpr int kDamaged = 2;

/// What is unfinished must not stay behind.
bool Interrupted() {
  static bool interrupted = false;
  interrupted = interrupted || TakeStopSignal();
  return interrupted;
}

int NoAnswer(const std::string& why) {
  std::fprintf(
      stderr, "torqued: %s\n",
      Printable(Interrupted() ? "interrupted" : why, kMaxLineBytes).c_str());
  return kNoAnswer;
}

void Print(const std::string& line) {
  std::fputs((Printable(line, kMaxLineBytes) + "\n").c_str(), stdout);
}

}  // namespace

int BackUp(const StoreBackupCommand& command) {
  BlockSignals();
  const auto failure =
      BackUpStore(command.store, command.file,
                  {.overwrite = command.overwrite, .stop = Interrupted});
  if (!failure) return 0;
  if (!failure->damaged) return NoAnswer(failure->message);
  Print(failure->message);
  return kDamaged;
}

int Check(const StoreCheckCommand& command) {
  BlockSignals();
  const auto checked = CheckStore(command.file, Interrupted);
  if (const auto* why = std::get_if<std::string>(&checked)) {
    return NoAnswer(command.file + ": " + *why);
  }
  const auto& check = std::get<StoreCheck>(checked);
  for (const std::string& damage : check.damage) {
    Print(command.file + ": " + damage);
  }
  const std::size_t unlisted = check.damage_count - check.damage.size();
  if (unlisted > 0) {
    Print(command.file + ": and " + std::to_string(unlisted) + " more");
  }
  Print(command.file + ": " + (check.good() ? "good" : "damaged") + ", " +
        std::to_string(check.names) + " names, " +
        std::to_string(check.revisions) + " revisions, schema " +
        std::to_string(check.schema));
  return check.good() ? 0 : kDamaged;
}

}  // namespace torqued::server
