#include "cheat.h"

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>

namespace {

v1::CheatAction play(const std::string& cards, std::uint32_t rank, std::uint32_t count) {
  v1::CheatAction action;
  action.set_kind(v1::CHEAT_ACTION_KIND_PLAY);
  action.set_cards(cards);
  action.set_rank(rank);
  action.set_count(count);
  return action;
}

/// Returns the largest number of the ranges (pairs of first and last) that is at most `most`; 0 if none is.
std::uint32_t largest_count(const google::protobuf::RepeatedField<std::uint32_t>& ranges, std::uint32_t most) {
  std::uint32_t largest = 0;
  for (int i = 0; i + 1 < ranges.size(); i += 2) {
    if (ranges[i] <= most) largest = std::max(largest, std::min(ranges[i + 1], most));
  }
  return largest;
}

void cut_evenly(const v1::CheatCut& cut, v1::CheatAction& action) {
  for (std::uint32_t i = 0; i < cut.packet_count(); ++i) {
    action.add_sizes(cut.card_count() / cut.packet_count() + (i < cut.card_count() % cut.packet_count() ? 1 : 0));
  }
}

std::uint32_t thinnest_packet(const v1::CheatChoose& choose) {
  return static_cast<std::uint32_t>(
      std::ranges::min(choose.free(), {}, [&](char packet) { return choose.sizes(packet); }));
}

}  // namespace

void Cheat::begin(const std::string& entrants) {
  *this = Cheat(std::move(rules_), entrant_);
  seat_ = static_cast<std::uint32_t>(entrants.find(static_cast<char>(entrant_)));
  known_.resize(entrants.size());
  on_pile_.resize(entrants.size());
}

void Cheat::restore(const v1::SeatSnapshot& snapshot) {
  hand_ = CardCounts(snapshot.cheat().hand());
  for (const auto& layer : snapshot.cheat().pile()) {
    on_pile_.at(layer.seat()) = true;
    known_.at(layer.seat()).add(CardCounts(layer.own_cards()));
    if (layer.abandoned()) continue;
    last_ = {layer.seat(), layer.rank(), layer.count(), layer.has_laid() && layer.laid() != layer.count()};
  }
}

void Cheat::hear(const v1::Event& event) {
  switch (event.fact_case()) {
    case v1::Event::kGameStarted:
      begin(event.game_started().entrants());
      break;
    case v1::Event::kCheatHand:
      hand_ = CardCounts(event.cheat_hand().cards());
      break;
    case v1::Event::kCheatLaid: {
      const CardCounts cards(event.cheat_laid().cards());
      hand_.remove(cards);
      known_.at(seat_).add(cards);
      break;
    }
    case v1::Event::kCheatPlayed: {
      const auto& played = event.cheat_played();
      last_ = {played.seat(), played.rank(), played.count(), played.has_laid() && played.laid() != played.count()};
      if (played.count() > 0) on_pile_.at(played.seat()) = true;
      if (played.seat() != seat_) known_.at(played.seat()).raise(CardCounts(played.cards()));
      break;
    }
    case v1::Event::kCheatCalled: {
      const auto& called = event.cheat_called();
      take_pile(called.taker());
      see(called.taker(), called.shown());
      see(called.taker(), called.rest());
      break;
    }
    case v1::Event::kCheatShown:
      see(last_taker_, event.cheat_shown().cards());
      break;
    case v1::Event::kCheatTaken:
      hand_.add(CardCounts(event.cheat_taken().cards()));
      break;
    case v1::Event::kCheatBelieved: {
      const auto& believed = event.cheat_believed();
      if (believed.right()) {
        banish_pile();
      } else {
        take_pile(believed.believer());
        see(believed.believer(), believed.shown());
        see(believed.believer(), believed.rest());
      }
      break;
    }
    case v1::Event::kCheatHandChecked:
      if (!event.cheat_hand_checked().true_claim()) take_pile(event.cheat_hand_checked().seat());
      break;
    case v1::Event::kCheatBanished:
      banish_pile();
      break;
    case v1::Event::kCheatLeft:
      on_pile_.at(event.cheat_left().seat()) = true;
      break;
    default:
      break;
  }
}

/// Notes that a seat takes all cards of the pile. What a third seat laid may be in either hand now.
void Cheat::take_pile(std::uint32_t taker) {
  last_taker_ = taker;
  const auto mine = std::exchange(known_.at(seat_), {});
  for (std::size_t seat = 0; seat < on_pile_.size(); ++seat) {
    if (on_pile_[seat] && seat != taker) known_[seat] = {};
    on_pile_[seat] = false;
  }
  if (taker != seat_) known_.at(taker).add(mine);
}

/// Notes that cards were shown that a seat took.
void Cheat::see(std::uint32_t taker, const v1::CheatCards& shown) {
  if (taker != seat_) known_.at(taker).raise(CardCounts(shown));  // otherwise they are in this bot's hand
}

/// Notes that the cards of the pile are out of the game. What others laid may also be in their hands.
void Cheat::banish_pile() {
  gone_.add(std::exchange(known_.at(seat_), {}));
  on_pile_.assign(on_pile_.size(), false);
}

/// Tells whether the last claim names more cards than there can be of its rank, jokers included.
bool Cheat::is_impossible() const {
  const std::uint32_t decks = rules_.decks() > 0 ? rules_.decks() : known_.size() <= 4 ? 1 : 2;
  auto elsewhere = hand_.fitting(last_.rank) + gone_.fitting(last_.rank);
  for (std::size_t seat = 0; seat < known_.size(); ++seat) {
    if (seat != last_.seat) elsewhere += known_[seat].fitting(last_.rank);
  }
  return last_.is_false || last_.count + elsewhere > (4 + rules_.jokers_per_deck()) * decks;
}

v1::Decision Cheat::answer(const v1::Prompt& prompt) {
  v1::Decision decision;
  if (prompt.has_cheat_turn()) {
    const auto& turn = prompt.cheat_turn();
    const auto kind = judge(turn.can_call(), turn.can_believe());
    *decision.mutable_cheat() = kind == v1::CHEAT_ACTION_KIND_DECLINE ? move(turn) : v1::CheatAction();
    if (kind != v1::CHEAT_ACTION_KIND_DECLINE) decision.mutable_cheat()->set_kind(kind);
  } else if (prompt.has_cheat_window()) {
    decision.mutable_cheat()->set_kind(judge(true, prompt.cheat_window().can_believe()));
  } else if (prompt.has_cheat_cut()) {
    decision.mutable_cheat()->set_kind(v1::CHEAT_ACTION_KIND_CUT);
    cut_evenly(prompt.cheat_cut(), *decision.mutable_cheat());
  } else if (prompt.has_cheat_choose()) {
    decision.mutable_cheat()->set_kind(v1::CHEAT_ACTION_KIND_CHOOSE);
    decision.mutable_cheat()->set_packet(thinnest_packet(prompt.cheat_choose()));
  }
  return decision;
}

/// Calls a claim that cannot be true, and believes one that cannot be false: that of no cards.
v1::CheatActionKind Cheat::judge(bool can_call, bool can_believe) const {
  if (can_call && is_impossible()) return v1::CHEAT_ACTION_KIND_CALL;
  if (can_believe && last_.count == 0) return v1::CHEAT_ACTION_KIND_BELIEVE;
  return v1::CHEAT_ACTION_KIND_DECLINE;
}

v1::CheatAction Cheat::move(const v1::CheatTurn& turn) const {
  auto action = largest_truth(turn);
  if (action.count() > 0) return action;
  if (!turn.can_pass()) return smallest_lie(turn);
  action.set_kind(v1::CHEAT_ACTION_KIND_PASS);
  return action;
}

/// Returns the true play of the most cards, with as few jokers as possible; one without cards if there is none.
v1::CheatAction Cheat::largest_truth(const v1::CheatTurn& turn) const {
  std::string best;
  std::uint32_t best_rank = 0;
  std::size_t best_natural = 0;
  for (const char rank : turn.ranks()) {
    auto cards = hand_.list(rank);
    auto natural = cards.size();
    const bool may_lay_jokers = natural > 0 || !turn.face_up() || hand_[kJoker] == hand_.total();
    if (may_lay_jokers) cards.append(hand_[kJoker], static_cast<char>(kJoker));
    cards.resize(largest_count(turn.counts(), cards.size()));
    natural = std::min(natural, cards.size());
    if (std::tuple(cards.size(), natural) > std::tuple(best.size(), best_natural)) {
      best = cards;
      best_rank = rank;
      best_natural = natural;
    }
  }
  return best.empty() ? v1::CheatAction() : play(best, best_rank, best.size());
}

/// Claims the rank of which this bot holds most, since others cannot hold many of it. It lays single cards first, and
/// jokers last.
v1::CheatAction Cheat::smallest_lie(const v1::CheatTurn& turn) const {
  if (turn.counts().empty()) return play("", static_cast<std::uint32_t>(turn.ranks().at(0)), 0);
  const auto rank = static_cast<std::uint32_t>(
      std::ranges::max(turn.ranks(), {}, [&](char each) { return std::pair(hand_.natural(each), -each); }));
  const auto count = turn.counts(0);
  const auto size = turn.laid_size() == 2 ? std::clamp(count, turn.laid(0), turn.laid(1)) : count;
  auto cards = hand_.list();
  std::ranges::stable_sort(cards, {}, [&](char card) {
    const auto its_rank = static_cast<std::uint32_t>(card) / 4;
    return std::tuple(card == static_cast<char>(kJoker), its_rank == rank,
                      card < static_cast<char>(kJoker) ? hand_.natural(its_rank) : 0);
  });
  return play(cards.substr(0, size), rank, count);
}
