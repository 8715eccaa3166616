#include "cheater.h"

#include <gtest/gtest.h>

namespace {

constexpr char kTake = 24, kHide = 26, kWild = 28;
const Cards kRedWithoutR{0, 1, 2, 2, 3, 4};

/// A bot of CHEATER at a table of three, with a TAKE on the discards.
class CheaterTest : public testing::Test {
 protected:
  void deal(const Cards& cards) {
    v1::Event started;
    started.mutable_game_started()->set_entrants({0, 1, 2});
    bot_.hear(started);
    v1::Event dealt;
    dealt.mutable_cheater_dealt()->set_seat_count(3);
    dealt.mutable_cheater_dealt()->set_top(kTake);
    bot_.hear(dealt);
    v1::Event hand;
    hand.mutable_cheater_hand()->set_cards(cards);
    bot_.hear(hand);
  }

  Cards discard(std::uint32_t count) {
    v1::Prompt prompt;
    prompt.mutable_cheater_discard()->set_count(count);
    return bot_.answer(prompt).cheater().cards();
  }

  v1::CheaterAction act(const Cards& powers, const Cards& playable) {
    v1::Prompt prompt;
    prompt.mutable_cheater_act()->set_powers(powers);
    prompt.mutable_cheater_act()->set_playable(playable);
    prompt.mutable_cheater_act()->set_targets({1, 2});
    return bot_.answer(prompt).cheater();
  }

  v1::CheaterAction react(const Cards& hiding) {
    v1::Prompt prompt;
    prompt.mutable_cheater_reaction()->set_hiding(hiding);
    return bot_.answer(prompt).cheater();
  }

  v1::CheaterAction pick(v1::CheaterAttack attack, const Cards& hand, std::uint32_t most) {
    v1::Prompt prompt;
    prompt.mutable_cheater_pick()->set_attack(attack);
    prompt.mutable_cheater_pick()->set_hand(hand);
    prompt.mutable_cheater_pick()->set_most(most);
    return bot_.answer(prompt).cheater();
  }

  Cheater bot_{0};
};

TEST_F(CheaterTest, DiscardsWhatItsWordDoesNotNeed) {
  deal({0, 1, 2, 2, 7, 13, 14, kWild});
  EXPECT_EQ(discard(8), (Cards{7, 13, 14, kWild, 0, 1, 2, 2}));
}

TEST_F(CheaterTest, AttacksTheSeatThatShowedAMissingCard) {
  deal(kRedWithoutR + kTake);
  const Cards shown{5, 6, 7, 8, 9, 10, 11};
  v1::Event event;
  event.mutable_cheater_hand_shown()->set_seat(2);
  event.mutable_cheater_hand_shown()->set_cards(shown);
  bot_.hear(event);

  const auto attack = act({}, {kTake});
  EXPECT_EQ(attack.kind(), v1::CHEATER_ACTION_KIND_PLAY);
  EXPECT_EQ(attack.target(), 2U);
  EXPECT_EQ(attack.card(), static_cast<std::uint32_t>(kTake));
  EXPECT_EQ(attack.wild_as(), v1::CHEATER_ATTACK_UNSPECIFIED);
  EXPECT_EQ(pick(v1::CHEATER_ATTACK_TAKE, shown, 1).card(), 5U);
}

TEST_F(CheaterTest, PlaysAWildAsATake) {
  deal(kRedWithoutR + kWild);
  EXPECT_EQ(act({}, {kWild}).wild_as(), v1::CHEATER_ATTACK_TAKE);
}

TEST_F(CheaterTest, DemandsOnlyWithThePower) {
  deal(kRedWithoutR + Cards{7});
  EXPECT_EQ(act({1, 2, 3}, {}).kind(), v1::CHEATER_ACTION_KIND_DEMAND);
  EXPECT_EQ(act({1}, {}).kind(), v1::CHEATER_ACTION_KIND_DRAW);
}

TEST_F(CheaterTest, GivesUpAnUselessCardAfterADemand) {
  deal(kRedWithoutR + Cards{7});
  const auto action = pick(v1::CHEATER_ATTACK_DEMAND, {5, 6, 7, 8, 9, 10, 11}, 1);
  EXPECT_EQ(action.card(), 5U);
  EXPECT_EQ(action.discard(), 7U);
}

TEST_F(CheaterTest, BustsTheWordOfItsVictim) {
  deal(kRedWithoutR + kTake);
  EXPECT_EQ(pick(v1::CHEATER_ATTACK_BUST, {6, 7, 8, 13, 14, kTake, kHide}, 2).cards(), (Cards{6, 7}));
}

TEST_F(CheaterTest, HidesWhenItCan) {
  deal(kRedWithoutR + kHide);
  EXPECT_EQ(react({kHide, kWild}).card(), static_cast<std::uint32_t>(kHide));
  EXPECT_EQ(react({}).kind(), v1::CHEATER_ACTION_KIND_ALLOW);
}

TEST_F(CheaterTest, ItsHandFollowsTheFacts) {
  deal({0, 1, 2, 3, 4, 5, kTake});
  v1::Event attacked;
  attacked.mutable_cheater_attacked()->set_target(1);
  attacked.mutable_cheater_attacked()->set_card(kTake);
  bot_.hear(attacked);
  v1::Event taken;
  taken.mutable_cheater_taken()->set_target(1);
  taken.mutable_cheater_taken()->set_card(2);
  bot_.hear(taken);
  EXPECT_EQ(discard(7), (Cards{0, 1, 2, 2, 3, 4, 5}));
}

TEST_F(CheaterTest, TakesAMissingCardFromTheDiscards) {
  deal(kRedWithoutR + kTake);
  v1::Event discarded;
  discarded.mutable_cheater_discarded()->set_seat(1);
  discarded.mutable_cheater_discarded()->set_cards({7, 5});
  bot_.hear(discarded);
  EXPECT_EQ(act({1, 2, 3}, {kTake}).kind(), v1::CHEATER_ACTION_KIND_TAKE_TOP);
}

}  // namespace
