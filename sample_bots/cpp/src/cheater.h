#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "player.h"

/// Cards of CHEATER, one byte each, as they are sent.
using Cards = std::string;

/// Plays CHEATER: it collects the nearest word, takes missing letters where it knows or suspects them, and hides its
/// hand whenever it can.
class Cheater final : public Player {
 public:
  explicit Cheater(std::uint32_t entrant) : entrant_(entrant) {}
  void restore(const v1::SeatSnapshot& snapshot) override;
  void hear(const v1::Event& event) override;
  v1::Decision answer(const v1::Prompt& prompt) override;

 private:
  void begin(const std::string& entrants);
  void lay(std::uint32_t seat, const Cards& cards);
  void lose(std::uint32_t seat, const Cards& cards);
  void gain(std::uint32_t seat, std::uint32_t card);

  v1::CheaterAction act(const v1::CheaterAct& options) const;
  v1::CheaterAction react(const v1::CheaterReaction& options) const;
  v1::CheaterAction pick(const v1::CheaterPick& options) const;
  int target() const;
  bool is_possible(int color) const;
  int unseen(char card) const;
  int known_elsewhere(char card) const;
  double chance(std::size_t seat, const Cards& missing) const;

  std::uint32_t entrant_;
  std::uint32_t seat_ = 0;
  Cards hand_;
  std::vector<Cards> known_;  // by seat: the cards that everybody knows to be in its hand
  std::vector<int> sizes_;    // by seat: how many cards it holds
  Cards discards_;            // the top card last
};
