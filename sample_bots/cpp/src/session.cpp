#include "session.h"

#include <algorithm>
#include <iostream>

#include "failure.h"

constexpr std::uint32_t kCapacity = 1000;  // seats at the same time

v1::PlayRequest Session::hello() {
  const auto capacity = is_finishing_ ? std::max<std::uint32_t>(1, seats_.size()) : kCapacity;
  if (!settings_.resumes_exactly) seats_.clear();
  next_us_ = kNever;
  watch_ = {};
  is_caught_up_ = false;
  v1::PlayRequest request;
  auto& hello = *request.add_notices()->mutable_hello();
  hello.set_protocol_version(kProtocolVersion);
  hello.set_instance(instance_.name());
  hello.set_is_instance_derived(instance_.is_derived());
  hello.add_games()->set_game("cheat");
  hello.add_games()->set_game("cheater");
  hello.set_capacity(capacity);
  hello.set_node(node_);
  hello.set_version(settings_.version);
  if (is_finishing_) {
    hello.set_challenges(v1::CHALLENGE_POLICY_NOBODY);
  } else {
    for (const auto& pool : settings_.pools) *hello.add_pools() = pool;
    hello.set_challenges(settings_.challenges);
  }
  for (auto& [key, seat] : seats_) {
    seat.suspend();
    auto& position = *hello.add_positions();
    position.set_match(key.first);
    position.set_entrant(key.second);
    position.set_sequence(seat.sequence());
  }
  return request;
}

std::optional<v1::PlayRequest> Session::read(const v1::PlayResponse& frame) {
  for (const auto& message : frame.messages()) {
    if (message.sequence() == 0) continue;  // it refuses a decision for a seat that is no longer ours
    const SeatKey key{message.match(), message.entrant()};
    if (!seats_.try_emplace(key, key).first->second.hear(message, frame.now_us())) {
      seats_.erase(key);  // so that the next stream begins with its snapshot
      return std::nullopt;
    }
  }
  std::optional<std::int64_t> oldest_us;
  for (const auto& [key, seat] : seats_) {
    if (const auto sent_us = seat.oldest_us()) oldest_us = std::min(oldest_us.value_or(kNever), *sent_us);
  }
  if (!watch_.hear(frame.now_us(), oldest_us)) return std::nullopt;
  v1::PlayRequest reply;
  for (const auto& notice : frame.notices()) {
    if (notice.has_welcome()) {
      check_version(notice.welcome().protocol_version());
      if (notice.welcome().node() != node_) seats_.clear();  // the server was restarted
      node_ = notice.welcome().node();
      takes_no_answer_ = notice.welcome().takes_no_answer();
      if (instance_.settle(notice.welcome().instance())) {
        std::cerr << "another program of this bot runs here, so this one is its instance " << instance_.name() << std::endl;
      }
    } else if (notice.has_offered()) {
      auto& accepted = *reply.add_notices()->mutable_offer_answer();
      accepted.set_offer_id(notice.offered().offer_id());
      accepted.set_accept(!is_finishing_);
    } else if (notice.has_assigned()) {
      const auto found = seats_.find({notice.assigned().match(), notice.assigned().entrant()});
      if (found != seats_.end()) found->second.resume();
    } else if (notice.has_resumed()) {
      is_caught_up_ = true;
      std::erase_if(seats_, [](const auto& entry) { return !entry.second.is_held(); });  // their matches are over
    } else if (notice.has_pool_notice()) {
      std::cerr << describe_pool(notice.pool_notice()) << std::endl;
    }
  }
  answer(frame.now_us(), reply);
  return reply;
}

void Session::answer(std::int64_t now_us, v1::PlayRequest& reply) {
  next_us_ = kNever;
  for (auto& [key, seat] : seats_) next_us_ = std::min(next_us_, seat.answer(now_us, takes_no_answer_, reply));
  std::erase_if(seats_, [](const auto& entry) { return entry.second.is_over(); });
  const auto sent_us = watch_.now_us();
  for (auto& [key, seat] : seats_) seat.stamp(sent_us);
}

std::size_t Session::finish() {
  if (settings_.pools.empty()) return 0;
  is_finishing_ = !seats_.empty();
  return seats_.size();
}
