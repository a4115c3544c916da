// Where references lead.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/registry/registry.h"
#include "tests/server/registry/registry_fixture.h"

namespace torqued::server {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using Code = RegistryError::Code;

TEST_F(RegistryTest, EveryKindOfReferenceLeadsThere) {
  Value(registry_.Register(Request("arm", 1, "old")));
  Value(registry_.Register(Request("arm", 2)));
  Value(registry_.Register(Request("leg", 3)));
  const std::string old = RevisionOf(1);
  EXPECT_EQ(Where(registry_, "arm"), RevisionOf(2));
  EXPECT_EQ(Where(registry_, "arm@old"), old);
  EXPECT_EQ(Where(registry_, "arm@" + old.substr(0, 8)), old);
  EXPECT_EQ(Where(registry_, "arm@" + old), old);
  EXPECT_EQ(Where(registry_, "@" + old.substr(0, 8)), old);
  EXPECT_EQ(Where(registry_, "@" + old), old);

  const auto by_label = Value(registry_.Resolve("arm@old"));
  EXPECT_EQ(by_label.name, "arm");
  EXPECT_THAT(by_label.labels, ElementsAre("old"));
  const auto by_revision = Value(registry_.Resolve("@" + old));
  EXPECT_EQ(by_revision.name, "");
  EXPECT_EQ(by_revision.registered_at.time_since_epoch().count(), 0);
}

TEST_F(RegistryTest, NameAtPrefixFindsOnlyWhatTheNameHasHad) {
  Value(registry_.Register(Request("arm", 1)));
  Value(registry_.Register(Request("leg", 2)));
  const std::string prefix = RevisionOf(2).substr(0, 12);
  EXPECT_EQ(Where(registry_, "leg@" + prefix), RevisionOf(2));
  const auto error = Error(registry_.Resolve("arm@" + prefix));
  EXPECT_EQ(error.code, Code::kNotFound);
  EXPECT_THAT(error.message, AllOf(HasSubstr("arm"), HasSubstr(prefix)));
}

TEST_F(RegistryTest, UnknownReferencesSayWhatThereIs) {
  EXPECT_THAT(Error(registry_.Resolve("arm")).hint,
              HasSubstr("none is registered yet"));
  Value(registry_.Register(Request("panda", 1)));
  Value(registry_.Register(Request("ur5e", 1)));
  for (const char* reference : {"ur5", "ur5@good", "ur5@00000000", "ur5e@good",
                                "ur5e@00000000", "@00000000"}) {
    EXPECT_EQ(Error(registry_.Resolve(reference)).code, Code::kNotFound)
        << reference;
  }
  EXPECT_THAT(Error(registry_.Resolve("ur5")).hint,
              HasSubstr("did you mean ur5e?"));
  EXPECT_THAT(Error(registry_.Resolve("ur5@good")).hint,
              HasSubstr("did you mean ur5e?"));
  EXPECT_THAT(Error(registry_.Resolve("spot")).hint,
              HasSubstr("known are panda, ur5e"));
  EXPECT_THAT(Error(registry_.Resolve("ur5e@good")).message,
              HasSubstr("has no label 'good'"));
}

TEST_F(RegistryTest, AMistypedNameIsFoundAmongAnyNumberOfThem) {
  for (int i = 0; i < 300; ++i) {
    Write("arm-" + std::to_string(1000 + i), RevisionOf(1), Urdf(1));
  }
  EXPECT_THAT(Error(registry_.Resolve("arm-12999")).hint,
              HasSubstr("did you mean arm-1299, "));
}

TEST_F(RegistryTest, AmbiguousPrefixListsCandidates) {
  const std::string first = "deadbeef0" + std::string(55, '0');
  const std::string second = "deadbeef1" + std::string(55, '0');
  Write("arm", first, "<a/>");
  Write("arm", second, "<b/>");
  for (const char* reference : {"@deadbeef", "arm@deadbeef"}) {
    const auto error = Error(registry_.Resolve(reference));
    EXPECT_EQ(error.code, Code::kAmbiguous);
    EXPECT_THAT(error.candidates, ElementsAre(first, second));
    EXPECT_THAT(error.message, AllOf(HasSubstr(first), HasSubstr(second)));
  }
  EXPECT_EQ(Where(registry_, "@deadbeef1"), second);
  EXPECT_EQ(Where(registry_, "arm@deadbeef1"), second);

  for (int i = 2; i < 16; ++i) {
    Write("arm", "deadbeef" + std::to_string(10 + i) + std::string(54, '0'),
          "<c/>");
  }
  const auto many = Error(registry_.Resolve("@deadbeef"));
  EXPECT_THAT(many.candidates, SizeIs(10));
  EXPECT_THAT(many.message, HasSubstr("more than 10"));
}

}  // namespace
}  // namespace torqued::server
