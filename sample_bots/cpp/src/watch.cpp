#include "watch.h"

#include <algorithm>

constexpr std::int64_t kAnswerUs = 10'000'000;  // that a decision may wait for its answer
constexpr std::int64_t kConfirmUs = 1'000'000;  // between two frames that lack it

bool Watch::hear(std::int64_t now_us, std::optional<std::int64_t> oldest_us) {
  offset_us_ = std::min(offset_us_, local_us() - now_us);
  if (!oldest_us || *oldest_us > now_us - kAnswerUs) {
    late_us_.reset();
    return true;
  }
  if (!late_us_) late_us_ = now_us;
  return now_us - *late_us_ < kConfirmUs;
}
