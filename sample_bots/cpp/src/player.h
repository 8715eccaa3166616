#pragma once

#include <cstdint>
#include <memory>

#include "cheatarena/v1/play.pb.h"

namespace v1 = cheatarena::v1;

/// Knows one game of a match from its facts, and answers its prompts.
class Player {
 public:
  virtual ~Player() = default;
  virtual void restore(const v1::SeatSnapshot& snapshot) = 0;
  virtual void hear(const v1::Event& event) = 0;
  /// Returns a decision that has only its action; not even that if the kind of the prompt is unknown.
  virtual v1::Decision answer(const v1::Prompt& prompt) = 0;
};

/// Returns the strategy for the game of a match.
std::unique_ptr<Player> make_player(const v1::MatchTerms& terms, std::uint32_t entrant);

/// Returns the player's answer. If there is none, it says so, so that nobody waits. `gives_up` tells whether the
/// player's answers were refused too often.
v1::Decision decide(Player& player, const v1::Prompt& prompt, bool gives_up);

/// Writes a line about a strike against this bot.
void log_fault(std::uint32_t match, const v1::Fault& fault);
