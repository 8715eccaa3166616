#include "line.h"

#include <algorithm>
#include <condition_variable>
#include <iostream>
#include <mutex>

#include "failure.h"
#include "stream.h"

using namespace std::chrono_literals;

namespace {

constexpr auto kConnectTime = 10s;  // until the first frame
constexpr auto kSilence = 25s;      // after which a stream is lost: the server sends a ping every 10 s
constexpr auto kGoodbyeTime = 2s;   // for the server's farewell
constexpr auto kLookTime = 200ms;   // between two looks whether the bot is to finish

void wait(const std::stop_token& stop, std::chrono::milliseconds pause) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any().wait_for(lock, stop, pause, [] { return false; });
}

void say_goodbye(Stream& stream) {
  v1::PlayRequest goodbye;
  goodbye.add_notices()->mutable_goodbye();
  stream.send(std::move(goodbye));
  const auto end = Clock::now() + kGoodbyeTime;
  while (stream.receive({}, end)) continue;
}

}  // namespace

void Line::run(const std::stop_token& stop, const std::stop_token& finish) {
  while (!stop.stop_requested() && !is_leaving_) {
    if (finish.stop_requested() && !session_.is_finishing() && !has_more()) return;
    const auto ending = play(stop, finish);
    if (!stop.stop_requested() && !is_leaving_) wait(stop, judge(ending));
  }
}

/// Returns how long to wait before the next stream. Throws a Failure if it would not help.
std::chrono::milliseconds Line::judge(const grpc::Status& ending) {
  try {
    return search_.next(ending);
  } catch (const Failure& failure) {
    if (failure.exit() != Exit::kReplaced || !session_.instance().give_way()) throw;
    std::cerr << "another program of this bot took over its seats: this one plays on as instance "
              << session_.instance().name() << std::endl;
    return 0ms;
  }
}

/// Lets the session finish. Returns whether there are matches to finish.
bool Line::has_more() {
  const auto left = session_.finish();
  if (left > 0) {
    std::cerr << "no new seats: this bot ends after its matches, of which " << left
              << " are left; Ctrl-C again ends it now" << std::endl;
  }
  return left > 0;
}

/// Runs one stream from its hello to its end. Returns why it ended.
grpc::Status Line::play(const std::stop_token& stop, const std::stop_token& finish) {
  Stream stream(settings_);
  stream.send(session_.hello());
  auto silent = Clock::now() + kConnectTime;
  auto wake = Clock::time_point::max();  // when the session has more to send
  while (true) {
    const auto frame = stream.receive(stop, std::min({silent, wake, Clock::now() + kLookTime}));
    if (stop.stop_requested()) break;
    const bool is_due = Clock::now() >= wake;
    const auto now_us = frame ? frame->now_us() : session_.next_us();
    v1::PlayRequest reply;
    if (frame) {
      auto answers = session_.read(*frame);
      if (!answers) return {grpc::StatusCode::DATA_LOSS, "a message or an answer is missing"};
      reply = std::move(*answers);
      search_.end();
      silent = Clock::now() + kSilence;
    } else if (const auto ending = stream.ending()) {
      return *ending;
    } else if (Clock::now() >= silent) {
      return {grpc::StatusCode::UNAVAILABLE, "the server is silent"};
    } else if (is_due) {
      session_.answer(now_us, reply);
    }
    stream.send(std::move(reply));
    const auto next_us = session_.next_us();
    if (frame || is_due) {
      wake = next_us == kNever ? Clock::time_point::max() : Clock::now() + std::chrono::microseconds(next_us - now_us);
    }
    if (finish.stop_requested() && !session_.is_finishing() && has_more()) {
      return {grpc::StatusCode::CANCELLED, "this bot begins another stream"};
    }
    if (session_.is_done() || (finish.stop_requested() && !session_.is_finishing())) {
      is_leaving_ = true;
      break;
    }
  }
  say_goodbye(stream);
  return grpc::Status::OK;
}
