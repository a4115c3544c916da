// What is hostile by its size, and too large to lie in a corpus: refused with
// reason and place, quickly and in little memory.
#include <gmock/gmock.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
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

#include "client/cli/errors.h"
#include "client/cli/formats/csv_reader.h"
#include "client/cli/formats/npy_reader.h"
#include "server/registry/sqlite_store.h"
#include "server/services/computation.h"
#include "server/services/parsing_room.h"
#include "server/services/registry_handlers.h"
#include "server/wire/measure_message.h"
#include "tests/fuzz/cost.h"
#include "tests/fuzz/data_error.h"
#include "tests/fuzz/refusal.h"
#include "tests/server/computations.h"
#include "tests/server/get_model.h"
#include "tests/server/robots.h"
#include "tests/server/temp_dir.h"
#include "tests/support/sanitized.h"
#include "torqued/v1/server_info.pb.h"
#include "torqued/v1/trajectory.pb.h"

namespace torqued::fuzz {
namespace {

using namespace torqued::server;  // NOLINT(google-build-using-namespace)
using std::string_literals::operator""s;
using std::string_view_literals::operator""sv;
using ::testing::HasSubstr;

constexpr std::size_t kMegabyte = 1'000'000;
// Just under what a source may have.
constexpr std::size_t kFull = (8u << 20) - 1000;

#ifdef TORQUED_SANITIZED
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

void ExpectCheap(const Cost& cost, std::size_t memory) {
  const double seconds = cost.cpu_seconds();
  const std::size_t used = cost.memory();
  std::cout << "  " << static_cast<int>(seconds * 1000) << " ms, "
            << used / kMegabyte << " MB\n";
  EXPECT_LT(seconds, kSanitized ? 60 : 1);
  if (!kSanitized) {
    EXPECT_LT(used, memory);
  }
}

std::string Repeated(std::string_view text, std::size_t count) {
  std::string all;
  all.reserve(text.size() * count);
  for (std::size_t k = 0; k < count; ++k) all += text;
  return all;
}

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

class HostileRequest : public ::testing::Test {
 protected:
  HostileRequest() {
    request_.add_quantities(v1::QUANTITY_MASS_MATRIX);
    request_.mutable_q()->set_columns(3);
    for (int k = 0; k < 3; ++k) request_.mutable_q()->add_values(0.1 * k);
  }

  void ExpectRefused(v1::Reason reason, const std::string& field) {
    v1::ComputeReply reply;
    const Cost cost;
    auto prepared = PrepareAlone(ViewOf(request_), entry_, "baseline", limits_,
                                 admission_, &reply);
    ExpectCheap(cost, 60 * kMegabyte);
    const auto* error = std::get_if<Error>(&prepared);
    ASSERT_NE(error, nullptr) << "accepted";
    CheckRefusal(*error, request_);
    EXPECT_EQ(error->reason, reason) << error->message;
    if (!field.empty()) {
      EXPECT_EQ(error->violations.at(0).field, field);
    }
  }

  v1::ComputeRequest request_;
  ModelEntry entry_ = ThreeJoints();
  ComputeLimits limits_{kMegabyte, 64 << 20};
  Admission admission_{{16'000'000, 1 << 30}};
};

TEST_F(HostileRequest, ColumnsThatDoNotDivide) {
  request_.mutable_q()->mutable_values()->Resize(3'000'001, 0);
  ExpectRefused(v1::MALFORMED_ARRAY, "q");
}

TEST_F(HostileRequest, AMillionRowsOfZeroColumns) {
  request_.mutable_q()->set_columns(0);
  request_.mutable_q()->mutable_values()->Resize(kMegabyte, 0);
  ExpectRefused(v1::MALFORMED_ARRAY, "q");
}

TEST_F(HostileRequest, ColumnsThatOverflow) {
  for (const std::uint32_t columns : {0x80000000u, 0xFFFFFFFFu, 0x7FFFFFFFu}) {
    request_.mutable_q()->set_columns(columns);
    ExpectRefused(v1::MALFORMED_ARRAY, "q");
  }
}

TEST_F(HostileRequest, MoreRowsThanAllowed) {
  request_.mutable_q()->mutable_values()->Resize(3 * (kMegabyte + 1), 0);
  ExpectRefused(v1::REQUEST_TOO_LARGE, "");
}

TEST_F(HostileRequest, AReplyLargerThanAllowed) {
  request_.mutable_q()->mutable_values()->Resize(3 * kMegabyte, 0);
  ExpectRefused(v1::REQUEST_TOO_LARGE, "");
}

TEST_F(HostileRequest, ARobotWithoutJointsWithAMillionWrenches) {
  entry_.loaded =
      Registry::Load("urdf", "<robot name='s'><link name='a'/></robot>", {});
  request_.clear_q();
  request_.set_quantities(0, v1::QUANTITY_INVERSE_DYNAMICS);
  v1::Array* wrench =
      request_.mutable_tip_wrench_on_environment()->mutable_wrench();
  wrench->set_columns(6);
  wrench->mutable_f32()->resize(4 * 6 * (kMegabyte + 1));
  ExpectRefused(v1::REQUEST_TOO_LARGE, "");
}

TEST_F(HostileRequest, NamesOfAMegabyte) {
  const std::string huge(kMegabyte, '\x01');
  request_.mutable_options()->set_tip_frame(huge);
  request_.add_quantities(v1::QUANTITY_JACOBIAN);
  ExpectRefused(v1::UNKNOWN_FRAME, "options.tip_frame");
  request_.mutable_options()->add_joint_names(huge);
  ExpectRefused(v1::WRONG_JOINT_NAMES, "options.joint_names[0]");
}

TEST_F(HostileRequest, MillionsOfNamesAxesAndQuantities) {
  v1::ComputeRequest plain = request_;
  for (std::size_t k = 0; k < kMegabyte; ++k) {
    request_.mutable_options()->add_joint_names("lift");
  }
  ExpectRefused(v1::WRONG_JOINT_NAMES, "options.joint_names[1]");
  request_ = plain;
  request_.mutable_operational_space()->mutable_axes()->Resize(
      10 * kMegabyte, v1::TASK_AXIS_LINEAR_X);
  ExpectRefused(v1::INVALID_OPTION, "operational_space.axes[1]");
  request_ = plain;
  request_.mutable_quantities()->Resize(10 * kMegabyte,
                                        v1::QUANTITY_MASS_MATRIX);
  ExpectRefused(v1::INVALID_FIELD, "quantities[1]");
  request_ = plain;
  request_.mutable_options()->mutable_terms()->mutable_gravity()->Resize(
      kMegabyte, 0);
  ExpectRefused(v1::INVALID_OPTION, "options.terms.gravity");
}

/// A message in which `element` comes as often as fits into 64 MiB, inside of
/// fields with these tags.
std::string Message(std::string_view element, std::vector<char> tags = {}) {
  constexpr std::size_t kFullMessage = (64u << 20) - 100;
  std::string bytes = Repeated(element, kFullMessage / element.size());
  for (; !tags.empty(); tags.pop_back()) {
    std::string head(1, tags.back());
    for (std::size_t left = bytes.size();; left >>= 7) {
      head += static_cast<char>(left < 128 ? left : (left & 127) | 128);
      if (left < 128) break;
    }
    bytes.insert(0, head);
  }
  return bytes;
}

template <class Request>
OrError<MessageMeasure> MeasuredCheaply(const std::string& bytes) {
  // As the transport brings it.
  constexpr int kPiece = 16 << 10;
  google::protobuf::io::ArrayInputStream in(
      bytes.data(), static_cast<int>(bytes.size()), kPiece);
  const Cost cost;
  auto measured =
      Measure(&in, static_cast<std::int64_t>(bytes.size()), ShapeOf<Request>());
  ExpectCheap(cost, kMegabyte);
  return measured;
}

template <class Request>
void ExpectTooMany(const std::string& bytes, const std::string& field) {
  const auto measured = MeasuredCheaply<Request>(bytes);
  const auto* error = std::get_if<Error>(&measured);
  ASSERT_NE(error, nullptr) << field << ": accepted";
  EXPECT_EQ(error->reason, v1::REQUEST_TOO_LARGE);
  if (field.empty()) {
    EXPECT_TRUE(error->violations.empty());
  } else {
    EXPECT_EQ(error->violations.at(0).field, field);
  }
}

TEST(HostileMessage, OfMillionsOfElementsIsRefusedUnparsed) {
  using v1::CheckTrajectoryRequest;
  using v1::ComputeRequest;
  const std::string_view empty("\x0a\0", 2);
  ExpectTooMany<ComputeRequest>(Message(empty, {'\x42'}),
                                "options.joint_names");
  ExpectTooMany<ComputeRequest>(Message("\x4a\0"sv, {'\x42'}),
                                "options.external_wrenches");
  ExpectTooMany<ComputeRequest>(Message("\x12\0"sv), "quantities");
  ExpectTooMany<ComputeRequest>(Message("\x10\1"sv), "quantities");
  ExpectTooMany<ComputeRequest>(Message("\1"sv, {'\x12'}), "quantities");
  ExpectTooMany<ComputeRequest>(Message("\x1a\0"sv), "q");
  ExpectTooMany<ComputeRequest>(Message("\x12\0"sv, {'\x1a'}), "q.values");
  ExpectTooMany<ComputeRequest>(Message("\x0a\0"sv), "model");
  ExpectTooMany<CheckTrajectoryRequest>(Message("\x2a\0"sv, {'\x0a'}),
                                        "start.bounds");
  ExpectTooMany<CheckTrajectoryRequest>(
      Message(std::string(8, '\0'), {'\x0a', '\x2a', '\x3a'}),
      "start.bounds[0].torques");
  ExpectTooMany<v1::GetModelRequest>(Message("\xc2\x3e\0"sv), "");
  ExpectTooMany<v1::GetServerInfoRequest>(Message("\x08\0"sv), "");
  ExpectTooMany<v1::GetServerInfoRequest>(Message("\x0b\x0c"sv), "");
  ExpectTooMany<v1::RegisterModelRequest>(Message("\x22\0"sv), "options");
}

TEST(HostileMessage, OfNumbersAloneIsLookedAtQuickly) {
  const auto expect_numbers = [](const std::string& bytes,
                                 std::size_t numbers) {
    const auto measured = MeasuredCheaply<v1::MassMatrixRequest>(bytes);
    const auto* measure = std::get_if<MessageMeasure>(&measured);
    ASSERT_NE(measure, nullptr) << std::get<Error>(measured).message;
    EXPECT_EQ(measure->list_elements, static_cast<std::int64_t>(numbers));
  };
  const std::string packed = Message(std::string(8, '\0'), {'\x12', '\x12'});
  expect_numbers(packed, packed.size() / 8 - 1);
  const std::string single = Message("\x11" + std::string(8, '\0'), {'\x12'});
  expect_numbers(single, single.size() / 9);
}

class HostileName : public ::testing::Test {
 protected:
  HostileName()
      : registry_(std::get<std::unique_ptr<ModelStore>>(
            OpenSqliteStore(directory_.File("models.db")))) {}

  template <class Reply, class Request>
  void ExpectRefused(const Request& request, v1::Reason reason) {
    Reply reply;
    const Cost cost;
    const auto error = Handle(registry_, request, &reply);
    ExpectCheap(cost, 60 * kMegabyte);
    ASSERT_TRUE(error);
    CheckRefusal(*error, request);
    EXPECT_EQ(error->reason, reason) << error->message;
  }

  const std::string huge_ = std::string(10 * kMegabyte, 'a');
  TempDir directory_;
  Registry registry_;
};

TEST_F(HostileName, OfAModelItsLabelAndItsOptions) {
  v1::RegisterModelRequest request;
  request.set_source(kThreeJoints);
  request.set_name(huge_);
  ExpectRefused<v1::RegisterModelReply>(request, v1::INVALID_MODEL_NAME);
  request.set_name("arm");
  request.set_label(huge_);
  ExpectRefused<v1::RegisterModelReply>(request, v1::INVALID_FIELD);
  request.clear_label();
  request.set_expected_current(huge_);
  ExpectRefused<v1::RegisterModelReply>(request, v1::REVISION_CONFLICT);
  request.clear_expected_current();
  request.mutable_options()->set_default_tip(huge_);
  ExpectRefused<v1::RegisterModelReply>(request, v1::UNKNOWN_FRAME);
}

TEST_F(HostileName, InEveryOtherCall) {
  v1::GetModelRequest get;
  for (const std::string& reference :
       {huge_, "@" + huge_, "arm@" + huge_, huge_ + "@aaaaaaaa",
        std::string(10 * kMegabyte, '@')}) {
    get.set_model(reference);
    ExpectRefused<v1::GetModelReply>(get, v1::INVALID_MODEL_REFERENCE);
  }
  v1::ListModelsRequest list;
  list.set_page_token("1" + huge_);
  ExpectRefused<v1::ListModelsReply>(list, v1::INVALID_FIELD);
  v1::DeleteModelRequest remove;
  remove.set_name(huge_);
  ExpectRefused<v1::DeleteModelReply>(remove, v1::INVALID_MODEL_NAME);
}

template <class Read>
void ExpectRefusedFile(const Read& read, const std::string& why) {
  const Cost cost;
  try {
    read();
    ADD_FAILURE() << "accepted";
  } catch (const cli::DataError& error) {
    ExpectCheap(cost, 250 * kMegabyte);
    CheckDataError(error, "file");
    EXPECT_THAT(error.what(), HasSubstr(why));
  }
}

void ExpectRefusedCsv(const std::string& text, const std::string& why) {
  ExpectRefusedFile([&] { cli::ParseCsv(text, "file"); }, why);
}

TEST(HostileCsv, IsRefused) {
  ExpectRefusedCsv(std::string(77 * kMegabyte, '\n'), "is empty");
  ExpectRefusedCsv("a\n" + std::string(77 * kMegabyte, '1'),
                   "out of the range");
  ExpectRefusedCsv(std::string(kMegabyte, ',') + "\n1\n", "1 cells");
  ExpectRefusedCsv(std::string(kMegabyte, 'x') + ",y\n1\n", "1 cells");
  ExpectRefusedCsv(std::string(kMegabyte, 'x') + "\nz\n", "not a number");
  ExpectRefusedCsv(Repeated("1,2,3\n", kMegabyte) + "1,2\n", "2 cells");
}

void ExpectRefusedNpy(const std::string& header, const std::string& why) {
  std::string bytes = "\x93NUMPY\x02\0"s;
  for (int k = 0; k < 4; ++k) {
    bytes += static_cast<char>(header.size() >> (8 * k) & 0xFF);
  }
  bytes += header + std::string(1000, '\0');
  ExpectRefusedFile([&] { cli::ParseNpy(bytes, "file"); }, why);
}

TEST(HostileNpy, IsRefused) {
  const auto shape = [](const std::string& text) {
    return "{'descr': '<f8', 'fortran_order': False, 'shape': " + text + "}";
  };
  ExpectRefusedNpy(shape("(1000000, 0)"), "1000 bytes");
  ExpectRefusedNpy(shape("(4294967296, 4294967296)"), "1000 bytes");
  ExpectRefusedNpy(shape("(2305843009213693952, 8)"), "1000 bytes");
  ExpectRefusedNpy(shape("(18446744073709551615, 1)"), "1000 bytes");
  ExpectRefusedNpy(shape("(18446744073709551616, 1)"), "not understood");
  ExpectRefusedNpy(shape("(" + Repeated("1,", 30'000) + ")"), "dimensions");
  ExpectRefusedNpy(shape(std::string(10 * kMegabyte, '(')), "cannot be");
  ExpectRefusedNpy("{'descr': '" + std::string(60'000, '\x1B') +
                       "', 'fortran_order': False, 'shape': (1, 1)}",
                   "which are not read");
}

}  // namespace
}  // namespace torqued::fuzz
