#pragma once

#include <map>
#include <optional>
#include <string>

#include "seat.h"
#include "settings.h"

/// Holds all seats of this process. It reads frames and answers them; line.cpp carries them.
class Session {
 public:
  explicit Session(Settings settings) : settings_(std::move(settings)) {}
  /// Begins a stream. A seat with a position gets the messages that it missed, and any other seat gets a snapshot.
  v1::PlayRequest hello();
  /// Reads a whole frame, and answers all of it. Returns none if a message before the frame is missing.
  std::optional<v1::PlayRequest> read(const v1::PlayResponse& frame);
  /// Adds to a reply what is due now.
  void answer(std::int64_t now_us, v1::PlayRequest& reply);
  /// Returns the instant at which more is due, on the server's clock.
  std::int64_t next_us() const { return next_us_; }

 private:
  Settings settings_;
  std::map<SeatKey, Seat> seats_;
  std::string node_;  // names the server's process, which is another one after a restart
  bool takes_no_answer_ = false;
  std::int64_t next_us_ = kNever;
};
