#include "client/cli/error_report.h"

#include <ostream>
#include <string_view>

#include "client/cli/terminal/plain_text.h"

namespace torqued::cli {

std::string ErrorLine(const client::Error& error, const FlagNames& names) {
  const client::Error::Details& details = error.details();
  std::string line = details.reason.empty() ? client::ToString(error.code())
                                            : PlainText(details.reason);
  std::string_view sentence = error.what();
  if (!details.field_violations.empty()) {
    const std::string& field = details.field_violations.front().field;
    line += " (" + PlainText(names.Of(field)) + ")";
    // Once is enough.
    if (sentence.starts_with(field + ": ")) {
      sentence.remove_prefix(field.size() + 2);
    }
  }
  return line + ": " + PlainText(sentence);
}

void PrintError(const client::Error& error, const FlagNames& names,
                std::ostream& out) {
  const client::Error::Details& details = error.details();
  out << "torquectl: " << ErrorLine(error, names) << "\n";

  if (!details.reason.empty()) {
    out << "  status: " << client::ToString(error.code()) << "\n";
  }
  for (const client::FieldViolation& violation : details.field_violations) {
    // One that repeats the sentence says nothing new.
    if (std::string_view(error.what()).ends_with(violation.description)) {
      continue;
    }
    out << "  " << PlainText(names.Of(violation.field)) << ": "
        << PlainText(violation.description) << "\n";
  }
  for (const auto& [key, value] : details.metadata) {
    out << "  " << PlainText(key) << " = " << PlainText(value) << "\n";
  }
  if (details.retry_delay) {
    out << "  try again after "
        << std::chrono::duration<double>(*details.retry_delay).count()
        << " s\n";
  }
}

}  // namespace torqued::cli
