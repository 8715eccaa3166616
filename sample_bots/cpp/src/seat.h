#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "player.h"

template <typename Message>
using List = google::protobuf::RepeatedPtrField<Message>;

/// Match and entrant.
using SeatKey = std::pair<std::uint32_t, std::uint32_t>;

/// The instant at which nothing is due.
constexpr auto kNever = std::numeric_limits<std::int64_t>::max();

/// This bot's part in one match. All instants are in microseconds, on the server's clock.
class Seat {
 public:
  explicit Seat(SeatKey key) : key_(key) {}
  /// Processes a message. Returns false if a message before it is missing.
  bool hear(const v1::SeatMessage& message, std::int64_t now_us);
  /// Adds to a reply what is due now. Returns the instant at which more is due.
  std::int64_t answer(std::int64_t now_us, bool takes_no_answer, v1::PlayRequest& reply);
  /// Notes that the stream is lost.
  void suspend() {
    is_held_ = false;
    sent_us_.clear();
  }
  /// Notes that the server still knows the seat. What was sent on a lost stream is sent again, under the same action
  /// ids.
  void resume();
  std::uint64_t sequence() const { return sequence_; }
  bool is_held() const { return is_held_; }
  bool is_over() const { return is_over_; }
  /// Notes when the answers that were added to the last reply are sent.
  void stamp(std::int64_t now_us);
  /// Returns when the oldest decision was sent that has no answer yet.
  std::optional<std::int64_t> oldest_us() const;

 private:
  /// An open prompt.
  struct Question {
    v1::Prompt prompt;
    std::uint32_t action_id = 0;     // of the next answer, or of the one that was sent
    bool is_sent = false;            // whether the answer was sent on this stream
    std::int64_t earliest_us = 0;    // when it may be sent
    std::uint32_t broken_rules = 0;  // how many answers were refused that this bot took for legal
  };

  void learn(const List<v1::Event>& events);
  void ask(const List<v1::Prompt>& prompts);
  void settle(const List<v1::DecisionAnswer>& answers, std::int64_t now_us);
  /// Writes match and entrant into a message.
  void address(auto& message) const {
    message.set_match(key_.first);
    message.set_entrant(key_.second);
  }

  SeatKey key_;
  std::uint64_t sequence_ = 0;      // of the last message
  std::unique_ptr<Player> player_;  // none before MatchStarted
  std::map<std::uint32_t, Question> questions_;
  /// When the decisions were sent that have no answer yet, by prompt; also after it has closed.
  std::map<std::uint32_t, std::int64_t> sent_us_;
  bool is_held_ = true;  // whether the newest stream has shown that the server knows the seat
  bool in_break_ = false;
  bool is_ready_ = false;  // whether Ready was sent on this stream
  bool is_over_ = false;
};
