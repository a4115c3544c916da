// Findings about a robot description.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace torqued {

enum class Severity : std::uint8_t { kInfo, kWarning, kError };

// The kinds of findings, a row each: enumerator, name, and severity with
// Validation::kDefault. Errors are first, then warnings, then infos. Validation
// makes errors of some warnings, and warnings of some errors. docs/robots.md
// explains them.
#define TORQUED_LINT_CODES(X)                                \
  X(kMalformedXml, "malformed-xml", kError)                  \
  X(kSourceTooLarge, "source-too-large", kError)             \
  X(kTooManyLinks, "too-many-links", kError)                 \
  X(kTooManyJoints, "too-many-joints", kError)               \
  X(kNotARobot, "not-a-robot", kError)                       \
  X(kXacroNotExpanded, "xacro-not-expanded", kError)         \
  X(kInvalidNumber, "invalid-number", kError)                \
  X(kInvalidPose, "invalid-pose", kError)                    \
  X(kMissingAttribute, "missing-attribute", kError)          \
  X(kMissingElement, "missing-element", kError)              \
  X(kUnsupportedAttribute, "unsupported-attribute", kError)  \
  X(kInvalidName, "invalid-name", kError)                    \
  X(kDuplicateName, "duplicate-name", kError)                \
  X(kUnknownLink, "unknown-link", kError)                    \
  X(kUnknownJointType, "unknown-joint-type", kError)         \
  X(kUnsupportedJoint, "unsupported-joint", kError)          \
  X(kTwoParents, "two-parents", kError)                      \
  X(kSeveralRoots, "several-roots", kError)                  \
  X(kCycle, "cycle", kError)                                 \
  X(kUnreachableLink, "unreachable-link", kError)            \
  X(kZeroAxis, "zero-axis", kError)                          \
  X(kNegativeMass, "negative-mass", kError)                  \
  X(kNegativeInertia, "negative-inertia", kError)            \
  X(kInvalidInertia, "invalid-inertia", kError)              \
  X(kMasslessJoint, "massless-joint", kError)                \
  X(kInvalidLimit, "invalid-limit", kError)                  \
  X(kNegativeFriction, "negative-friction", kError)          \
  X(kUnknownMimicTarget, "unknown-mimic-target", kError)     \
  X(kUnknownTip, "unknown-tip", kError)                      \
  X(kTriangleInequality, "triangle-inequality", kWarning)    \
  X(kNonUnitAxis, "non-unit-axis", kWarning)                 \
  X(kMissingLimit, "missing-limit", kWarning)                \
  X(kIgnoredElement, "ignored-element", kWarning)            \
  X(kIgnoredAttribute, "ignored-attribute", kWarning)        \
  X(kIllConditionedMass, "ill-conditioned-mass", kWarning)   \
  X(kMimicIndependent, "mimic-independent", kInfo)           \
  X(kFrictionOffByDefault, "friction-off-by-default", kInfo) \
  X(kFixedMass, "fixed-mass", kInfo)                         \
  X(kTransmissionRead, "transmission-read", kInfo)

enum class LintCode : std::uint8_t {
#define TORQUED_ENUMERATOR(code, name, severity) code,
  TORQUED_LINT_CODES(TORQUED_ENUMERATOR)
#undef TORQUED_ENUMERATOR
};

inline constexpr int kLintCodeCount =
    static_cast<int>(LintCode::kTransmissionRead) + 1;

/// "massless-joint" and the like.
std::string_view ToString(LintCode code);
/// "error", "warning", "info".
std::string_view ToString(Severity severity);
/// The severity of a code with Validation::kDefault.
Severity DefaultSeverity(LintCode code);

/// How mass properties that no body can have, and joints that move no mass, are
/// judged. A source that cannot be read, links that are not a tree, and numbers
/// beyond double precision are errors with each of them.
enum class Validation : std::uint8_t {
  /// An error, but a warning if no answer follows from it (the link is fixed to
  /// the base) or if it is known to be harmless (one moment above the sum of
  /// the others).
  kDefault,
  /// An error always.
  kStrict,
  /// A warning if the mass matrix is regular: at q = 0 and at up to 32 random
  /// states no pivot is lost, as docs/robots.md says.
  kLenient,
};

/// "default", "strict", "lenient".
std::string_view ToString(Validation validation);

/// The place of a finding in a robot and in its source.
struct Place {
  std::string_view joint = {};  // empty where none is concerned
  std::string_view link = {};
  int line = 0;  // 1-based; 0 where none applies
};

/// A Place that owns its names.
struct FoundPlace {
  std::string joint = {};
  std::string link = {};
  int line = 0;

  bool operator==(const FoundPlace&) const = default;
};

struct Finding {
  Severity severity = Severity::kError;
  LintCode code = LintCode::kMalformedXml;
  std::string joint = {};  // empty where none is concerned
  std::string link = {};
  int line = 0;              // 1-based line of the source; 0 where none applies
  std::string message = {};  // one sentence for a person
  /// How often this was found. The members above tell of the first time.
  int count = 1;
  /// The next times, in the order of the source, at most
  /// LintReport::kMaxMorePlaces of them, and none far down a long report.
  std::vector<FoundPlace> more_places = {};
};

/// Findings of one load. Keeps the first kMaxListed of each severity and
/// counts the rest, so a hostile file cannot make it large. All text in it is
/// valid UTF-8 without control characters and of bounded length.
class LintReport {
 public:
  static constexpr int kMaxListed = 1000;
  static constexpr int kMaxMorePlaces = 9;

  /// With the code's default severity. `message`: one sentence for a person.
  void Add(LintCode code, const Place& place, std::string_view message) {
    List(DefaultSeverity(code), code, place, message);
  }

  /// For what may be found many times: of findings of one code, severity and
  /// `kind`, an arbitrary text, only the first is listed, with the number of
  /// them all. Errors are listed one by one nevertheless, since each has to be
  /// corrected. `message` gives the text of a finding that is listed.
  void AddKind(Severity severity, LintCode code, const Place& place,
               std::string_view kind, const auto& message) {
    if (CountAgain(severity, code, place, kind)) return;
    List(severity, code, place, message());
  }

  /// Errors first, then by line (those without one last), then as added. A
  /// finding that is added afterwards is listed by itself.
  void Sort();

  /// Valid as long as the report, which must not be a temporary.
  std::span<const Finding> findings() const& { return findings_; }
  std::span<const Finding> findings() const&& = delete;
  /// How much was found, also what is counted under another finding.
  int errors() const { return counts_[2]; }
  int warnings() const { return counts_[1]; }
  int infos() const { return counts_[0]; }
  bool ok() const { return errors() == 0; }

 private:
  void List(Severity severity, LintCode code, const Place& place,
            std::string_view message);
  /// False: it is the first, and to be listed next.
  bool CountAgain(Severity severity, LintCode code, const Place& place,
                  std::string_view kind);

  std::vector<Finding> findings_;
  // The index of the finding of each kind.
  std::unordered_map<std::string, std::size_t> kinds_;
  // By severity.
  int listed_[3] = {0, 0, 0};
  int counts_[3] = {0, 0, 0};
};

}  // namespace torqued
