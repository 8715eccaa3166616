#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>

/// Notices a line that is dead one way: frames come, but no answers to what this bot has sent. All instants are in
/// microseconds on the server's clock, so that neither a pause of this process nor a stall of the server counts.
class Watch {
 public:
  /// Notes a frame of an instant, and when the oldest decision without an answer was sent. Returns false if nothing of
  /// what this bot sends arrives.
  bool hear(std::int64_t now_us, std::optional<std::int64_t> oldest_us);
  /// Returns the instant.
  std::int64_t now_us() const { return local_us() - offset_us_; }

 private:
  static std::int64_t local_us() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
  }

  /// The smallest difference between this machine's clock and the server's.
  std::int64_t offset_us_ = std::numeric_limits<std::int64_t>::max();
  std::optional<std::int64_t> late_us_;  // when a frame first lacked an answer
};
