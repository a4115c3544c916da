#include "client/cli/message_json.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "torqued/v1/model_registry.pb.h"

namespace torqued::cli {
namespace {

TEST(ToJson, SaysWhichNonFiniteValueARowHas) {
  v1::RowStatus status;
  status.set_row(5'000'000'000);
  status.set_value(std::nan(""));
  EXPECT_EQ(ToJson(status)["row"], 5'000'000'000);
  EXPECT_EQ(ToJson(status)["value"], "NaN");
  status.set_value(-std::numeric_limits<double>::infinity());
  EXPECT_EQ(ToJson(status)["value"], "-Infinity");
  status.set_value(0.25);
  EXPECT_EQ(ToJson(status)["value"], 0.25);
}

TEST(ToText, ReadsBackAndKeepsListsOfScalarsOnOneLine) {
  Json json;
  json["matrix"] = {{1.0 / 3, 0.1}, {-0.0, 1e-300}};
  json["nothing"] = Json::array();
  json["none"] = Json::object();
  json["text"] = "a \"quoted\" word\n";
  json["numbers"] = {std::nan(""), HUGE_VAL};
  const std::string text = ToText(json);
  EXPECT_EQ(Json::parse(text)["matrix"], json["matrix"]);
  EXPECT_EQ(Json::parse(text)["text"], json["text"]);
  EXPECT_EQ(Json::parse(text)["numbers"], Json({"NaN", "Infinity"}));
  EXPECT_THAT(text, ::testing::HasSubstr(
                        "{\n  \"matrix\": [\n    [0.3333333333333333, 0.1],\n"
                        "    [-0.0, 1e-300]\n  ],\n  \"nothing\": [],\n"
                        "  \"none\": {},\n"));
}

}  // namespace
}  // namespace torqued::cli
