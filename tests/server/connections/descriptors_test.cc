#include "server/connections/descriptors.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace torqued::server {
namespace {

Connections::Limits Planned(std::int64_t connections, std::int64_t per_peer,
                            std::int64_t descriptors) {
  const auto plan = PlanConnections(connections, per_peer, descriptors);
  const auto* why = std::get_if<std::string>(&plan);
  EXPECT_EQ(why, nullptr) << *why;
  return why == nullptr ? std::get<Connections::Limits>(plan)
                        : Connections::Limits{0, 0};
}

std::string Refused(std::int64_t connections, std::int64_t per_peer,
                    std::int64_t descriptors) {
  const auto plan = PlanConnections(connections, per_peer, descriptors);
  const auto* why = std::get_if<std::string>(&plan);
  return why != nullptr ? *why : "planned";
}

TEST(DescriptorsTest, UnlessAskedThereAreAsManyConnectionsAsDescriptorsFor) {
  EXPECT_EQ(Planned(0, 0, 1'000'000).all, 1000u);
  EXPECT_EQ(Planned(0, 0, 2128).all, 1000u);
  EXPECT_EQ(Planned(0, 0, 2127).all, 999u);
  EXPECT_EQ(Planned(0, 0, 1024).all, 448u);
  EXPECT_EQ(Planned(0, 0, 130).all, 1u);
}

TEST(DescriptorsTest, OnePeerHasHalfUnlessAsked) {
  EXPECT_EQ(Planned(0, 0, 1024).per_peer, 224u);
  EXPECT_EQ(Planned(10, 0, 1024).per_peer, 5u);
  EXPECT_EQ(Planned(1, 0, 1024).per_peer, 1u);
  EXPECT_EQ(Planned(10, 10, 1024).per_peer, 10u);
}

TEST(DescriptorsTest, WhatIsAskedForIsThereOrRefusedWithTheNumbers) {
  EXPECT_EQ(Planned(448, 0, 1024).all, 448u);
  EXPECT_EQ(Planned(5000, 0, 1'000'000).all, 5000u);
  EXPECT_EQ(Refused(449, 0, 1024),
            "--max-connections: 449 need 1026 descriptors, and this process "
            "may have 1024 (ulimit -Hn; of a service, LimitNOFILE)");
  EXPECT_EQ(Refused(0, 0, 129),
            "--max-connections: 1 need 130 descriptors, and this process may "
            "have 129 (ulimit -Hn; of a service, LimitNOFILE)");
  EXPECT_EQ(Refused(10, 11, 1024),
            "--max-connections-per-peer: 11 of 10 connections");
}

TEST(DescriptorsTest, TheSoftLimitIsRaisedToTheHardOne) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit low = before;
  low.rlim_cur = 64;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  EXPECT_EQ(DescriptorLimit(), 64);
  RaiseDescriptorLimit();
  rlimit after{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &after), 0);
  EXPECT_EQ(after.rlim_cur, before.rlim_max);
  setrlimit(RLIMIT_NOFILE, &before);
}

}  // namespace
}  // namespace torqued::server
