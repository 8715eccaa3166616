#include "search.h"

#include <algorithm>
#include <iostream>

#include "failure.h"

using namespace std::chrono_literals;

namespace {

constexpr auto kLongestPause = 2000ms;  // between two streams
constexpr auto kMuteTime = 1500ms;      // for which a starting server or a proxy may close connections without a word
constexpr auto kQuietTime = 2s;         // before the bot says that it is still trying

}  // namespace

std::chrono::milliseconds Search::next(const grpc::Status& ending) {
  const auto now = Clock::now();
  if (std::exchange(is_over_, false)) {
    began_ = now;
    pause_ = 0ms;
    is_told_ = false;
  }
  check_ending(ending, address_, is_known_);
  const auto away = now - began_;
  if (!is_known_ && away >= std::min<std::chrono::milliseconds>(kMuteTime, patience_)) check_mute(ending, address_);
  const auto why = " (" + describe(ending) + ")";
  if (away >= patience_) {
    const auto patience = std::to_string(patience_.count()) + " s";
    throw Failure(Exit::kUnavailable, "no server at " + address_ + " for " + patience + ", so this bot gives up" + why);
  }
  if (away >= kQuietTime && !std::exchange(is_told_, true)) std::cerr << "still trying " << address_ << why << std::endl;
  pause_ = std::min(2 * pause_ + 100ms, kLongestPause);
  return pause_;
}
