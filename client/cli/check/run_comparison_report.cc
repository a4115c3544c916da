#include <algorithm>
#include <cmath>
#include <ostream>
#include <string_view>
#include <tuple>

#include "client/cli/check/passing_numbers.h"
#include "client/cli/check/run_comparison.h"
#include "client/cli/formats/csv.h"
#include "client/cli/formats/json_numbers.h"
#include "client/cli/formats/number_text.h"
#include "client/cli/terminal/plain_text.h"
#include "client/cli/terminal/table.h"

namespace torqued::cli {
namespace {

/// Of a list that may be long.
constexpr std::size_t kShown = 10;

const char* ChangeOf(const ComparedNumber& number) {
  if (number.worse) return "worse";
  if (number.better) return "better";
  return number.before == number.after ? "same" : "";
}

std::string NumberText(NumberKind kind, double number) {
  switch (kind) {
    case NumberKind::kLargestPayload:
      return LargestPayloadText(number);
    case NumberKind::kSlowDown:
      return SlowDownFactorText(number);
    case NumberKind::kPlain:
      break;
  }
  return ReadableText(number);
}

/// No payload is no number: null in JSON, empty in CSV.
bool IsNone(NumberKind kind, double number) {
  return kind == NumberKind::kLargestPayload && number == kNoPayload;
}

Json NumberOrNull(NumberKind kind, double number) {
  return IsNone(kind, number) ? Json() : NumberJson(number);
}

void AddNumber(NumberKind kind, double number, CsvWriter* csv) {
  if (IsNone(kind, number)) {
    csv->Text("");
  } else {
    csv->Number(number);
  }
}

void PrintList(const char* title, const std::vector<std::string>& list,
               std::ostream& out) {
  if (list.empty()) return;
  out << title << " (" << list.size() << "):";
  for (std::size_t k = 0; k < std::min(kShown, list.size()); ++k) {
    out << (k == 0 ? " " : ", ") << PlainText(list[k], 200);
  }
  out << (list.size() > kShown ? ", ...\n" : "\n");
}

constexpr std::size_t kWordBytes = 300;

/// Where to begin with words that are too long for a line: where those of both
/// runs part, or a bit before.
std::size_t PartingOf(const std::string& before, const std::string& after) {
  constexpr std::size_t kContext = 60;
  if (std::max(before.size(), after.size()) <= kWordBytes) return 0;
  const auto parting = static_cast<std::size_t>(
      std::mismatch(before.begin(), before.end(), after.begin(), after.end())
          .first -
      before.begin());
  if (parting <= kContext) return 0;
  // From the beginning of a part, or else of a word.
  std::size_t earliest = parting - kContext;
  for (const char* const ends : {",;", " "}) {
    const std::size_t end = before.find_last_of(ends, parting - 1);
    if (end != std::string::npos && end >= earliest) return end + 1;
  }
  // Not inside a letter.
  const auto continues = [&before](std::size_t at) {
    return (static_cast<unsigned char>(before[at]) & 0xC0) == 0x80;
  };
  while (earliest > 0 && continues(earliest)) --earliest;
  return earliest;
}

std::string WordsFrom(const std::string& words, std::size_t begin) {
  return begin == 0 ? PlainText(words, kWordBytes)
                    : "..." + PlainText(std::string_view(words).substr(
                                            std::min(begin, words.size())),
                                        kWordBytes);
}

void PrintAsked(const std::vector<AskedDifference>& asked, std::ostream& out) {
  if (asked.empty()) return;
  out << "Asked differently (" << asked.size() << "):\n";
  for (const AskedDifference& difference : asked) {
    out << "  " << PlainText(difference.what, kWordBytes) << ": ";
    const std::size_t begin = PartingOf(difference.before, difference.after);
    if (!difference.before.empty()) {
      out << WordsFrom(difference.before, begin) << " -> ";
    }
    out << WordsFrom(difference.after, begin) << "\n";
  }
}

/// Of many files the changes alone, the largest first.
std::vector<ComparedNumber> Shown(const RunComparison& comparison) {
  std::vector<ComparedNumber> numbers = comparison.numbers;
  if (!comparison.of_files) return numbers;
  std::erase_if(numbers,
                [](const ComparedNumber& n) { return !n.worse && !n.better; });
  std::sort(numbers.begin(), numbers.end(),
            [](const ComparedNumber& a, const ComparedNumber& b) {
              const auto key = [](const ComparedNumber& number) {
                return std::tuple(number.before - number.after,
                                  std::string_view(number.what));
              };
              return key(a) < key(b);
            });
  if (numbers.size() > kShown) numbers.resize(kShown);
  return numbers;
}

const char* VerdictText(bool passes) { return passes ? "PASS" : "FAIL"; }

}  // namespace

void PrintComparison(const RunComparison& comparison, std::ostream& out) {
  PrintAsked(comparison.asked, out);
  PrintList("Only before", comparison.only_before, out);
  PrintList("Only after", comparison.only_after, out);
  PrintList("Newly failing", comparison.newly_failing, out);
  PrintList("Newly passing", comparison.newly_passing, out);
  PrintList("No verdict any more", comparison.without_verdict, out);
  Table table(
      {{comparison.of_files ? "largest share of a limit" : "", Align::kLeft},
       {"before", Align::kRight},
       {"after", Align::kRight},
       {"", Align::kLeft}});
  for (const ComparedNumber& number : Shown(comparison)) {
    table.Add({PlainText(number.what, 200),
               NumberText(number.kind, number.before),
               NumberText(number.kind, number.after), ChangeOf(number)});
  }
  if (!table.empty()) table.Print(out);
  out << VerdictText(comparison.passed_before) << " -> "
      << VerdictText(comparison.passes_after) << ", "
      << (comparison.worse() ? "worse" : "not worse") << "\n";
}

Json ComparisonJson(const RunComparison& comparison) {
  Json json;
  json["before"] = comparison.before;
  json["after"] = comparison.after;
  json["worse"] = comparison.worse();
  json["passed_before"] = comparison.passed_before;
  json["passes_after"] = comparison.passes_after;
  json["differences"] = DifferentMembers(comparison.asked);
  json["asked"] = Json::array();
  for (const AskedDifference& difference : comparison.asked) {
    json["asked"].push_back({{"what", difference.what},
                             {"before", difference.before},
                             {"after", difference.after}});
  }
  json["only_before"] = comparison.only_before;
  json["only_after"] = comparison.only_after;
  json["newly_failing"] = comparison.newly_failing;
  json["newly_passing"] = comparison.newly_passing;
  json["without_verdict"] = comparison.without_verdict;
  json["numbers"] = Json::array();
  for (const ComparedNumber& number : comparison.numbers) {
    json["numbers"].push_back(
        {{"what", number.what},
         {"before", NumberOrNull(number.kind, number.before)},
         {"after", NumberOrNull(number.kind, number.after)},
         {"change", ChangeOf(number)}});
  }
  return json;
}

std::string ComparisonCsv(const RunComparison& comparison) {
  CsvWriter csv({"what", "before", "after", "change"});
  for (const ComparedNumber& number : comparison.numbers) {
    csv.Text(number.what);
    AddNumber(number.kind, number.before, &csv);
    AddNumber(number.kind, number.after, &csv);
    csv.Text(ChangeOf(number));
    csv.EndRow();
  }
  return csv.text();
}

}  // namespace torqued::cli
