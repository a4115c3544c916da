#include "core/formats/urdf.h"

#include <tinyxml2.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "core/formats/element_reader.h"

namespace torqued {
namespace {

using tinyxml2::XMLElement;
using enum Need;

Pose ReadOrigin(const ElementReader& element) {
  const auto origin = element.Leaf("origin", {"xyz", "rpy", "quat_xyzw"});
  if (!origin) return {};
  if (origin->Text("quat_xyzw")) {
    origin->Report(
        LintCode::kUnsupportedAttribute, origin->line(),
        " has its rotation as quat_xyzw, which is not read; write it as rpy.");
  }
  constexpr std::array kNone = {0., 0., 0.};
  return Pose::FromXyzRpy(origin->Vector("xyz").value_or(kNone),
                          origin->Vector("rpy").value_or(kNone));
}

LinkInertial ReadInertial(ElementReader element) {
  element.Expect({}, {"origin", "mass", "inertia"});
  LinkInertial inertial{.origin = ReadOrigin(element), .line = element.line()};
  if (const auto mass = element.Leaf("mass", {"value"}, kRequired)) {
    inertial.mass = mass->Number("value", kRequired).value_or(0);
  }
  if (const auto inertia = element.Leaf(
          "inertia", {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}, kRequired)) {
    double* moment = inertial.inertia.data();
    for (const char* name : {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}) {
      *moment++ = inertia->Number(name, kRequired).value_or(0);
    }
  }
  return inertial;
}

void ReadLink(const XMLElement& xml, RobotDescription& robot) {
  const char* name = xml.Attribute("name");
  LinkDescription link;
  if (name != nullptr) link.name = name;
  Subject subject = About(link, robot.report);
  if (name == nullptr) subject.phrase = "A link";
  ElementReader element(xml, subject);
  element.Expect({"name"}, {"inertial"}, {"visual", "collision"});
  element.Text("name", kRequired);
  link.line = element.line();
  if (const auto inertial = element.Child("inertial")) {
    link.inertial = ReadInertial(*inertial);
  }
  link.incomplete = subject.failed;
  // No joint can name a link that has no name.
  if (name != nullptr) robot.links.push_back(std::move(link));
}

std::string ReadLinkName(const ElementReader& joint, const char* role) {
  const auto element = joint.Leaf(role, {"link"}, kRequired);
  if (!element) return {};
  return std::string(element->Text("link", kRequired).value_or(""));
}

// Nothing, after a finding, for a type that cannot be used.
std::optional<JointDescription::Type> ReadJointType(
    const ElementReader& joint) {
  using Type = JointDescription::Type;
  const auto text = joint.Text("type", kRequired);
  if (!text) return std::nullopt;
  if (*text == "revolute") return Type::kRevolute;
  if (*text == "continuous") return Type::kContinuous;
  if (*text == "prismatic") return Type::kPrismatic;
  if (*text == "fixed") return Type::kFixed;
  const bool is_urdf = *text == "floating" || *text == "planar";
  joint.Report(
      is_urdf ? LintCode::kUnsupportedJoint : LintCode::kUnknownJointType,
      joint.line(), " has the type ", Quoted(*text),
      is_urdf ? ", which is not supported; write it as prismatic and revolute "
                "joints one after another, or as fixed."
              : ", which URDF does not know; use revolute, continuous, "
                "prismatic or fixed.");
  return std::nullopt;
}

// Position limits. With `other` given and this one not, URDF's default is 0.
void DefaultToZero(ElementReader& limit, const char* name,
                   std::optional<double>& value, const char* other) {
  if (limit.Text(name) || !limit.Text(other)) return;
  value = 0;
  limit.ReportKind(LintCode::kMissingLimit, limit.line(),
                   Cat(name, " for ", other), " has '", other, "' but no '",
                   name,
                   "' in <limit>, which is then 0 as URDF says; write it.");
}

void ReadLimits(const ElementReader& element, JointDescription& joint) {
  const bool is_bounded = joint.type != JointDescription::Type::kContinuous;
  auto limit = element.Child("limit");
  if (!limit) {
    if (!is_bounded) return;
    element.ReportKind(
        LintCode::kMissingLimit, element.line(), "no limit",
        " has no <limit>, so its position, velocity and effort are unlimited; "
        "add it with lower, upper, velocity and effort.");
    return;
  }
  joint.limit_line = limit->line();
  if (is_bounded) {
    limit->Expect({"lower", "upper", "effort", "velocity"}, {});
    joint.limits.lower = limit->Number("lower");
    joint.limits.upper = limit->Number("upper");
    DefaultToZero(*limit, "lower", joint.limits.lower, "upper");
    DefaultToZero(*limit, "upper", joint.limits.upper, "lower");
    if (!limit->Text("lower") && !limit->Text("upper")) {
      limit->ReportKind(
          LintCode::kMissingLimit, limit->line(), "neither",
          " has neither 'lower' nor 'upper' in <limit>, so its position is "
          "unlimited; add them, or make the joint continuous.");
    }
  } else {
    limit->Expect({"effort", "velocity"}, {});
  }
  joint.limits.effort = limit->Number("effort");
  joint.limits.velocity = limit->Number("velocity");
  for (const char* name : {"effort", "velocity"}) {
    if (limit->Text(name)) continue;
    limit->ReportKind(LintCode::kMissingLimit, limit->line(), name, " has no '",
                      name, "' in <limit>, so its ", name,
                      " is unlimited; add it.");
  }
}

void ReadMimic(const ElementReader& element, JointDescription& joint) {
  const auto mimic = element.Leaf("mimic", {"joint", "multiplier", "offset"});
  if (!mimic) return;
  const double multiplier = mimic->Number("multiplier").value_or(1);
  const double offset = mimic->Number("offset").value_or(0);
  const auto leader = mimic->Text("joint", kRequired);
  if (!leader) return;
  joint.mimic = {std::string(*leader), multiplier, offset, mimic->line()};
}

// The elements that only a moving joint has.
void ReadMotion(const ElementReader& element, JointDescription& joint) {
  if (const auto axis = element.Leaf("axis", {"xyz"})) {
    joint.axis_line = axis->line();
    joint.axis = axis->Vector("xyz", kRequired).value_or(joint.axis);
  }
  ReadLimits(element, joint);
  if (const auto terms = element.Leaf("dynamics", {"damping", "friction"})) {
    joint.dynamics_line = terms->line();
    joint.damping = terms->Number("damping").value_or(0);
    joint.friction = terms->Number("friction").value_or(0);
  }
  ReadMimic(element, joint);
}

void ReadJoint(const XMLElement& xml, RobotDescription& robot) {
  const char* name = xml.Attribute("name");
  JointDescription joint;
  if (name != nullptr) joint.name = name;
  Subject subject = About(joint, robot.report);
  if (name == nullptr) subject.phrase = "A joint";
  ElementReader element(xml, subject);
  element.Text("name", kRequired);
  joint.line = element.line();
  const auto type = ReadJointType(element);
  // An unusable type counts as fixed, so that the rest can still be checked.
  joint.type = type.value_or(JointDescription::Type::kFixed);
  if (type == JointDescription::Type::kFixed) {
    element.Expect({"name", "type"}, {"parent", "child", "origin"});
  } else {
    element.Expect({"name", "type"}, {"parent", "child", "origin", "axis",
                                      "limit", "dynamics", "mimic"});
  }
  joint.parent = ReadLinkName(element, "parent");
  joint.child = ReadLinkName(element, "child");
  joint.origin = ReadOrigin(element);
  if (joint.type != JointDescription::Type::kFixed) ReadMotion(element, joint);
  joint.incomplete = subject.failed;
  robot.joints.push_back(std::move(joint));
}

// The first <mechanicalReduction> among the children and grandchildren.
std::string FindReduction(const XMLElement& transmission) {
  const char* const kName = "mechanicalReduction";
  const XMLElement* found = transmission.FirstChildElement(kName);
  for (const auto* child = transmission.FirstChildElement();
       child != nullptr && found == nullptr;
       child = child->NextSiblingElement()) {
    found = child->FirstChildElement(kName);
  }
  if (found == nullptr || found->GetText() == nullptr) return {};
  double value = 0;
  const std::string_view text = found->GetText();
  return ParseNumbers(text, {&value, 1}).empty() ? NumberText(value)
                                                 : Quoted(text);
}

void ReadTransmission(const XMLElement& xml, LintReport& report) {
  Subject subject{report, {}, "Transmission "};
  const ElementReader element(xml, subject);
  const auto joint_element = element.Child("joint");
  const auto joint = joint_element ? joint_element->Text("name") : std::nullopt;
  subject.place.joint = joint.value_or("");
  const std::string reduction = FindReduction(xml);
  element.ReportKind(
      LintCode::kTransmissionRead, element.line(), {},
      Quoted(element.Text("name").value_or("")),
      joint ? Cat(" of joint ", Quoted(*joint)) : "",
      reduction.empty() ? " states no mechanical reduction; it is not applied"
                        : Cat(" states the mechanical reduction ", reduction,
                              ", which is not applied"),
      ": torques are those at the joint and the rotor has no inertia.");
}

bool CheckCounts(const XMLElement& root, const UrdfLimits& limits,
                 LintReport& report) {
  int links = 0, joints = 0;
  for (const auto* child = root.FirstChildElement(); child != nullptr;
       child = child->NextSiblingElement()) {
    const std::string_view name = child->Name();
    if (name == "link") ++links;
    if (name == "joint") ++joints;
  }
  const auto check = [&](LintCode code, std::string_view what, int count,
                         int most) {
    if (count <= most) return;
    report.Add(code, {.line = root.GetLineNum()},
               Cat("The robot has ", count, " ", what, "; at most ", most,
                   " are accepted."));
  };
  check(LintCode::kTooManyLinks, "links", links, limits.links);
  check(LintCode::kTooManyJoints, "joints", joints, limits.joints);
  return report.ok();
}

void ReadRobot(const XMLElement& root, RobotDescription& robot) {
  Subject subject{robot.report, {}, "The robot"};
  ElementReader element(root, subject);
  element.Expect({"name", "version"}, {},
                 {"link", "joint", "material", "transmission"});
  element.Text("name", kRequired);
  const auto version = element.Text("version");
  if (version && *version != "1.0" && *version != "1") {
    element.Report(LintCode::kIgnoredAttribute, element.line(),
                   " has version=", Quoted(*version),
                   ", which is ignored; it is read as URDF 1.0.");
  }
  for (const auto* child = root.FirstChildElement(); child != nullptr;
       child = child->NextSiblingElement()) {
    const std::string_view name = child->Name();
    if (name == "link") ReadLink(*child, robot);
    if (name == "joint") ReadJoint(*child, robot);
    if (name == "transmission") ReadTransmission(*child, robot.report);
  }
}

std::string_view ParseProblem(tinyxml2::XMLError error) {
  switch (error) {
    case tinyxml2::XML_ERROR_EMPTY_DOCUMENT:
      return "The source is empty; give the text of a URDF file.";
    case tinyxml2::XML_ERROR_MISMATCHED_ELEMENT:
      return "An element is not closed, or closed by another one's end tag.";
    case tinyxml2::XML_ERROR_PARSING_ATTRIBUTE:
      return "An attribute is given twice, has no quotes, or is cut off.";
    case tinyxml2::XML_ERROR_PARSING_TEXT:
      return "Text stands outside the root element, or is cut off.";
    case tinyxml2::XML_ERROR_PARSING_COMMENT:
      return "A comment is not closed.";
    case tinyxml2::XML_ERROR_PARSING_CDATA:
      return "A CDATA section is not closed.";
    case tinyxml2::XML_ERROR_PARSING_DECLARATION:
      return "A <?...?> declaration is not closed, or not at the beginning.";
    case tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED:
      return "Elements are nested too deeply; URDF needs a handful of levels.";
    default:
      return "The source is not well-formed XML, or is cut off.";
  }
}

// The <robot> element of a source within the limits, or null after a finding.
const XMLElement* FindRobot(std::string_view source, const UrdfLimits& limits,
                            tinyxml2::XMLDocument& document,
                            LintReport& report) {
  const auto refuse = [&report](LintCode code, int line, const auto&... why) {
    report.Add(code, {.line = line}, Cat(why...));
    return nullptr;
  };
  if (!CheckXmlSource(source, limits, report)) return nullptr;
  if (const auto error = document.Parse(source.data(), source.size());
      error != tinyxml2::XML_SUCCESS) {
    return refuse(LintCode::kMalformedXml, document.ErrorLineNum(),
                  ParseProblem(error));
  }
  const XMLElement* root = document.RootElement();
  if (root == nullptr) {
    return refuse(LintCode::kNotARobot, 0,
                  "The source has no element; URDF has <robot> as its root.");
  }
  if (std::string_view(root->Name()) != "robot") {
    return refuse(LintCode::kNotARobot, root->GetLineNum(),
                  "The root element is <", Printable(root->Name(), 64),
                  ">, but URDF has <robot>.");
  }
  for (const auto* node = document.FirstChild(); node != nullptr;
       node = node->NextSibling()) {
    if (node == root) continue;
    if (node->ToElement() == nullptr && node->ToText() == nullptr) continue;
    return refuse(LintCode::kMalformedXml, node->GetLineNum(),
                  "There is more than one element or text at the top of the "
                  "source; one <robot> must hold everything.");
  }
  return CheckCounts(*root, limits, report) ? root : nullptr;
}

// Fowler, Noll and Vo's hash (FNV-1a).
std::uint64_t SeedOf(std::string_view source) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const char c : source) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  }
  return hash;
}

}  // namespace

LoadResult LoadUrdf(std::string_view source, const BuildOptions& options,
                    const UrdfLimits& limits) {
  RobotDescription robot{.name = "robot"};
  tinyxml2::XMLDocument document;
  const XMLElement* root = FindRobot(source, limits, document, robot.report);
  if (root == nullptr) {
    robot.report.Sort();
    return {nullptr, std::move(robot.report)};
  }
  if (const char* name = root->Attribute("name")) robot.name = name;
  robot.line = root->GetLineNum();
  robot.seed = SeedOf(source);
  ReadRobot(*root, robot);
  return BuildModel(std::move(robot), options);
}

}  // namespace torqued
