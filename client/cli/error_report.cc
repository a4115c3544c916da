#include "client/cli/error_report.h"

#include <ostream>
#include <string_view>

namespace torqued::cli {

void PrintError(const client::Error& error, std::ostream& out) {
  const client::Error::Details& details = error.details();
  out << "torquectl: "
      << (details.reason.empty() ? client::ToString(error.code())
                                 : details.reason);
  if (!details.field_violations.empty()) {
    out << " (" << details.field_violations.front().field << ")";
  }
  out << ": " << error.what() << "\n";

  if (!details.reason.empty()) {
    out << "  status: " << client::ToString(error.code()) << "\n";
  }
  for (const client::FieldViolation& violation : details.field_violations) {
    // One that repeats the sentence says nothing new.
    if (std::string_view(error.what()).ends_with(violation.description)) {
      continue;
    }
    out << "  " << violation.field << ": " << violation.description << "\n";
  }
  for (const auto& [key, value] : details.metadata) {
    out << "  " << key << " = " << value << "\n";
  }
  if (details.retry_delay) {
    out << "  try again after "
        << std::chrono::duration<double>(*details.retry_delay).count()
        << " s\n";
  }
}

}  // namespace torqued::cli
