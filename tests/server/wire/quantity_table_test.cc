// The core's table of quantities and the descriptions in the contract say the
// same.
#include <gtest/gtest.h>

#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "core/dynamics/quantity.h"
#include "torqued/v1/dynamics.pb.h"

namespace torqued {
namespace {

using Words = std::vector<std::string>;

Words WordsOf(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

/// "nv", "6": as the contract writes the dimensions of a row.
Words ShapeOf(const Shape& shape) {
  Words words;
  for (const signed char size : shape.sizes) {
    if (size > 0) words.push_back(std::to_string(size));
    if (size == table::kPositions) words.emplace_back("nq");
    if (size == table::kJoints) words.emplace_back("nv");
    if (size == table::kAxes) words.emplace_back("m");
    if (size == table::kPlaces) words.emplace_back("w");
    if (size == table::kSymmetric) words.push_back(words.back());
  }
  return words;
}

/// Each moving link has one joint, and a pose has its twelve numbers in rows.
Words InOtherWords(const Words& words) {
  Words plain;
  for (const std::string& word : words) {
    if (word == "10links") {
      plain.insert(plain.end(), {"nv", "10"});
    } else if (word == "links") {
      plain.emplace_back("nv");
    } else {
      plain.push_back(word);
    }
  }
  return plain == Words{"3", "4"} ? Words{"12"} : plain;
}

const std::map<std::string, InputBits> kReads = {
    {"v", table::kV},
    {"a", table::kA},
    {"tau", table::kTau},
    {"gravity", table::kGravity},
    {"base_motion", table::kBaseMotion},
    {"wrenches", Bit(Input::kTipWrench) | Bit(Input::kExternalWrenches)},
    {"task_acceleration", Bit(Input::kTaskAcceleration)},
    {"null_space_torque", Bit(Input::kNullSpaceTorque)}};

TEST(QuantityTable, IsThatOfTheContract) {
  const auto* quantities = v1::Quantity_descriptor();
  ASSERT_EQ(quantities->value_count(), kQuantityCount + 1);
  for (int k = 0; k < kQuantityCount; ++k) {
    const QuantityRow& row = RowOf(static_cast<Quantity>(k));
    SCOPED_TRACE(row.name);
    const auto* value = quantities->FindValueByNumber(k + 1);
    const v1::QuantityInfo& info =
        value->options().GetExtension(v1::quantity_info);
    EXPECT_EQ(static_cast<int>(info.max_dof()), row.max_dof);
    InputBits reads = 0;
    bool of_tip = false;
    bool of_task = false;
    for (const std::string& word : WordsOf(info.needs() + " " + info.uses())) {
      if (const auto found = kReads.find(word); found != kReads.end()) {
        reads |= found->second;
      }
      of_tip = of_tip || word == "frames" || word == "task";
      of_task = of_task || word == "task";
    }
    EXPECT_EQ(reads, row.reads);
    EXPECT_EQ(of_tip, (kTipQuantities & Bit(static_cast<Quantity>(k))) != 0);
    EXPECT_EQ(of_task, (kTaskQuantities & Bit(static_cast<Quantity>(k))) != 0);
  }
}

TEST(QuantityTable, HasTheTablesOfTheContract) {
  std::set<std::string> listed;
  for (int k = 0; k < kOutputCount; ++k) {
    const OutputRow& row = RowOf(static_cast<Output>(k));
    SCOPED_TRACE(row.name);
    const auto* field = v1::Results::descriptor()->FindFieldByName(row.name);
    ASSERT_NE(field, nullptr);
    const v1::TableInfo& info = field->options().GetExtension(v1::table_info);
    EXPECT_EQ(InOtherWords(WordsOf(info.shape())), ShapeOf(row.shape));
    EXPECT_EQ(static_cast<int>(info.quantity()),
              static_cast<int>(QuantityOf(static_cast<Output>(k))) + 1);
    listed.insert(row.name);
  }
  for (int k = 0; k < v1::Results::descriptor()->field_count(); ++k) {
    const auto* field = v1::Results::descriptor()->field(k);
    EXPECT_EQ(listed.contains(field->name()), field->message_type() != nullptr)
        << field->name();
  }
}

TEST(QuantityTable, HasTheInputsOfTheContract) {
  for (int k = 0; k < kInputCount; ++k) {
    const InputRow& row = RowOf(static_cast<Input>(k));
    SCOPED_TRACE(row.name);
    const auto* field =
        v1::EvaluateChunk::descriptor()->FindFieldByName(row.name);
    ASSERT_NE(field, nullptr);
    EXPECT_EQ(WordsOf(field->options().GetExtension(v1::table_info).shape()),
              ShapeOf(row.shape));
  }
}

}  // namespace
}  // namespace torqued
