#include "instance.h"

#include <gtest/gtest.h>

namespace {

TEST(InstanceTest, AProgramThatStartsAgainHasTheSameInstance) {
  Instance first("", "2.1");
  Instance again("", "2.1");
  EXPECT_EQ(first.name(), again.name());
  EXPECT_NE(first.name(), Instance("", "2.2").name());
  EXPECT_FALSE(first.settle(std::string(first.name())));
  EXPECT_TRUE(again.settle("name.2"));
  EXPECT_EQ(again.name(), "name.2");
  EXPECT_FALSE(again.is_derived());
  EXPECT_TRUE(again.give_way());
  EXPECT_FALSE(again.give_way());
}

TEST(InstanceTest, AChosenInstanceStays) {
  Instance chosen("one", "");
  EXPECT_FALSE(chosen.is_derived() || chosen.settle("other") || chosen.give_way());
  EXPECT_EQ(chosen.name(), "one");
}

}  // namespace
