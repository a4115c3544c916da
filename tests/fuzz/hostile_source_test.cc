// Robot descriptions that are hostile by their size: refused with reason and
// place, quickly and in little memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "server/registry/sqlite_store.h"
#include "server/services/parsing_room.h"
#include "server/services/registry_handlers.h"
#include "tests/fuzz/large_inputs.h"
#include "tests/fuzz/refusal.h"
#include "tests/server/robots.h"
#include "tests/server/temp_dir.h"

namespace torqued::fuzz {
namespace {

using namespace torqued::server;  // NOLINT(google-build-using-namespace)
using std::string_literals::operator""s;
using std::string_view_literals::operator""sv;

// Just under what a source may have.
constexpr std::size_t kFull = (8u << 20) - 1000;

/// As often as it fits into a source.
std::string Full(std::string_view text) {
  return Repeated(text, kFull / text.size());
}

std::string InRobot(std::string_view body) {
  return "<robot name='r'>" + std::string(body) + "</robot>";
}

/// Links l0..ln, one behind the other.
std::string Chain(int n) {
  std::string body = "<link name='l0'/>";
  std::string before = "0";
  for (int k = 1; k <= n; ++k) {
    const std::string i = std::to_string(k);
    for (const std::string_view piece :
         {"<link name='l"sv, std::string_view(i), "'/><joint name='j"sv,
          std::string_view(i), "' type='fixed'><parent link='l"sv,
          std::string_view(before), "'/><child link='l"sv, std::string_view(i),
          "'/></joint>"sv}) {
      body += piece;
    }
    before = i;
  }
  return InRobot(body);
}

std::string Numbered(std::size_t count,
                     const std::function<std::string(std::string)>& item) {
  std::string all;
  for (std::size_t k = 0; k < count; ++k) all += item(std::to_string(k));
  return all;
}

/// UTF-16 or UTF-32 of ASCII text, with a byte order mark.
std::string Wide(std::string_view text, int bytes) {
  std::string wide = bytes == 2 ? "\xFF\xFE"s : "\xFF\xFE\0\0"s;
  for (const char c : text) {
    wide += c;
    wide.append(static_cast<std::size_t>(bytes - 1), '\0');
  }
  return wide;
}

/// Of a link that a joint moves: what is fixed to the base enters no answer.
std::string MassOf(std::string_view mass) {
  return InRobot(
      "<link name='base'/><joint name='j' type='continuous'>"
      "<parent link='base'/><child link='a'/></joint>"
      "<link name='a'><inertial><mass value='" +
      std::string(mass) +
      "'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>"
      "</inertial></link>");
}

struct Source {
  std::string name;
  std::function<std::string()> text;
  std::string code;  // of the first error; empty: too large to be looked at
};

void PrintTo(const Source& source, std::ostream* out) { *out << source.name; }

std::vector<Source> Sources() {
  const std::string robot = InRobot("<link name='a'/>");
  const std::string huge(kMegabyte, 'x');
  return {
      {"File77MB", [=] { return robot + std::string(77 * kMegabyte, ' '); },
       ""},
      {"Chain250000", [] { return Chain(250'000); }, ""},
      {"ChainThatFits", [] { return Chain(75'000); }, "too-many-links"},
      {"Nesting200000", [] { return InRobot(Repeated("<a>", 200'000)); },
       "malformed-xml"},
      {"Nesting200000Closed",
       [] {
         return InRobot(Repeated("<a>", 200'000) + Repeated("</a>", 200'000));
       },
       "malformed-xml"},
      {"BillionLaughs",
       [=] {
         std::string text = "<!DOCTYPE r [<!ENTITY l0 'lol'>";
         for (int k = 1; k < 20; ++k) {
           text += "<!ENTITY l" + std::to_string(k) + " '" +
                   Repeated("&l" + std::to_string(k - 1) + ";", 10) + "'>";
         }
         return text + "]><robot name='&l19;'/>";
       },
       "malformed-xml"},
      {"QuadraticEntities",
       [=] {
         return "<!DOCTYPE r [<!ENTITY a '" + huge + "'>]><robot name='" +
                Repeated("&a;", 100'000) + "'/>";
       },
       "malformed-xml"},
      {"ReferencesToNothing",
       [] { return "<robot name='" + Full("&amp;") + "&a;'/>"; },
       "malformed-xml"},
      {"ExternalEntity",
       [] {
         return "<!DOCTYPE r [<!ENTITY a SYSTEM 'file:///etc/passwd'>]>"
                "<robot name='&a;'/>"s;
       },
       "malformed-xml"},
      {"NulBytes", [] { return std::string(kFull, '\0'); }, "malformed-xml"},
      {"NulByteAtTheEnd",
       [=] { return robot + std::string(kFull - 1000, '\n') + "\0"s; },
       "malformed-xml"},
      {"Utf16", [=] { return Wide(robot, 2); }, "malformed-xml"},
      {"Utf32", [=] { return Wide(robot, 4); }, "malformed-xml"},
      {"Latin1AtTheEnd",
       [=] { return robot + std::string(kFull - 1000, '\n') + "<!--\xFC-->"; },
       "malformed-xml"},
      {"RobotNameOfAMegabyte",
       [=] { return "<robot name='" + huge + "'><link name='a'/></robot>"; },
       "invalid-name"},
      {"LinkNameOfAMegabyte",
       [=] { return InRobot("<link name='" + huge + "'/>"); }, "invalid-name"},
      {"JointOfMegabytes",
       [=] {
         return InRobot("<link name='a'/><joint name='" + huge + "' type='" +
                        huge + "'><parent link='" + huge + "'/><child link='" +
                        huge + "'/></joint>");
       },
       "unknown-joint-type"},
      {"ElementNameOfMegabytes", [=] { return "<" + Repeated(huge, 8) + "/>"; },
       "not-a-robot"},
      {"NumberOfMegabytes",
       [] { return MassOf("1" + std::string(kFull - 1000, '0')); },
       "invalid-number"},
      {"FractionOfMegabytes",
       [] { return MassOf("-0." + std::string(kFull - 1000, '1')); },
       "negative-mass"},
      {"ExponentOfMegabytes",
       [] { return MassOf("1e" + std::string(kFull - 1000, '9')); },
       "invalid-number"},
      {"MillionsOfNumbers", [] { return MassOf(Full("1 ").substr(1000)); },
       "invalid-number"},
      {"MillionsOfElements", [] { return InRobot(Full("<a/>").substr(1000)); },
       "source-too-large"},
      {"ElementsThatFit", [] { return InRobot(Repeated("<link/>", 499'000)); },
       "too-many-links"},
      {"MillionsOfDeclarations",
       [] { return Repeated("<!x>", 499'000) + InRobot(""); },
       "missing-element"},
      {"TextsBetweenElements",
       [] { return InRobot(Repeated("word<a/>", 499'000)); },
       "missing-element"},
      {"MisspeltAttributes",
       [] {
         const std::string words = Numbered(60, [](const std::string& i) {
           return " mechanical_reduction_mass_ine" + i + "=''";
         });
         const std::string element = "<joint" + words + "/>";
         return InRobot(Repeated(
             element, std::min<std::size_t>(9'999, kFull / element.size())));
       },
       "missing-attribute"},
      {"Transmissions",
       [] { return InRobot(Repeated("<transmission/>", 499'000)); },
       "missing-element"},
      {"OneNameForAllLinks",
       [] { return InRobot(Repeated("<link name='a'/>", 10'000)); },
       "duplicate-name"},
      {"OneChildForAllJoints",
       [] {
         return InRobot("<link name='a'/><link name='b'/>" +
                        Numbered(10'000, [](const std::string& i) {
                          return "<joint name='j" + i +
                                 "' type='fixed'><parent link='a'/><child "
                                 "link='b'/></joint>";
                        }));
       },
       "two-parents"},
      {"AllRoots",
       [] {
         return InRobot(Numbered(10'000, [](const std::string& i) {
           return "<link name='" + i + std::string(200, 'x') + "'/>";
         }));
       },
       "several-roots"},
      {"CycleOfAllLinks",
       [] {
         return InRobot(Numbered(10'000, [](const std::string& i) {
           return "<link name='" + i + "'/><joint name='" + i +
                  "' type='fixed'><parent link='" +
                  std::to_string((std::stoi(i) + 1) % 10'000) +
                  "'/><child link='" + i + "'/></joint>";
         }));
       },
       "cycle"},
      {"MimicsInACircle",
       [] {
         return InRobot(
             "<link name='a'/>" + Numbered(9'999, [](const std::string& i) {
               return "<link name='" + i + "'/><joint name='" + i +
                      "' type='continuous'><parent link='a'/><child link='" +
                      i + "'/><mimic joint='" +
                      std::to_string((std::stoi(i) + 1) % 9'999) +
                      "'/></joint>";
             }));
       },
       "unknown-mimic-target"},
  };
}

class HostileSource : public ::testing::TestWithParam<Source> {
 protected:
  HostileSource()
      : registry_(std::get<std::unique_ptr<ModelStore>>(
            OpenSqliteStore(directory_.File("models.db")))) {
    // What the first calls of a process take is none of the source's: one that
    // is refused, and one that is not.
    for (const std::string source : {"<robot", kThreeJoints}) {
      v1::RegisterModelRequest request;
      request.set_name("first");
      request.set_source(source);
      v1::RegisterModelReply reply;
      (void)Handle(registry_, request, &reply);
    }
  }

  TempDir directory_;
  Registry registry_;
};

// Two trees of the parser and the report, beside the source itself.
constexpr std::size_t kMemory = 220 * kMegabyte;

/// What is admitted for a call with a source, and what comes with any.
template <class Request>
std::size_t Admitted(const Request& request) {
  return kMegabyte + static_cast<std::size_t>(RoomFor(request) +
                                              BytesToParse(request.source()));
}

TEST_P(HostileSource, IsRefusedByARegistration) {
  v1::RegisterModelRequest request;
  request.set_name("robot");
  request.set_source(GetParam().text());
  v1::RegisterModelReply reply;
  const Cost cost;
  const auto error = Handle(registry_, request, &reply);
  ExpectCheap(cost, std::min(kMemory, Admitted(request)));
  ASSERT_TRUE(error);
  CheckRefusal(*error, request);
  if (GetParam().code.empty()) {
    EXPECT_EQ(error->reason, v1::REQUEST_TOO_LARGE);
  } else {
    EXPECT_EQ(error->reason, v1::INVALID_MODEL);
    EXPECT_TRUE(error->violations[0].description.starts_with(GetParam().code))
        << error->violations[0].description;
  }
  // The registry lives on.
  request.set_source(kThreeJoints);
  EXPECT_FALSE(Handle(registry_, request, &reply));
}

TEST_P(HostileSource, IsReportedByADryRun) {
  v1::ValidateModelRequest request;
  request.set_source(GetParam().text());
  v1::ValidateModelReply reply;
  const Cost cost;
  const auto error = Handle(registry_, request, &reply);
  ExpectCheap(cost, std::min(kMemory, Admitted(request)));
  ASSERT_FALSE(error);
  EXPECT_FALSE(reply.valid());
  EXPECT_GT(reply.report().errors(), 0u);
  EXPECT_EQ(reply.report().findings(0).code(),
            GetParam().code.empty() ? "source-too-large" : GetParam().code);
  EXPECT_LT(reply.ByteSizeLong(), 3 * kMegabyte);
  // Admitted before: the registry's copy of the source, and the reply twice.
  EXPECT_LE(static_cast<std::int64_t>(request.source().size() +
                                      2 * reply.ByteSizeLong()),
            RoomFor(request));
}

INSTANTIATE_TEST_SUITE_P(All, HostileSource, ::testing::ValuesIn(Sources()),
                         [](const auto& test) { return test.param.name; });

/// A robot of so many links, with joints, masses and long numbers, and so many
/// bytes in each name.
std::string Ordinary(int links, int moving, std::size_t name) {
  const std::string pad(name, 'x');
  std::ostringstream body;
  body << "<link name='" << pad << "0'/>";
  for (int k = 1; k <= links; ++k) {
    const std::string child = pad + std::to_string(k),
                      parent = pad + std::to_string(k - 1),
                      type = k <= moving ? "revolute" : "fixed";
    body << "<joint name='j" << child << "' type='" << type
         << "'><parent link='" << parent << "'/><child link='" << child
         << "'/><origin xyz='0.1 0 0.02' rpy='0 0.25 0'/><axis xyz='0 0 1'/>"
            "<limit effort='1' velocity='1' lower='-1' upper='1'/></joint>"
            "<link name='"
         << child
         << "'><inertial><origin xyz='0.1 0 0'/><mass value='1.2'/><inertia "
            "ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
            "<visual><geometry><mesh filename='package://robot/meshes/"
         << child << ".stl'/></geometry></visual></link>";
  }
  return InRobot(body.str());
}

TEST(OrdinarySource, TakesLessThanIsAdmitted) {
  // What the process takes for the first time is none of it.
  Registry::Load("urdf", Ordinary(100, 100, 4), {});
  for (const auto& [links, moving, name] : {std::tuple{7, 7, 4},
                                            {60, 60, 4},
                                            {1000, 1000, 4},
                                            {1000, 1000, 200},
                                            {9000, 1000, 4},
                                            {5000, 0, 200}}) {
    v1::ValidateModelRequest request;
    request.set_source(Ordinary(links, moving, static_cast<std::size_t>(name)));
    v1::ValidateModelReply reply;
    TempDir directory;
    Registry registry(std::get<std::unique_ptr<ModelStore>>(
        OpenSqliteStore(directory.File("models.db"))));
    const Cost cost;
    EXPECT_FALSE(Handle(registry, request, &reply));
    const std::size_t used = cost.memory();
    std::cout << "  " << request.source().size() << " bytes: " << used
              << " used, " << Admitted(request) << " admitted, "
              << BytesToParse(request.source()) << " to parse\n";
    EXPECT_TRUE(reply.valid());
    if (!kSanitized) {
      EXPECT_LT(used, Admitted(request));
    }
    EXPECT_LE(static_cast<std::int64_t>(request.source().size() +
                                        2 * reply.ByteSizeLong()),
              RoomFor(request));
  }
}

}  // namespace
}  // namespace torqued::fuzz
