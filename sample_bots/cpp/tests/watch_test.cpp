#include "watch.h"

#include <gtest/gtest.h>

namespace {

constexpr std::int64_t kSecond = 1'000'000;

TEST(WatchTest, ALineThatIsDeadOneWayIsNoticedByTheFrames) {
  Watch watch;
  for (const auto now_us : {3 * kSecond, 9 * kSecond, 10 * kSecond, 11 * kSecond - 1}) {
    EXPECT_TRUE(watch.hear(now_us, 0)) << now_us;
  }
  EXPECT_FALSE(watch.hear(11 * kSecond, 0));
}

TEST(WatchTest, AStallOfTheServerIsNoDeadLine) {
  Watch watch;
  EXPECT_TRUE(watch.hear(30 * kSecond, 0));
  EXPECT_TRUE(watch.hear(30 * kSecond + 1, std::nullopt)) << "the answer comes in the next frame";
  EXPECT_TRUE(watch.hear(50 * kSecond, 31 * kSecond));
  EXPECT_TRUE(watch.hear(70 * kSecond, 65 * kSecond));
}

}  // namespace
