#include "cheat.h"

#include <gtest/gtest.h>

#include <string>

namespace {

constexpr std::uint32_t kMe = 0, kRival = 1, kThird = 2;

v1::CheatRuleset standard_rules() {
  v1::CheatRuleset rules;
  rules.set_decks(1);
  rules.set_jokers_per_deck(2);
  return rules;
}

/// A bot of the preset standard at a table of three, with these cards.
class CheatTest : public testing::Test {
 protected:
  void deal(const std::string& cards) {
    v1::Event started;
    started.mutable_game_started()->set_entrants(std::string{kMe, kRival, kThird});
    bot_.hear(started);
    v1::Event hand;
    hand.mutable_cheat_hand()->mutable_cards()->set_cards(cards);
    bot_.hear(hand);
  }

  void hear_claim(std::uint32_t seat, std::uint32_t rank, std::uint32_t count) {
    v1::Event event;
    event.mutable_cheat_played()->set_seat(seat);
    event.mutable_cheat_played()->set_rank(rank);
    event.mutable_cheat_played()->set_count(count);
    bot_.hear(event);
  }

  bool calls() {
    v1::Prompt prompt;
    prompt.mutable_cheat_window();
    return bot_.answer(prompt).cheat().kind() == v1::CHEAT_ACTION_KIND_CALL;
  }

  v1::CheatAction move(const std::string& ranks, std::uint32_t least, std::uint32_t most, bool face_up = false,
                       bool can_pass = false) {
    v1::Prompt prompt;
    auto& turn = *prompt.mutable_cheat_turn();
    turn.set_ranks(ranks);
    turn.add_counts(least);
    turn.add_counts(most);
    turn.set_face_up(face_up);
    turn.set_can_pass(can_pass);
    return bot_.answer(prompt).cheat();
  }

  Cheat bot_{standard_rules(), kMe};
};

void expect_play(const v1::CheatAction& action, const std::string& cards, std::uint32_t rank) {
  EXPECT_EQ(action.kind(), v1::CHEAT_ACTION_KIND_PLAY);
  EXPECT_EQ(action.cards(), cards);
  EXPECT_EQ(action.rank(), rank);
  EXPECT_EQ(action.count(), cards.size());
}

const std::string kAces{0, 1};
const std::string kHand = kAces + std::string{8, 9, 10, kJoker};  // two aces, three threes and a joker

TEST_F(CheatTest, LaysMostTrueCardsAndJokersLast) {
  deal(kHand);
  expect_play(move({0, 2}, 1, 6), {8, 9, 10, kJoker}, 2);
}

TEST_F(CheatTest, LaysALegalNumberWithoutJokersIfItCan) {
  deal(kHand);
  expect_play(move({0, 2}, 1, 2), kAces, 0);
}

TEST_F(CheatTest, LaysNoJokerAloneFaceUp) {
  deal(kHand);
  expect_play(move({0, 5}, 1, 1, true), {0}, 0);
}

TEST_F(CheatTest, TellsTheSmallestLieWithTheLeastUsefulCards) {
  deal(kHand);
  expect_play(move({7}, 2, 6), kAces, 7);
}

TEST_F(CheatTest, PassesRatherThanLies) {
  deal({0});
  EXPECT_EQ(move({7}, 1, 6, false, true).kind(), v1::CHEAT_ACTION_KIND_PASS);
}

TEST_F(CheatTest, CallsOnlyWhatCannotBeTrue) {
  deal({20, 21, 22, kJoker});  // one five and one joker are elsewhere
  for (std::uint32_t count = 0; count <= 4; ++count) {
    hear_claim(kRival, 5, count);
    EXPECT_EQ(calls(), count > 2) << "a claim of " << count;
  }
}

TEST_F(CheatTest, RemembersCardsThatACallHasShown) {
  deal({20});
  hear_claim(kRival, 9, 3);
  v1::Event event;
  auto& called = *event.mutable_cheat_called();
  called.set_caller(kThird);
  called.set_accused(kRival);
  called.set_taker(kRival);
  called.set_right(true);
  called.mutable_shown()->set_cards({21, 22, 23});
  bot_.hear(event);

  hear_claim(kThird, 5, 3);
  EXPECT_TRUE(calls()) << "three fives of another seat, although two jokers are all that fits";
  hear_claim(kRival, 5, 3);
  EXPECT_FALSE(calls()) << "three fives of the seat that has taken them";
}

TEST_F(CheatTest, PlaysOnFromASnapshot) {
  deal({0});
  v1::SeatSnapshot snapshot;
  auto& game = *snapshot.mutable_cheat();
  game.mutable_hand()->set_cards({20, 21, 22, kJoker});
  auto& claim = *game.add_pile();
  claim.set_seat(kRival);
  claim.set_rank(5);
  claim.set_count(3);
  bot_.restore(snapshot);

  EXPECT_TRUE(calls());
  expect_play(move({5}, 1, 6), {20, 21, 22, kJoker}, 5);
}

TEST_F(CheatTest, CutsEvenlyAndChoosesTheThinnestPacket) {
  v1::Prompt cut;
  cut.mutable_cheat_cut()->set_card_count(11);
  cut.mutable_cheat_cut()->set_packet_count(3);
  const auto sizes = bot_.answer(cut).cheat().sizes();
  EXPECT_EQ(std::vector(sizes.begin(), sizes.end()), (std::vector<std::uint32_t>{4, 4, 3}));

  v1::Prompt choose;
  for (const auto size : {1U, 9U, 5U}) choose.mutable_cheat_choose()->add_sizes(size);
  choose.mutable_cheat_choose()->set_free({1, 2});
  EXPECT_EQ(bot_.answer(choose).cheat().packet(), 2U);
}

TEST(CardCountsTest, ReadsBothFormsOfCards) {
  v1::CheatCards cards;
  for (const auto number : {3U, 40U, kJoker, 20U}) cards.add_counted(number);
  const CardCounts counts(cards);
  EXPECT_EQ(counts[3], 40U);
  EXPECT_EQ(counts[kJoker], 20U);
  EXPECT_EQ(counts.total(), 60U);
}

}  // namespace
