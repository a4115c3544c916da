#include "server/flags/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace torqued::flags {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string ProblemOf(std::vector<const char*> variables) {
  variables.push_back(nullptr);
  return EnvironmentProblem(variables.data());
}

TEST(Environment, WhatNobodyReadsIsToldWithTheNearestName) {
  EXPECT_THAT(ProblemOf({"HOME=/root", "TORQUED_MAXROWS=5"}),
              AllOf(HasSubstr("TORQUED_MAXROWS is none"),
                    HasSubstr("did you mean TORQUED_MAX_ROWS?")));
  EXPECT_THAT(ProblemOf({"TORQUED_LISTENS=x"}),
              HasSubstr("did you mean TORQUED_LISTEN?"));
  EXPECT_THAT(ProblemOf({"TORQUED_SEVER_ADDRESS=x"}),
              HasSubstr("did you mean TORQUED_SERVER_ADDRESS?"));
  EXPECT_THAT(ProblemOf({"TORQUED_XYZZY=x"}),
              AllOf(HasSubstr("TORQUED_XYZZY is none"),
                    testing::Not(HasSubstr("did you mean"))));
}

TEST(Environment, WhatOneProgramReadsIsAcceptedByAll) {
  for (const std::string_view name : KnownVariables()) {
    EXPECT_EQ(ProblemOf({(std::string(name) + "=x").c_str()}), "") << name;
  }
}

TEST(Environment, TheListIsSorted) {
  const auto known = KnownVariables();
  EXPECT_TRUE(std::is_sorted(known.begin(), known.end()));
}

TEST(Environment, WhatIsEmptyIsAbsent) {
  EXPECT_EQ(ProblemOf({"TORQUED_MAXROWS="}), "");
  EXPECT_EQ(ProblemOf({"TORQUED_MAXROWS"}), "");
  EXPECT_EQ(ProblemOf({}), "");
}

TEST(Environment, OtherNamesAreOthers) {
  EXPECT_EQ(ProblemOf({"TORQUE_MAXROWS=5", "torqued_maxrows=5",
                       "NOT_TORQUED_MAXROWS=5", "TORQUEDX=5"}),
            "");
}

TEST(Environment, WhatKubernetesSetsForAServiceIsAccepted) {
  EXPECT_EQ(
      ProblemOf({"TORQUED_SERVICE_HOST=10.0.0.11", "TORQUED_SERVICE_PORT=7421",
                 "TORQUED_SERVICE_PORT_GRPC=7421",
                 "TORQUED_PORT=tcp://10.0.0.11:7421",
                 "TORQUED_PORT_7421_TCP=tcp://10.0.0.11:7421",
                 "TORQUED_PORT_7421_TCP_PROTO=tcp",
                 "TORQUED_PORT_7421_TCP_PORT=7421",
                 "TORQUED_PORT_7421_TCP_ADDR=10.0.0.11",
                 "TORQUED_CELL_2_SERVICE_HOST=10.0.0.12",
                 "TORQUED_V6_PORT=tcp://[fd00::b]:7421",
                 "TORQUED_V6_PORT_7421_TCP_ADDR=fd00::b",
                 // Of a service called torqued-service.
                 "TORQUED_SERVICE_PORT=tcp://10.0.0.13:7421"}),
      "");
  EXPECT_NE(ProblemOf({"TORQUED_PORTS=7421"}), "");
  // The longest names of a service and of a port.
  const std::string service = "TORQUED_" + std::string(55, 'A');
  EXPECT_EQ(
      ProblemOf({(service + "_SERVICE_PORT_" + std::string(15, 'B') + "=7421")
                     .c_str(),
                 (service + "_SERVICE_HOST=10.0.0.12").c_str()}),
      "");
}

TEST(Environment, ANameOfKubernetesWithAnotherValueIsRefused) {
  for (const char* const variable :
       {"TORQUED_PORT=7555", "TORQUED_PORT=localhost:7555",
        "TORQUED_SERVER_PORT=7555", "TORQUED_LISTEN_PORT=7555",
        "TORQUED_PORT_7421_TCP=7555", "TORQUED_PORT_7421_TCP_PROTO=http",
        "TORQUED_PORT_7421_TCP_ADDR=localhost",
        "TORQUED_PORT_7421_TCP_PORT=grpc", "TORQUED_SERVICE_HOST=localhost",
        "TORQUED_SERVICE_PORT=grpc",
        // Without the host beside it.
        "TORQUED_SERVICE_PORT=7555", "TORQUED_SERVICE_PORT_GRPC=7555"}) {
    const std::string name(variable, std::string_view(variable).find('='));
    EXPECT_THAT(ProblemOf({"TORQUED_OTHER_SERVICE_HOST=10.0.0.12", variable}),
                AllOf(HasSubstr("variable " + name + " is none"),
                      HasSubstr("did you mean TORQUED_LISTEN or "
                                "TORQUED_SERVER_ADDRESS?")));
  }
}

TEST(Environment, ANameOfAnyLengthIsToldInShort) {
  for (const std::size_t length : {1000U, 30'000U, 100'000U}) {
    const std::string name = "TORQUED_" + std::string(length, 'A');
    for (const char* const end : {"=x", "_PORT=x", "_SERVICE_PORT_A=x"}) {
      const std::string problem = ProblemOf({(name + end).c_str()});
      EXPECT_THAT(problem, AllOf(HasSubstr("TORQUED_AAA"), HasSubstr("none")));
      EXPECT_LT(problem.size(), 400U);
    }
  }
}

}  // namespace
}  // namespace torqued::flags
