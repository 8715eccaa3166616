#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "cheatarena/v1/cheat.pb.h"

constexpr std::uint32_t kJoker = 52;  // a card of Cheat is rank * 4 + suit, or this

/// How often each of the 53 cards of Cheat occurs.
class CardCounts {
 public:
  CardCounts() = default;
  /// Reads both forms of a set of cards.
  explicit CardCounts(const cheatarena::v1::CheatCards& set);

  std::uint32_t operator[](std::uint32_t card) const { return counts_.at(card); }
  void add(const CardCounts& more);
  void remove(const CardCounts& fewer);
  /// Makes sure that there are at least as many as in another set.
  void raise(const CardCounts& least);

  std::uint32_t total() const;
  /// Counts the cards of a rank.
  std::uint32_t natural(std::uint32_t rank) const;
  /// Counts the cards that make a claim of a rank true.
  std::uint32_t fitting(std::uint32_t rank) const { return natural(rank) + counts_[kJoker]; }
  /// Lists the natural cards of a rank, one byte each.
  std::string list(std::uint32_t rank) const;
  /// Lists all cards in ascending order, one byte each.
  std::string list() const;

 private:
  std::array<std::uint32_t, kJoker + 1> counts_{};
};
