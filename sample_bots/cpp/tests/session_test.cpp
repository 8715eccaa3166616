#include "session.h"

#include <gtest/gtest.h>

#include "failure.h"

namespace {

constexpr std::int64_t kNow = 1'000'000;

/// A session in which entrant 1 plays match 7 of Cheat, with one pack without jokers.
class SessionTest : public testing::Test {
 protected:
  SessionTest() {
    session_.hello();
    welcome("node");
    auto& message = add_message();
    message.add_events()->mutable_match_started()->mutable_terms()->mutable_ruleset()->mutable_cheat()->set_decks(1);
    message.add_events()->mutable_game_started()->set_entrants({0, 1});
    read();
  }

  static Settings settings() {
    Settings settings;
    settings.instance = Instance("one", "");
    settings.resumes_exactly = true;
    return settings;
  }

  void welcome(const std::string& node) {
    auto& welcome = *frame_.add_notices()->mutable_welcome();
    welcome.set_protocol_version(1);
    welcome.set_node(node);
    welcome.set_takes_no_answer(true);
    read();
  }

  /// Adds the next message to the frame.
  v1::SeatMessage& add_message() {
    auto& message = *frame_.add_messages();
    message.set_match(7);
    message.set_entrant(1);
    message.set_sequence(++sequence_);
    return message;
  }

  static v1::Prompt& add_window(v1::SeatMessage& message, std::uint32_t id) {
    auto& prompt = *message.add_prompts();
    prompt.set_id(id);
    prompt.mutable_cheat_window();
    return prompt;
  }

  /// Lets the session read the frame, and begins another one. Returns the reply.
  v1::PlayRequest read() {
    frame_.set_now_us(kNow);
    const auto reply = session_.read(std::exchange(frame_, {}));
    EXPECT_TRUE(reply.has_value());
    return reply.value_or(v1::PlayRequest());
  }

  /// Asks the bot whether it calls. Returns its decision.
  v1::Decision ask(std::uint32_t id) {
    add_window(add_message(), id);
    const auto reply = read();
    EXPECT_EQ(reply.decisions_size(), 1);
    return reply.decisions(0);
  }

  v1::PlayRequest refuse(const v1::Decision& decision, v1::ErrorReason reason, std::int64_t retry_at_us = 0) {
    auto& answer = *add_message().add_answers();
    answer.set_prompt_id(decision.prompt_id());
    answer.set_action_id(decision.action_id());
    answer.set_status(v1::DECISION_STATUS_REFUSED);
    answer.set_reason(reason);
    if (retry_at_us > 0) answer.set_retry_at_us(retry_at_us);
    return read();
  }

  v1::PlayResponse frame_;
  std::uint64_t sequence_ = 0;
  Session session_{settings()};
};

TEST_F(SessionTest, HelloNamesTheSeatsAndTheLastMessages) {
  const auto hello = session_.hello().notices(0).hello();
  EXPECT_EQ(hello.instance(), "one");
  EXPECT_EQ(hello.node(), "node");
  ASSERT_EQ(hello.positions_size(), 1);
  EXPECT_EQ(hello.positions(0).match(), 7U);
  EXPECT_EQ(hello.positions(0).entrant(), 1U);
  EXPECT_EQ(hello.positions(0).sequence(), sequence_);
}

TEST_F(SessionTest, AnswersAPromptOnce) {
  const auto decision = ask(3);
  EXPECT_EQ(decision.match(), 7U);
  EXPECT_EQ(decision.entrant(), 1U);
  EXPECT_EQ(decision.prompt_id(), 3U);
  EXPECT_EQ(decision.cheat().kind(), v1::CHEAT_ACTION_KIND_DECLINE);
  add_window(add_message(), 3);  // it comes again with other times
  EXPECT_EQ(read().decisions_size(), 0);
}

TEST_F(SessionTest, AnswersAWholeFrameAtOnce) {
  add_window(add_message(), 3);
  add_window(add_message(), 4);
  frame_.add_notices()->mutable_offered()->set_offer_id(8);
  const auto reply = read();
  EXPECT_EQ(reply.decisions_size(), 2);
  ASSERT_EQ(reply.notices_size(), 1);
  EXPECT_EQ(reply.notices(0).offer_answer().offer_id(), 8U);
  EXPECT_TRUE(reply.notices(0).offer_answer().accept());
}

TEST_F(SessionTest, DoesNotAnswerWhatIsWithdrawn) {
  auto& message = add_message();
  add_window(message, 3);
  add_window(message, 4);
  message.add_withdrawn(3);
  add_message().add_withdrawn(4);
  EXPECT_EQ(read().decisions_size(), 0);
}

TEST_F(SessionTest, EndsTheStreamIfAMessageIsMissing) {
  ++sequence_;
  add_message();
  EXPECT_FALSE(session_.read(frame_).has_value());
  EXPECT_EQ(session_.hello().notices(0).hello().positions_size(), 0) << "the seat gets a snapshot";
}

TEST_F(SessionTest, IgnoresMessagesWithoutANumber) {
  add_message().set_sequence(0);
  --sequence_;
  read();
  ask(3);
}

TEST_F(SessionTest, AnswersAgainUnderANewIdAndThenGivesUp) {
  const auto first = ask(3);
  const auto second = refuse(first, static_cast<v1::ErrorReason>(9999)).decisions(0);
  EXPECT_GT(second.action_id(), first.action_id());
  EXPECT_TRUE(second.has_cheat());
  const auto third = refuse(second, v1::ERROR_REASON_MALFORMED).decisions(0);
  EXPECT_EQ(third.no_answer().cause(), v1::NO_ANSWER_CAUSE_GAVE_UP);
  EXPECT_EQ(refuse(third, v1::ERROR_REASON_MALFORMED).decisions_size(), 0);
}

TEST_F(SessionTest, ForgetsAPromptThatIsClosed) {
  for (const auto reason :
       {v1::ERROR_REASON_LATE, v1::ERROR_REASON_UNKNOWN_PROMPT, v1::ERROR_REASON_ALREADY_ANSWERED}) {
    EXPECT_EQ(refuse(ask(static_cast<std::uint32_t>(reason)), reason).decisions_size(), 0);
  }
}

TEST_F(SessionTest, CallsNoEarlierThanItMay) {
  auto& message = add_message();
  message.add_events()->mutable_cheat_played()->set_count(5);  // of four
  add_window(message, 3).set_earliest_us(kNow + 500);
  EXPECT_EQ(read().decisions_size(), 0);
  EXPECT_EQ(session_.next_us(), kNow + 500);

  v1::PlayRequest reply;
  session_.answer(kNow + 500, reply);
  ASSERT_EQ(reply.decisions_size(), 1);
  EXPECT_EQ(reply.decisions(0).cheat().kind(), v1::CHEAT_ACTION_KIND_CALL);
  refuse(reply.decisions(0), v1::ERROR_REASON_TOO_EARLY, kNow + 700);
  EXPECT_EQ(session_.next_us(), kNow + 700);
}

TEST_F(SessionTest, SaysThatItsCodeThrew) {
  auto& prompt = *add_message().add_prompts();
  prompt.mutable_cheat_turn();  // without ranks, which no server sends
  testing::internal::CaptureStderr();
  const auto reply = read();
  EXPECT_NE(testing::internal::GetCapturedStderr(), "");
  ASSERT_EQ(reply.decisions_size(), 1);
  EXPECT_EQ(reply.decisions(0).no_answer().cause(), v1::NO_ANSWER_CAUSE_CRASHED);
}

TEST_F(SessionTest, SendsAnAnswerAgainAfterALostStream) {
  const auto sent = ask(3);
  session_.hello();
  welcome("node");
  frame_.add_notices()->mutable_assigned()->set_match(7);
  frame_.mutable_notices(0)->mutable_assigned()->set_entrant(1);
  frame_.add_notices()->mutable_resumed();
  const auto reply = read();
  ASSERT_EQ(reply.decisions_size(), 1);
  EXPECT_EQ(reply.decisions(0).SerializeAsString(), sent.SerializeAsString());
}

TEST_F(SessionTest, ForgetsSeatsThatTheServerHasForgotten) {
  session_.hello();
  welcome("node");
  frame_.add_notices()->mutable_resumed();
  read();
  EXPECT_EQ(session_.hello().notices(0).hello().positions_size(), 0);
}

TEST_F(SessionTest, ForgetsAllSeatsIfTheServerWasRestarted) {
  session_.hello();
  welcome("another node");
  EXPECT_EQ(session_.hello().notices(0).hello().positions_size(), 0);
}

TEST_F(SessionTest, AnswersWhatASnapshotAsksUnderAnUnusedId) {
  sequence_ = 40;
  auto& snapshot = *add_message().mutable_snapshot();
  for (const auto id : {3U, 4U}) {
    auto& prompt = *snapshot.add_prompts();
    prompt.set_id(id);
    prompt.mutable_cheat_window();
  }
  snapshot.add_answered(3);
  auto& refused = *snapshot.add_answers();
  refused.set_prompt_id(4);
  refused.set_action_id(4 * 16 + 2);
  refused.set_reason(v1::ERROR_REASON_MALFORMED);
  const auto reply = read();
  ASSERT_EQ(reply.decisions_size(), 1);
  EXPECT_EQ(reply.decisions(0).prompt_id(), 4U);
  EXPECT_EQ(reply.decisions(0).action_id(), 4U * 16 + 3);
}

TEST_F(SessionTest, IsReadyOnceInABreak) {
  add_message().add_events()->mutable_intermission_started();
  EXPECT_TRUE(read().notices(0).has_ready());
  EXPECT_EQ(read().notices_size(), 0);
}

TEST_F(SessionTest, RefusesAnotherVersion) {
  frame_.add_notices()->mutable_welcome()->set_protocol_version(2);
  EXPECT_THROW(session_.read(frame_), Failure);
}

}  // namespace
