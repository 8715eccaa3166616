#include "player.h"

#include <algorithm>
#include <iostream>

#include "cheat.h"
#include "cheater.h"

namespace {

constexpr std::size_t kLongestText = 200;  // bytes that a cause may have

v1::Decision no_answer(v1::NoAnswerCause cause, std::string text) {
  text.resize(std::min(text.size(), kLongestText));
  std::ranges::replace_if(text, [](unsigned char c) { return c < ' ' || c > '~'; }, '?');
  v1::Decision decision;
  decision.mutable_no_answer()->set_cause(cause);
  decision.mutable_no_answer()->set_text(std::move(text));
  return decision;
}

}  // namespace

std::unique_ptr<Player> make_player(const v1::MatchTerms& terms, std::uint32_t entrant) {
  if (terms.ruleset().has_cheat()) return std::make_unique<Cheat>(terms.ruleset().cheat(), entrant);
  return std::make_unique<Cheater>(entrant);
}

v1::Decision decide(Player& player, const v1::Prompt& prompt, bool gives_up) {
  if (gives_up) return no_answer(v1::NO_ANSWER_CAUSE_GAVE_UP, "the answers were refused");
  try {
    auto decision = player.answer(prompt);
    if (decision.action_case() != v1::Decision::ACTION_NOT_SET) return decision;
    return no_answer(v1::NO_ANSWER_CAUSE_EMPTY, "this bot does not know such a prompt");
  } catch (const std::exception& error) {
    std::cerr << "prompt " << prompt.id() << ": " << error.what() << std::endl;
    return no_answer(v1::NO_ANSWER_CAUSE_CRASHED, error.what());
  }
}

void log_fault(std::uint32_t match, const v1::Fault& fault) {
  std::cerr << "match " << match << ": prompt " << fault.prompt_id() << ": " << v1::FaultKind_Name(fault.kind()) << ' '
            << v1::ErrorReason_Name(fault.reason()) << std::endl;
}
