#include "card_counts.h"

#include <algorithm>
#include <functional>
#include <numeric>

CardCounts::CardCounts(const cheatarena::v1::CheatCards& set) {
  for (const unsigned char card : set.cards()) ++counts_.at(card);
  for (int i = 0; i + 1 < set.counted_size(); i += 2) counts_.at(set.counted(i)) += set.counted(i + 1);
}

void CardCounts::add(const CardCounts& more) {
  std::ranges::transform(counts_, more.counts_, counts_.begin(), std::plus{});
}

void CardCounts::remove(const CardCounts& fewer) {
  std::ranges::transform(counts_, fewer.counts_, counts_.begin(), std::minus{});
}

void CardCounts::raise(const CardCounts& least) {
  std::ranges::transform(counts_, least.counts_, counts_.begin(), std::ranges::max);
}

std::uint32_t CardCounts::total() const { return std::accumulate(counts_.begin(), counts_.end(), 0U); }

std::uint32_t CardCounts::natural(std::uint32_t rank) const {
  const auto* first = &counts_.at(rank * 4);
  return std::accumulate(first, first + 4, 0U);
}

std::string CardCounts::list(std::uint32_t rank) const {
  std::string cards;
  for (auto card = rank * 4; card < rank * 4 + 4; ++card) cards.append(counts_.at(card), static_cast<char>(card));
  return cards;
}

std::string CardCounts::list() const {
  std::string cards;
  for (std::uint32_t card = 0; card <= kJoker; ++card) cards.append(counts_[card], static_cast<char>(card));
  return cards;
}
