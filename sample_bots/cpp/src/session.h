#pragma once

#include <map>
#include <optional>
#include <string>

#include "seat.h"
#include "settings.h"
#include "watch.h"

/// Holds all seats of this process. It reads frames and answers them; line.cpp carries them.
class Session {
 public:
  explicit Session(Settings settings) : settings_(std::move(settings)), instance_(settings_.instance) {}
  /// Begins a stream. A seat with a position gets the messages that it missed, and any other seat gets a snapshot.
  v1::PlayRequest hello();
  /// Reads a whole frame, and answers all of it. Returns none if another stream is needed: a message before the frame is
  /// missing, or nothing of what this bot sends arrives.
  std::optional<v1::PlayRequest> read(const v1::PlayResponse& frame);
  /// Adds to a reply what is due now.
  void answer(std::int64_t now_us, v1::PlayRequest& reply);
  /// Returns the instant at which more is due, on the server's clock.
  std::int64_t next_us() const { return next_us_; }
  /// Takes no new seats, from the next hello on. Returns how many matches are left, or 0 if the bot is in no pool.
  std::size_t finish();
  bool is_finishing() const { return is_finishing_; }
  /// Returns whether a session that finishes has no seat left.
  bool is_done() const { return is_finishing_ && is_caught_up_ && seats_.empty(); }
  Instance& instance() { return instance_; }

 private:
  Settings settings_;
  Instance instance_;
  std::map<SeatKey, Seat> seats_;
  std::string node_;  // names the server's process, which is another one after a restart
  bool takes_no_answer_ = false;
  std::int64_t next_us_ = kNever;
  Watch watch_;
  bool is_finishing_ = false;  // whether the bot takes no new seats, and ends with its last match
  bool is_caught_up_ = false;  // whether the server has named all seats on this stream
};
