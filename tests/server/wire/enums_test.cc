#include "server/wire/enums.h"

#include <absl/strings/ascii.h>
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace torqued::server {
namespace {

/// Every value of a wire enum but the unspecified one maps, to different
/// things; the numbers around map to nothing.
template <class Map>
void ExpectCovers(const google::protobuf::EnumDescriptor* wire, Map map) {
  std::set<int> seen;
  int largest = 0;
  for (int i = 0; i < wire->value_count(); ++i) {
    const int number = wire->value(i)->number();
    largest = std::max(largest, number);
    if (number == 0) continue;
    const auto value = map(number);
    ASSERT_TRUE(value) << wire->value(i)->name();
    EXPECT_TRUE(seen.insert(static_cast<int>(*value)).second)
        << wire->value(i)->name();
  }
  EXPECT_FALSE(map(largest + 1));
  EXPECT_FALSE(map(-1));
}

TEST(EnumsTest, EveryWireValueIsUnderstood) {
  ExpectCovers(v1::Quantity_descriptor(), ToQuantity);
  ExpectCovers(v1::ReferenceFrame_descriptor(), ToReferenceFrame);
  ExpectCovers(v1::TaskAxis_descriptor(), ToAxis);
  ExpectCovers(v1::SingularityRule_descriptor(), ToSingularityRule);
  ExpectCovers(v1::Precision_descriptor(), ToPrecision);
  ExpectCovers(v1::Encoding_descriptor(), ToPayload);
}

TEST(EnumsTest, UnspecifiedIsTheDefaultOrNothing) {
  EXPECT_FALSE(ToQuantity(0));
  EXPECT_FALSE(ToAxis(0));
  EXPECT_EQ(ToReferenceFrame(0), ReferenceFrame::kLocal);
  EXPECT_EQ(ToSingularityRule(0), SingularityRule::kReport);
  EXPECT_EQ(ToPrecision(0), Precision::kDouble);
  EXPECT_FALSE(ToPayload(0));
}

TEST(EnumsTest, QuantitiesHaveTheOrderAndTheNamesOfTheWire) {
  for (int k = 0; k < kQuantityCount; ++k) {
    std::string name = "quantity_";
    name += ToString(static_cast<Quantity>(k));
    EXPECT_EQ(absl::AsciiStrToLower(
                  v1::Quantity_Name(static_cast<v1::Quantity>(k + 1))),
              name);
  }
}

}  // namespace
}  // namespace torqued::server
