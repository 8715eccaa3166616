#include "cheater.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace {

constexpr char kTake = 24, kWild = 28;  // the first and the last of the action cards; letters are colour * 6 + letter
constexpr char kTakeTop = 2, kDemand = 3;  // powers
constexpr int kLetters = 6;                // of a colour: C H E A T R
constexpr int kHandSize = 7;
constexpr std::array kLetterCopies{2, 2, 4, 2, 2, 2};  // in a pack, of each colour
constexpr std::array kActionCopies{4, 4, 4, 1, 1};     // in a pack, from TAKE to WILD

Cards one(std::uint32_t card) { return Cards(1, static_cast<char>(card)); }

bool contains(const Cards& cards, char card) { return cards.find(card) != Cards::npos; }

int count(const Cards& cards, char card) { return static_cast<int>(std::ranges::count(cards, card)); }

/// Returns cards less others; a card that is not there is ignored.
Cards without(Cards cards, const Cards& others) {
  for (const char card : others) {
    if (const auto place = cards.find(card); place != Cards::npos) cards.erase(place, 1);
  }
  return cards;
}

/// Lists the seven cards that win in a colour.
Cards word(int color) {
  Cards cards;
  for (const int letter : {0, 1, 2, 2, 3, 4, 5}) cards.push_back(static_cast<char>(color * kLetters + letter));
  return cards;
}

/// Lists the cards that a hand lacks for the word in a colour.
Cards missing_cards(const Cards& hand, int color) { return without(word(color), hand); }

/// Lists the cards of a hand that the word in a colour needs.
Cards needed_cards(const Cards& hand, int color) { return without(word(color), missing_cards(hand, color)); }

/// Returns the colour with the fewest missing cards.
int nearest_color(const Cards& hand) {
  return std::ranges::min({0, 1, 2, 3}, {}, [&](int color) { return missing_cards(hand, color).size(); });
}

/// Sorts a hand: letters that the word in a colour does not need, then action cards, then its letters.
Cards least_useful(const Cards& hand, int color) {
  const auto needed = needed_cards(hand, color);
  auto spare = without(hand, needed);
  std::ranges::sort(spare, {}, [&](char card) {
    const auto use = card >= kTake ? kHandSize + 1 : needed_cards(hand, card / kLetters).size();
    return std::tuple(use, card);
  });
  return spare + needed;
}

v1::CheaterAction make_action(v1::CheaterActionKind kind) {
  v1::CheaterAction action;
  action.set_kind(kind);
  return action;
}

}  // namespace

void Cheater::begin(const std::string& entrants) {
  *this = Cheater(entrant_);
  seat_ = static_cast<std::uint32_t>(entrants.find(static_cast<char>(entrant_)));
  known_.resize(entrants.size());
  sizes_.assign(entrants.size(), kHandSize);
}

void Cheater::restore(const v1::SeatSnapshot& snapshot) {
  const auto& game = snapshot.cheater();
  hand_ = game.hand();
  known_.assign(game.known().begin(), game.known().end());
  sizes_.assign(game.hand_sizes().begin(), game.hand_sizes().end());
  discards_ = game.discards();
}

void Cheater::hear(const v1::Event& event) {
  switch (event.fact_case()) {
    case v1::Event::kGameStarted:
      begin(event.game_started().entrants());
      break;
    case v1::Event::kCheaterDealt:
      discards_ = one(event.cheater_dealt().top());
      break;
    case v1::Event::kCheaterHand:
      hand_ = event.cheater_hand().cards();
      break;
    case v1::Event::kCheaterDrew:
      sizes_.at(event.cheater_drew().seat()) += static_cast<int>(event.cheater_drew().count());
      break;
    case v1::Event::kCheaterDrawn:
      hand_ += event.cheater_drawn().cards();
      break;
    case v1::Event::kCheaterTookTop:
      discards_.pop_back();
      gain(event.cheater_took_top().seat(), event.cheater_took_top().card());
      break;
    case v1::Event::kCheaterDiscarded:
      lay(event.cheater_discarded().seat(), event.cheater_discarded().cards());
      break;
    case v1::Event::kCheaterAttacked:
      if (const auto& attack = event.cheater_attacked(); attack.has_card()) lay(attack.seat(), one(attack.card()));
      break;
    case v1::Event::kCheaterHidden:
      lay(event.cheater_hidden().seat(), one(event.cheater_hidden().card()));
      break;
    case v1::Event::kCheaterHandShown:
      known_.at(event.cheater_hand_shown().seat()) = event.cheater_hand_shown().cards();
      break;
    case v1::Event::kCheaterTaken:
      lose(event.cheater_taken().target(), one(event.cheater_taken().card()));
      gain(event.cheater_taken().seat(), event.cheater_taken().card());
      break;
    case v1::Event::kCheaterBusted:
      lay(event.cheater_busted().target(), event.cheater_busted().cards());
      break;
    case v1::Event::kCheaterReshuffled:
      discards_.erase(0, discards_.size() - 1);
      break;
    case v1::Event::kCheaterLeft:
      known_.at(event.cheater_left().seat()).clear();
      sizes_.at(event.cheater_left().seat()) = 0;
      break;
    default:
      break;
  }
}

/// Moves cards of a seat onto the discards.
void Cheater::lay(std::uint32_t seat, const Cards& cards) {
  lose(seat, cards);
  discards_ += cards;
}

/// Takes cards out of a hand, before everybody's eyes.
void Cheater::lose(std::uint32_t seat, const Cards& cards) {
  if (seat == seat_) hand_ = without(hand_, cards);
  known_.at(seat) = without(known_.at(seat), cards);
  sizes_.at(seat) -= static_cast<int>(cards.size());
}

/// Puts a card into a hand, before everybody's eyes.
void Cheater::gain(std::uint32_t seat, std::uint32_t card) {
  if (seat == seat_) hand_ += one(card);
  known_.at(seat) += one(card);
  ++sizes_.at(seat);
}

v1::Decision Cheater::answer(const v1::Prompt& prompt) {
  v1::Decision decision;
  if (prompt.has_cheater_act()) {
    *decision.mutable_cheater() = act(prompt.cheater_act());
  } else if (prompt.has_cheater_discard()) {
    auto& action = *decision.mutable_cheater();
    action.set_kind(v1::CHEATER_ACTION_KIND_DISCARD);
    action.set_cards(least_useful(hand_, target()).substr(0, prompt.cheater_discard().count()));
  } else if (prompt.has_cheater_reaction()) {
    *decision.mutable_cheater() = react(prompt.cheater_reaction());
  } else if (prompt.has_cheater_pick()) {
    *decision.mutable_cheater() = pick(prompt.cheater_pick());
  }
  return decision;
}

/// Takes the top discard if it is missing, or else attacks the seat that most likely has a missing card.
v1::CheaterAction Cheater::act(const v1::CheaterAct& options) const {
  const auto missing = missing_cards(hand_, target());
  if (contains(options.powers(), kTakeTop) && !discards_.empty() && contains(missing, discards_.back())) {
    return make_action(v1::CHEATER_ACTION_KIND_TAKE_TOP);
  }
  const bool has_take = contains(options.playable(), kTake);
  const bool may_play = has_take || contains(options.playable(), kWild);
  if (!may_play && !contains(options.powers(), kDemand)) return make_action(v1::CHEATER_ACTION_KIND_DRAW);
  auto action = make_action(may_play ? v1::CHEATER_ACTION_KIND_PLAY : v1::CHEATER_ACTION_KIND_DEMAND);
  action.set_target(static_cast<std::uint32_t>(
      std::ranges::max(options.targets(), {}, [&](char seat) { return chance(seat, missing); })));
  if (may_play) action.set_card(has_take ? kTake : kWild);
  if (may_play && !has_take) action.set_wild_as(v1::CHEATER_ATTACK_TAKE);
  return action;
}

/// Hides the hand if that is possible. A HIDE comes before a WILD.
v1::CheaterAction Cheater::react(const v1::CheaterReaction& options) const {
  if (options.hiding().empty()) return make_action(v1::CHEATER_ACTION_KIND_ALLOW);
  auto action = make_action(v1::CHEATER_ACTION_KIND_HIDE);
  action.set_card(static_cast<std::uint32_t>(options.hiding().front()));
  return action;
}

/// Takes what helps, or else what hurts: a letter of the word to which the shown hand is nearest.
v1::CheaterAction Cheater::pick(const v1::CheaterPick& options) const {
  const auto harmful = needed_cards(options.hand(), nearest_color(options.hand()));
  if (options.attack() == v1::CHEATER_ATTACK_BUST) {
    auto action = make_action(v1::CHEATER_ACTION_KIND_BUST);
    action.set_cards(harmful.substr(0, options.most()));
    return action;
  }
  const auto color = target();
  const auto missing = missing_cards(hand_, color);
  const auto wanted = std::ranges::find_if(options.hand(), [&](char card) { return contains(missing, card); });
  const char card = wanted != options.hand().end() ? *wanted : (harmful + options.hand()).at(0);
  auto action = make_action(v1::CHEATER_ACTION_KIND_TAKE);
  action.set_card(static_cast<std::uint32_t>(card));
  if (options.attack() == v1::CHEATER_ATTACK_DEMAND) {
    action.set_discard(static_cast<std::uint32_t>(least_useful(hand_ + card, color).front()));
  }
  return action;
}

/// Returns the colour with the fewest missing cards; it prefers one that needs no card of the discards.
int Cheater::target() const {
  return std::ranges::min(
      {0, 1, 2, 3}, {}, [&](int color) { return std::tuple(!is_possible(color), missing_cards(hand_, color).size()); });
}

/// Tells whether no missing card of a colour lies on the discards.
bool Cheater::is_possible(int color) const {
  const auto missing = missing_cards(hand_, color);
  return std::ranges::all_of(missing,
                             [&](char card) { return count(missing, card) <= unseen(card) + known_elsewhere(card); });
}

/// Counts the copies of a card that this bot cannot locate.
int Cheater::unseen(char card) const {
  const auto copies = card < kTake ? kLetterCopies.at(card % kLetters) : kActionCopies.at(card - kTake);
  const auto packs = known_.size() > 4 ? 2 : 1;
  return copies * packs - count(hand_, card) - count(discards_, card) - known_elsewhere(card);
}

/// Counts the copies of a card that are known to be in other hands.
int Cheater::known_elsewhere(char card) const {
  int number = 0;
  for (std::size_t seat = 0; seat < known_.size(); ++seat) {
    if (seat != seat_) number += count(known_[seat], card);
  }
  return number;
}

/// Tells how likely a seat has a missing card: 2 is certain.
double Cheater::chance(std::size_t seat, const Cards& missing) const {
  const auto& known = known_.at(seat);
  int number = 0;
  char previous = -1;
  for (const char card : missing) {  // in ascending order
    if (contains(known, card)) return 2;
    if (std::exchange(previous, card) != card) number += unseen(card);
  }
  return (sizes_.at(seat) - static_cast<int>(known.size())) * number / 100.0;
}
