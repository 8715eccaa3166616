#pragma once

#include <cstdint>
#include <vector>

#include "card_counts.h"
#include "player.h"

/// Plays Cheat: it lays as many true cards as it can, or else passes, or tells the smallest lie. It calls only claims
/// that cannot be true, because too many cards of the rank are elsewhere: in this bot's hand, or known from calls.
class Cheat final : public Player {
 public:
  Cheat(v1::CheatRuleset rules, std::uint32_t entrant) : rules_(std::move(rules)), entrant_(entrant) {}
  void restore(const v1::SeatSnapshot& snapshot) override;
  void hear(const v1::Event& event) override;
  v1::Decision answer(const v1::Prompt& prompt) override;

 private:
  /// The last move that somebody may call.
  struct Claim {
    std::uint32_t seat = 0, rank = 0, count = 0;
    bool is_false = false;  // everybody saw that not as many cards were laid as claimed
  };

  void begin(const std::string& entrants);
  void take_pile(std::uint32_t taker);
  void see(std::uint32_t taker, const v1::CheatCards& shown);
  void banish_pile();

  bool is_impossible() const;
  v1::CheatActionKind judge(bool can_call, bool can_believe) const;
  v1::CheatAction move(const v1::CheatTurn& turn) const;
  v1::CheatAction largest_truth(const v1::CheatTurn& turn) const;
  v1::CheatAction smallest_lie(const v1::CheatTurn& turn) const;

  v1::CheatRuleset rules_;
  std::uint32_t entrant_;
  std::uint32_t seat_ = 0;
  CardCounts hand_;
  Claim last_;
  std::vector<CardCounts>
      known_;                  // by seat: cards in its hand or laid by it on the pile; of this bot's, only laid ones
  std::vector<bool> on_pile_;  // by seat: whether cards of it lie on the pile
  CardCounts gone_;            // cards that are out of the game
  std::uint32_t last_taker_ = 0;
};
