// Every finding, provoked in a robot that has none by itself.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/text.h"
#include "core/formats/urdf.h"
#include "tests/core/formats/small_arm.h"

namespace torqued {
namespace {

using enum LintCode;

struct LintCase {
  std::string_view message;  // part of it
  std::string_view about;    // joint/link
  Edits edits;
  std::string_view at;  // on its line; empty: that of the first edit
  int others;           // further findings that come with the defect
  Edits twin;           // a near miss, which has no such finding
};

LintCase Case(std::string_view message, std::string_view about,
              const Edits& edits, std::string_view at = {}, int others = 0,
              const Edits& twin = {}) {
  return {message, about, edits, at, others, twin};
}

// Texts of the small arm and what may take their place.
constexpr char kShoulder[] = "<joint name='shoulder' type='revolute'>";
constexpr char kElbow[] = "<joint name='elbow' type='prismatic'>";
constexpr char kFlange[] = "<joint name='flange' type='fixed'>";
constexpr char kAxis[] = "<axis xyz='0 1 0'/>";
constexpr char kRange[] = "lower='-2' upper='2.5' ";
constexpr char kLimit[] =
    "<limit lower='-2' upper='2.5' effort='30' velocity='3'/>";
constexpr char kUpperInertial[] =
    "<inertial><origin xyz='0 0 0.2' rpy='0 0 0'/>";
constexpr char kUpperMass[] = "<mass value='2'/>";
constexpr char kUpperMoments[] =
    "ixx='0.03' ixy='0' ixz='0' iyy='0.03' iyz='0' izz='0.01'";
constexpr char kUpperTensor[] =
    "<inertia ixx='0.03' ixy='0' ixz='0' iyy='0.03' iyz='0' izz='0.01'/>";
constexpr char kInertia[] =
    "ixx='0.01' ixy='0' ixz='0' iyy='0.01' iyz='0' izz='0.002'";
constexpr char kNoInertia[] = "ixx='0' ixy='0' ixz='0' iyy='0' iyz='0' izz='0'";
constexpr char kLowerMass[] = "<mass value='1.25'/>";
constexpr char kMassless[] = "<mass value='0'/>";
constexpr char kBase[] = "<link name='base'/>";
constexpr char kTool[] = "<link name='tool'/>";
constexpr char kElbowEnd[] = "velocity='4'/>";
constexpr char kEnd[] = "</robot>";
constexpr std::pair<const char*, const char*> kElbowTurns = {"type='prismatic'",
                                                             "type='revolute'"},
                                              kShoulderHasNoEnd = {
                                                  "type='revolute'",
                                                  "type='continuous'"};

std::string PointOf(const char* mass, const char* name) {
  return Cat("<link name='", name, "'><inertial><mass value='", mass,
             "'/><inertia ", kNoInertia, "/></inertial></link>");
}

std::map<LintCode, std::vector<LintCase>> Cases() {
  return {
      {kMalformedXml,
       {Case("cut off", "/", {{kEnd, ""}}, "<robot"),
        Case("not closed", "/", {{kBase, "<link name='base'>"}}),
        Case("given twice", "/", {{"value='2'", "value='2' value='3'"}}),
        Case("must hold", "/", {{kEnd, "</robot><robot name='again'/>"}}),
        Case("'&two;'", "/", {{"value='2'", "value='&two;'"}})}},
      {kNotARobot,
       {Case("<sdf>", "/",
             {{"<robot name='small_arm'", "<sdf"}, {kEnd, "</sdf>"}})}},
      {kXacroNotExpanded,
       {Case("xacro", "/",
             {{kTool, Cat("<xacro:include filename='a'/>", kTool)}}),
        Case("expand", "/upper", {{kUpperMass, "<xacro:mass/>"}}, "", 1)}},
      {kMissingAttribute,
       {Case("'name'", "/", {{"name='small_arm'", ""}}),
        Case("'name'", "/", {{kTool, Cat("<link />", kTool)}}),
        Case("'name'", "/", {{"name='flange'", ""}}),
        Case("'type'", "elbow/", {{"type='prismatic'", ""}}),
        Case("'value'", "/upper", {{"value='2'", ""}}),
        Case("'iyz'", "/upper", {{"iyz='0' izz='0.01'", "izz='0.01'"}}),
        Case("'xyz'", "shoulder/", {{kAxis, "<axis/>"}}),
        Case("'joint'", "elbow/", {{kElbowEnd, Cat(kElbowEnd, "<mimic/>")}})}},
      {kMissingElement,
       {Case("<mass>", "/upper", {{kUpperMass, ""}}, kUpperInertial),
        Case("<inertia>", "/upper", {{kUpperTensor, ""}}, kUpperInertial),
        Case("<parent>", "elbow/", {{"<parent link='upper'/>", ""}}, kElbow),
        Case("<child>", "flange/", {{"<child link='tool'/>", ""}}, kFlange,
             1)}},
      {kUnsupportedAttribute,
       {Case("quat_xyzw", "shoulder/",
             {{"'0 0 0.1' rpy='0 0 0'", "'0 0 0.1' quat_xyzw='0 0 0 1'"}})}},
      {kInvalidName,
       {Case("empty", "/",
             {{"name='tool'", "name=''"}, {"link='tool'", "link=''"}}),
        Case("U+202E at byte 2", "/to\\u202eol",
             {{"name='tool'", "name='to\u202Eol'"},
              {"link='tool'", "link='to\u202Eol'"}}),
        Case("U+0007 at byte 3", "fla\\x07nge/", {{"'flange'", "'fla&#7;nge'"}},
             "", 0, {{"'flange'", "'fla nge'"}})}},
      {kDuplicateName,
       {Case("'tool'", "/tool", {{kTool, Cat(kTool, "\n<link  name='tool'/>")}},
             "<link  name"),
        Case("'elbow'", "elbow/", {{"'flange'", "'elbow'"}})}},
      {kInvalidNumber,
       {Case("'1,25' is not a number", "/lower", {{"'1.25'", "'1,25'"}}),
        Case("not finite", "/upper", {{"value='2'", "value='nan'"}}),
        Case("range", "/upper", {{"izz='0.01'", "izz='1e999'"}}),
        Case("2 numbers where 3", "shoulder/", {{"'0 1 0'", "'0 1'"}}),
        Case("beyond the range", "shoulder/upper",
             {{"'0 0 0.2' rpy", "'0 0 1e200' rpy"}}, kShoulder, 0,
             {{"'0 0 0.2' rpy", "'0 0 1e20' rpy"}}),
        Case("position of link 'tip'", "/tip",
             {{"'0 0 0.4' rpy", "'0 0 1e308' rpy"},
              {"'0 0 0.3' rpy", "'0 0 1.5e308' rpy"},
              {kEnd,
               "<link name='tip'/>\n<joint name='flange2' "
               "type='fixed'><origin "
               "xyz='0 0 1.5e308'/><parent link='tool'/><child "
               "link='tip'/></joint></robot>"}},
             "<link name='tip'", 1)}},
      {kUnknownLink,
       {Case("'uper'", "elbow/uper",
             {{"<parent link='upper'/>", "<parent link='uper'/>"}}, kElbow),
        Case("'tol'", "flange/tol", {{"link='tool'", "link='tol'"}}, kFlange,
             1)}},
      {kUnknownJointType,
       {Case("'slider'", "elbow/", {{"'prismatic'", "'slider'"}})}},
      {kUnsupportedJoint,
       {Case("'floating'", "elbow/", {{"'prismatic'", "'floating'"}}),
        Case("'planar'", "elbow/", {{"'prismatic'", "'planar'"}})}},
      {kTwoParents,
       {Case("'elbow'", "strut/lower",
             {{kEnd,
               "<joint name='strut' type='fixed'><parent link='base'/><child "
               "link='lower'/></joint></robot>"}},
             "strut")}},
      {kSeveralRoots,
       {Case("'base', 'loose'", "/loose",
             {{kEnd, "<link name='loose'/></robot>"}})}},
      {kCycle,
       {Case("'elbow', 'flange'", "elbow/lower",
             {{"<parent link='upper'/>", "<parent link='tool'/>"}}, kElbow)}},
      {kUnreachableLink,
       {Case("'tool' cannot be reached", "flange/tool",
             {{"<parent link='upper'/>", "<parent link='lower'/>"}}, kTool,
             1)}},
      {kZeroAxis, {Case("0 0 0", "shoulder/", {{"'0 1 0'", "'0 0 0'"}})}},
      {kNonUnitAxis,
       {Case("length 2", "shoulder/", {{"'0 1 0'", "'0 2 0'"}}, "", 0,
             {{"'0 1 0'", "'0.7071 0.7071 0'"}})}},
      {kMissingLimit,
       {Case("no <limit>", "shoulder/", {{kLimit, ""}}, kShoulder, 0,
             {{kLimit, ""}, kShoulderHasNoEnd}),
        Case("neither", "shoulder/", {{kRange, ""}}, "", 0,
             {{kRange, ""}, kShoulderHasNoEnd}),
        Case("'upper' but no 'lower'", "elbow/", {{"lower='0' ", ""}}),
        Case("'lower' but no 'upper'", "shoulder/", {{"upper='2.5' ", ""}}),
        Case("no 'effort'", "shoulder/", {{"effort='30'", ""}}),
        Case("no 'velocity'", "shoulder/", {{"velocity='3'", ""}})}},
      {kInvalidLimit,
       {Case("lower limit 2.75 above its upper limit 2.5", "shoulder/",
             {{"'-2'", "'2.75'"}}, "", 0, {{"'-2'", "'2.5'"}}),
        Case("negative effort limit -30", "shoulder/", {{"'30'", "'-30'"}}, "",
             0, {{"'30'", "'0'"}}),
        Case("negative velocity limit -3", "shoulder/", {{"'3'", "'-3'"}})}},
      {kNegativeFriction,
       {Case("-0.5", "shoulder/",
             {{kAxis, Cat(kAxis, "\n<dynamics damping='-0.5'/>")}},
             "<dynamics"),
        Case("-2", "shoulder/",
             {{kAxis, Cat(kAxis, "<dynamics friction='-2'/>")}})}},
      {kNegativeMass,
       {Case("-2 kg", "/upper", {{"value='2'", "value='-2'"}}, kUpperInertial),
        // What an unknown joint carries is not fixed to the base.
        Case("-2 kg", "/upper",
             {{"value='2'", "value='-2'"}, {"'revolute'", "'revolut'"}},
             kUpperInertial, 1)}},
      {kNegativeInertia,
       {Case("-0.01 kg", "/upper", {{"izz='0.01'", "izz='-0.01'"}},
             kUpperInertial, 0, {{"izz='0.01'", "izz='0'"}}),
        // Indefinite.
        Case("-0.01 kg", "/upper",
             {{"ixx='0.03' ixy='0'", "ixx='0.03' ixy='0.04'"}}, kUpperInertial,
             0, {{"ixx='0.03' ixy='0'", "ixx='0.03' ixy='0.01'"}})}},
      {kTriangleInequality,
       {Case("0.07", "/upper", {{"izz='0.01'", "izz='0.07'"}}, kUpperInertial,
             0, {{"izz='0.01'", "izz='0.06'"}})}},
      {kMasslessJoint,
       {Case("moves no mass", "elbow/lower", {{kLowerMass, kMassless}}, kElbow,
             0, {{kLowerMass, "<mass value='1e-9'/>"}}),
        // A point mass on the axis.
        Case("no inertia about its axis", "elbow/lower",
             {kElbowTurns, {kInertia, kNoInertia}}, "", 0,
             {kElbowTurns,
              {kInertia, kNoInertia},
              {"'0 0 0.15'", "'1e-3 0 0.15'"}})}},
      {kIllConditionedMass,
       {Case(
            "condition number", "elbow/lower",
            {kElbowTurns,
             {kLowerMass, "<mass value='1e-6'/>"},
             {kInertia, "ixx='0' ixy='0' ixz='0' iyy='0' iyz='0' izz='1e-10'"}},
            "", 1, {kElbowTurns}),
        // Two turning joints on one axis with nothing between.
        Case("singular", "shoulder/upper",
             {{"type='prismatic'", "type='continuous'"},
              {"<limit lower='0' upper='0.3' effort='20' velocity='4'/>", ""},
              {"<axis xyz='0 0 1'/>", "<axis xyz='0 1 0' />"},
              {"<origin xyz='0 0 0.4'", "<origin xyz='0 0 0'"},
              {kUpperMass, kMassless},
              {kUpperMoments, kNoInertia}},
             kShoulder)}},
      {kIgnoredElement,
       {Case("<gazebo>", "/", {{kEnd, "<gazebo><static/></gazebo></robot>"}}),
        Case("<safety_controller>", "shoulder/",
             {{kAxis, Cat(kAxis, "<safety_controller/>")}}),
        Case("did you mean 'origin'?", "elbow/",
             {{"<origin xyz='0 0 0.4'", "<orgin xyz='0 0 0.4'"}}),
        Case("second <inertial>", "/lower",
             {{"</link>\n  <link name='tool'/>",
               "<inertial/></link>\n  <link name='tool'/>"}}),
        Case("<visual>", "/", {{kEnd, "<visual/></robot>"}}),
        Case("<axis>", "flange/",
             {{"<parent link='lower'/>",
               "<parent link='lower'/><axis xyz='0 0 0'/>"}}),
        Case("'3'", "/upper", {{kUpperMass, "<mass value='2'>3</mass>"}})}},
      {kIgnoredAttribute,
       {Case("current='10'", "shoulder/",
             {{"velocity='3'", "velocity='3' current='10'"}}),
        Case("armature='0.1'", "shoulder/",
             {{kAxis, Cat(kAxis, "<dynamics armature='0.1'/>")}}),
        Case("upper='2.5'", "shoulder/",
             {{kRange, "upper='2.5' "}, kShoulderHasNoEnd}),
        Case("'1.2'", "/", {{"'small_arm'", "'small_arm' version='1.2'"}}, "",
             0,
             {{"'small_arm'",
               "'small_arm' version='1.0' xmlns:xacro='http://a'"}})}},
      {kUnknownMimicTarget,
       {Case("'elbw'", "elbow/",
             {{kElbowEnd, Cat(kElbowEnd, "<mimic joint='elbw'/>")}}),
        Case("fixed", "elbow/",
             {{kElbowEnd, Cat(kElbowEnd, "<mimic joint='flange'/>")}}),
        Case("itself", "elbow/",
             {{kElbowEnd, Cat(kElbowEnd, "<mimic joint='elbow'/>")}})}},
      {kMimicIndependent,
       {Case("independent", "elbow/",
             {{kElbowEnd, Cat(kElbowEnd, "<mimic joint='shoulder'/>")}})}},
      {kFrictionOffByDefault,
       {Case("'shoulder' has damping", "shoulder/",
             {{kAxis, Cat(kAxis, "<dynamics damping='0.5'/>")}}, kShoulder, 0,
             {{kAxis, Cat(kAxis, "<dynamics damping='0' friction='0'/>")}}),
        Case("and 1 more", "shoulder/",
             {{kAxis, Cat(kAxis, "<dynamics friction='1'/>")},
              {"'0 0 1'/>", "'0 0 1'/><dynamics damping='1'/>"}},
             kShoulder)}},
      {kFixedMass,
       {Case("has 3 kg", "/base", {{kBase, PointOf("3", "base")}}, "", 0,
             {{kBase, PointOf("0", "base")}}),
        Case("'base' and 1 more have 3 kg", "/base",
             {{kBase, Cat(PointOf("1.5", "base"), PointOf("1.5", "stand"),
                          "<joint name='foot' type='fixed'><parent "
                          "link='base'/><child link='stand'/></joint>")}})}},
      {kTransmissionRead,
       {Case("50", "elbow/",
             {{kEnd,
               "<transmission name='gear'><type>simple</type><joint "
               "name='elbow'/><actuator "
               "name='m'><mechanicalReduction>50</mechanicalReduction></"
               "actuator></transmission></robot>"}})}},
  };
}

void ExpectFound(LintCode code, const LintCase& is) {
  const std::string text = Edited(is.edits);
  const auto& [from, to] = is.edits[0];
  SCOPED_TRACE(Cat(ToString(code), " of ", to, " for ", from));
  const LoadResult result = LoadUrdf(text);
  const Finding* found = nullptr;
  std::string all;
  for (const Finding& f : result.report.findings()) {
    all += Cat(ToString(f.code), ": ", f.message, "\n");
    const bool fits = f.code == code && Cat(f.joint, "/", f.link) == is.about &&
                      f.message.find(is.message) != std::string::npos;
    if (fits && found == nullptr) found = &f;
  }
  // One mistake is one finding.
  EXPECT_EQ(result.report.findings().size(), 1u + is.others) << all;
  EXPECT_EQ(result.model == nullptr, !result.report.ok());
  EXPECT_EQ(result.model == nullptr, code <= kUnknownTip);
  ASSERT_NE(found, nullptr) << "findings were:\n" << all;
  EXPECT_EQ(found->severity, DefaultSeverity(code));
  EXPECT_TRUE(found->message.ends_with('.') || found->message.ends_with('?'))
      << found->message;
  EXPECT_EQ(found->line,
            is.at.empty() ? LineOf(kSmallArm, from) : LineOf(text, is.at))
      << all;
  const LoadResult twin = LoadUrdf(Edited(is.twin));
  for (const Finding& f : twin.report.findings()) {
    EXPECT_NE(f.code, code) << "of the twin: " << f.message;
  }
}

TEST(UrdfLint, EachDefectIsFoundWithItsPlaceAndItsTwinHasNone) {
  auto cases = Cases();
  for (const auto& [code, of_code] : cases) {
    for (const LintCase& is : of_code) ExpectFound(code, is);
  }
  // Limits and the default tip have theirs in urdf_test.cc, poses and
  // inertias that no URDF can state in description_checks_test.cc and
  // screw_axes_test.cc.
  for (const LintCode elsewhere :
       {kSourceTooLarge, kTooManyLinks, kTooManyJoints, kUnknownTip,
        kInvalidPose, kInvalidInertia}) {
    cases[elsewhere];
  }
  EXPECT_EQ(cases.size(), kLintCodeCount);
}

}  // namespace
}  // namespace torqued
