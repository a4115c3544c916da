#include "core/model/mass_checks.h"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "core/model/text.h"

namespace torqued {
namespace {

// What rounding to six significant digits can do: to the principal moments,
// relative to their sum, where the entries of an inertia are rounded. A thin
// rod or a flat plate lies on the very border of what is possible. To an
// answer, relative to the inertia that it follows from.
constexpr double kTextRounding = 1e-6;
// What sums and products in double precision leave, relative to what they are
// made of.
constexpr double kSumRounding = 1e-12;

double Length(const std::array<double, 3>& p) {
  return std::hypot(p[0], p[1], p[2]);
}

// Principal moments, smallest first.
Eigen::Vector3d PrincipalMoments(const std::array<double, 6>& I) {
  Eigen::Matrix3d m;
  m << I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5];
  // Scaled, so that neither huge nor tiny entries leave double precision.
  const double scale = m.cwiseAbs().maxCoeff();
  if (!(scale > 0)) return Eigen::Vector3d::Zero();
  m /= scale;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(
      m, Eigen::EigenvaluesOnly);
  return solver.eigenvalues() * scale;
}

bool IsFinite(const LinkInertial& inertial) {
  const auto& I = inertial.inertia;
  return std::isfinite(inertial.mass) &&
         std::all_of(I.begin(), I.end(),
                     [](double x) { return std::isfinite(x); });
}

class LinkJudge {
 public:
  LinkJudge(const LinkDescription& link, const Effect& effect,
            Validation validation, std::string_view way_around,
            LintReport& report)
      : link_(link),
        inertial_(*link.inertial),
        effect_(effect),
        validation_(validation),
        way_around_(way_around),
        report_(report),
        place_{.link = link.name,
               .line = inertial_.line > 0 ? inertial_.line : link.line} {}

  /// Whether kLenient let something pass that kDefault refuses.
  bool Judge() {
    if (inertial_.mass < 0) {
      Refuse(LintCode::kNegativeMass, /*rounding=*/false,
             /*unknown=*/effect_.place_unknown,
             Cat("the negative mass ", NumberText(inertial_.mass), " kg"),
             "give it 0 or more");
    }
    // Some may not have been read.
    if (!link_.incomplete) JudgeMoments();
    return let_pass_;
  }

 private:
  void JudgeMoments() {
    const Eigen::Vector3d moments = PrincipalMoments(inertial_.inertia);
    // Divided beforehand: the sum of huge moments would overflow.
    const double largest = moments.cwiseAbs().maxCoeff();
    if (!(largest > 0)) return;
    const Eigen::Vector3d scaled = moments / largest;
    const double sum = scaled.cwiseAbs().sum(), size = effect_.size / largest;
    const double nothing = std::max(kTextRounding * sum, kSumRounding * size);
    if (-scaled[0] > nothing) {
      Refuse(LintCode::kNegativeInertia,
             /*rounding=*/-scaled[0] <= kTextRounding * size,
             /*unknown=*/effect_.place_unknown || effect_.size_unknown,
             Cat("the principal moment ", RoundedText(moments[0]),
                 " kg m² about its centre of mass, but no moment of a body is "
                 "negative"),
             "check the signs of ixy, ixz, iyz and the diagonal");
    } else if (scaled[2] - scaled[0] - scaled[1] > nothing) {
      ReportTriangle(moments);
    }
  }

  // A negative mass or moment. `unknown`: whether it is harmless.
  void Refuse(LintCode code, bool rounding, bool unknown,
              const std::string& what, std::string_view advice) {
    const bool harmless = !unknown && (effect_.fixed_to_base || rounding);
    const bool lenient = validation_ == Validation::kLenient;
    const bool strict = validation_ == Validation::kStrict;
    const bool is_warning = !strict && (harmless || unknown || lenient);
    if (lenient && !harmless) let_pass_ = true;
    std::string_view rest = way_around_;
    if (is_warning) {
      rest = unknown
                 ? "; whether it matters is known once the errors are mended"
             : effect_.fixed_to_base
                 ? "; the link is fixed to the base and enters no quantity"
             : rounding ? "; beside the inertia that the joints before it move "
                          "it is too small to count"
                        : "; it is computed with as it is";
    } else if (strict && harmless && !way_around_.empty()) {
      rest = "; or use validation default, which warns of it";
    }
    report_.AddKind(is_warning ? Severity::kWarning : Severity::kError, code,
                    place_, rest, [&] {
                      return Cat("Link ", Quoted(link_.name), " has ", what,
                                 "; ", advice, rest, ".");
                    });
  }

  void ReportTriangle(const Eigen::Vector3d& moments) {
    const bool strict = validation_ == Validation::kStrict;
    report_.AddKind(
        strict ? Severity::kError : Severity::kWarning,
        LintCode::kTriangleInequality, place_, {}, [&] {
          return Cat(
              "Link ", Quoted(link_.name), " has the principal moments ",
              RoundedText(moments[0]), ", ", RoundedText(moments[1]), ", ",
              RoundedText(moments[2]),
              " kg m²: no distribution of mass has one larger than the sum of "
              "the others, so the inertia is wrong somewhere",
              !strict               ? ", though it can still be computed with."
              : way_around_.empty() ? "; correct it."
                                    : "; correct it, or use validation "
                                      "default, which warns of it.");
        });
  }

  const LinkDescription& link_;
  const LinkInertial& inertial_;
  const Effect& effect_;
  const Validation validation_;
  const std::string_view way_around_;
  LintReport& report_;
  const Place place_;
  bool let_pass_ = false;
};

}  // namespace

Effect EffectOf(const LinkDescription& link) {
  if (!link.inertial || !IsFinite(*link.inertial)) return {};
  const double r = Length(link.inertial->origin.p);
  return {.size = std::abs(link.inertial->mass) * r * r};
}

bool CheckMassProperties(std::span<LinkDescription> links,
                         std::span<const Effect> effects, Validation validation,
                         std::string_view way_around, LintReport& report) {
  bool let_pass = false;
  for (std::size_t i = 0; i < links.size(); ++i) {
    LinkDescription& link = links[i];
    if (!link.inertial || !IsFinite(*link.inertial)) continue;
    const int errors_before = report.errors();
    LinkJudge judge(link, effects[i], validation, way_around, report);
    if (judge.Judge()) let_pass = true;
    if (report.errors() != errors_before) link.incomplete = true;
  }
  return let_pass;
}

}  // namespace torqued
