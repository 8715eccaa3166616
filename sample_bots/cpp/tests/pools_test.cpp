#include "pools.h"

#include <gtest/gtest.h>

#include "failure.h"
#include "session.h"

namespace {

std::string repeat(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

template <typename Parse>
std::string fault_of(const Parse& parse, const std::string& text) {
  try {
    parse(text);
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.exit(), Exit::kUsage);
    return failure.what();
  }
  return "";
}

TEST(PoolsTest, EachHelloEntersThePools) {
  Settings settings;
  settings.pools = parse_pools("open, my dice:12,");
  settings.version = parse_version("2.1");
  settings.challenges = parse_challenges("everybody");
  Session session(settings);
  for (int stream = 0; stream < 2; ++stream) {
    const auto hello = session.hello().notices(0).hello();
    ASSERT_EQ(hello.pools_size(), 2);
    EXPECT_EQ(hello.pools(0).pool(), "open");
    EXPECT_EQ(hello.pools(0).seats(), 1U);
    EXPECT_EQ(hello.pools(1).pool(), "my dice");
    EXPECT_EQ(hello.pools(1).seats(), 12U);
    EXPECT_EQ(hello.version(), "2.1");
    EXPECT_EQ(hello.challenges(), v1::CHALLENGE_POLICY_EVERYBODY);
  }
}

TEST(PoolsTest, WithoutVariablesItEntersNoPool) {
  EXPECT_TRUE(parse_pools("").empty());
  EXPECT_EQ(parse_version(""), "");
  EXPECT_EQ(parse_challenges(""), v1::CHALLENGE_POLICY_UNSPECIFIED);
}

TEST(PoolsTest, RefusesABadValueWithItsVariable) {
  for (const auto& pools : {std::string("open:many"), std::string("open:0"), std::string("open:1001"),
                            std::string("open:+1"), std::string("open:"), std::string(":3"), std::string("a\tb"),
                            repeat("p", 33), repeat("p,", 33)}) {
    EXPECT_NE(fault_of(parse_pools, pools).find("CHEATARENA_POOLS"), std::string::npos) << pools;
  }
  for (const auto& version : {std::string("a\tb"), repeat("v", 33)}) {
    EXPECT_NE(fault_of(parse_version, version).find("CHEATARENA_VERSION"), std::string::npos) << version;
  }
  EXPECT_NE(fault_of(parse_challenges, "friends").find("CHEATARENA_CHALLENGES"), std::string::npos);
}

TEST(PoolsTest, TakesTheLongestValues) {
  const auto longest = repeat("ö", 32);
  EXPECT_EQ(parse_pools(longest + ":1000" + repeat(",p", 31)).size(), 32U);
  EXPECT_EQ(parse_version(longest), longest);
}

TEST(PoolsTest, ALineSaysHowManySeatsItGetsAndWhy) {
  v1::PoolNotice notice;
  notice.set_pool("open");
  notice.set_seats(3);
  notice.set_reason(v1::POOL_REASON_ENTERED);
  EXPECT_EQ(describe_pool(notice), "pool open: up to 3 seats at once");
  notice.set_seats(0);
  notice.set_reason(v1::POOL_REASON_LEFT);
  notice.set_detail("the bot left");
  notice.set_retry_after_ms(30'000);
  EXPECT_EQ(describe_pool(notice), "pool open: 0 seats, because the bot left; again in 30 s");
}

}  // namespace
