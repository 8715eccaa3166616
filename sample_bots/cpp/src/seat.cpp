#include "seat.h"

#include <algorithm>

constexpr std::uint32_t kActionIds = 16;      // between the first ids of two prompts
constexpr std::uint32_t kMostBroken = 2;      // refused answers after which the bot gives up
constexpr std::int64_t kIsNow = -1;           // the instant of a decision that is about to be sent
constexpr std::int64_t kTooEarlyUs = 10'000;  // before the next call, if the server does not name its instant

bool Seat::hear(const v1::SeatMessage& message, std::int64_t now_us) {
  if (message.has_snapshot()) {
    const auto& snapshot = message.snapshot();
    questions_.clear();
    learn(snapshot.events());
    if (snapshot.game_case() != v1::SeatSnapshot::GAME_NOT_SET) player_->restore(snapshot);
    ask(snapshot.prompts());
    settle(snapshot.answers(), now_us);
    for (const auto id : snapshot.answered()) questions_.erase(id);
  } else if (message.sequence() != sequence_ + 1) {
    return false;
  }
  sequence_ = message.sequence();
  learn(message.events());
  settle(message.answers(), now_us);
  ask(message.prompts());
  for (const auto id : message.withdrawn()) questions_.erase(id);
  return true;
}

void Seat::learn(const List<v1::Event>& events) {
  for (const auto& event : events) {
    if (event.has_match_started()) player_ = make_player(event.match_started().terms(), key_.second);
    if (event.has_game_started() || event.has_intermission_started()) {
      in_break_ = event.has_intermission_started();
      is_ready_ = false;
    }
    if (event.has_game_ended()) questions_.clear();
    if (event.has_match_ended()) is_over_ = true;
    if (event.has_fault()) log_fault(key_.first, event.fault());
    if (player_) player_->hear(event);
  }
}

/// Notes prompts. One that comes again has other times; an answer that was sent stays valid.
void Seat::ask(const List<v1::Prompt>& prompts) {
  for (const auto& prompt : prompts) {
    auto& question = questions_[prompt.id()];
    question.action_id = std::max(question.action_id, prompt.id() * kActionIds);
    question.prompt = prompt;
    question.earliest_us = prompt.earliest_us();
  }
}

/// Processes the results of decisions. After some refusals, another answer is welcome.
void Seat::settle(const List<v1::DecisionAnswer>& answers, std::int64_t now_us) {
  for (const auto& answer : answers) {
    sent_us_.erase(answer.prompt_id());
    const auto found = questions_.find(answer.prompt_id());
    if (found == questions_.end() || answer.action_id() < found->second.action_id) continue;
    auto& question = found->second;
    question.action_id = answer.action_id() + 1;
    question.is_sent = false;
    switch (answer.reason()) {
      case v1::ERROR_REASON_TOO_EARLY:
        question.earliest_us = answer.retry_at_us() > 0 ? answer.retry_at_us() : now_us + kTooEarlyUs;
        break;
      case v1::ERROR_REASON_ACTION_ID_CONFLICT:
        break;
      case v1::ERROR_REASON_UNSPECIFIED:  // the decision counts, or is held
      case v1::ERROR_REASON_LATE:
      case v1::ERROR_REASON_UNKNOWN_PROMPT:
      case v1::ERROR_REASON_ALREADY_ANSWERED:
        questions_.erase(found);
        break;
      default:
        if (++question.broken_rules > kMostBroken) questions_.erase(found);
    }
  }
}

void Seat::resume() {
  if (std::exchange(is_held_, true)) return;
  for (auto& [id, question] : questions_) question.is_sent = false;
  is_ready_ = false;
}

void Seat::stamp(std::int64_t now_us) {
  for (auto& [id, sent_us] : sent_us_) {
    if (sent_us == kIsNow) sent_us = now_us;
  }
}

std::optional<std::int64_t> Seat::oldest_us() const {
  std::optional<std::int64_t> oldest;
  for (const auto& [id, sent_us] : sent_us_) oldest = std::min(oldest.value_or(kNever), sent_us);
  return oldest;
}

std::int64_t Seat::answer(std::int64_t now_us, bool takes_no_answer, v1::PlayRequest& reply) {
  auto next_us = kNever;
  for (auto& [id, question] : questions_) {
    if (question.is_sent) continue;
    if (question.earliest_us > now_us) {
      next_us = std::min(next_us, question.earliest_us);
      continue;
    }
    question.is_sent = true;
    auto decision = decide(*player_, question.prompt, question.broken_rules == kMostBroken);
    if (decision.has_no_answer() && !takes_no_answer) continue;  // this server moves for the bot at the deadline
    address(decision);
    decision.set_prompt_id(id);
    decision.set_action_id(question.action_id);
    *reply.add_decisions() = std::move(decision);
    sent_us_[id] = kIsNow;
  }
  if (in_break_ && !std::exchange(is_ready_, true)) address(*reply.add_notices()->mutable_ready());
  return next_us;
}
