#include "line.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "stream.h"

using namespace std::chrono_literals;

namespace {

constexpr auto kConnectTime = 10s;  // until the first frame
constexpr auto kSilence = 25s;      // after which a stream is lost: the server sends a ping every 10 s
constexpr auto kGoodbyeTime = 2s;   // for the server's farewell

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

void Line::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const auto ending = play(stop);
    if (!stop.stop_requested()) wait(stop, search_.next(ending));
  }
}

/// Runs one stream from its hello to its end. Returns why it ended.
grpc::Status Line::play(const std::stop_token& stop) {
  Stream stream(settings_);
  stream.send(session_.hello());
  auto silent = Clock::now() + kConnectTime;
  auto wake = Clock::time_point::max();  // when the session has more to send
  while (true) {
    const auto frame = stream.receive(stop, std::min(silent, wake));
    if (stop.stop_requested()) break;
    const auto now_us = frame ? frame->now_us() : session_.next_us();
    v1::PlayRequest reply;
    if (frame) {
      auto answers = session_.read(*frame);
      if (!answers) return {grpc::StatusCode::DATA_LOSS, "a message is missing"};
      reply = std::move(*answers);
      search_.end();
      silent = Clock::now() + kSilence;
    } else if (const auto ending = stream.ending()) {
      return *ending;
    } else if (Clock::now() >= silent) {
      return {grpc::StatusCode::UNAVAILABLE, "the server is silent"};
    } else {
      session_.answer(now_us, reply);
    }
    stream.send(std::move(reply));
    const auto next_us = session_.next_us();
    wake = next_us == kNever ? Clock::time_point::max() : Clock::now() + std::chrono::microseconds(next_us - now_us);
  }
  say_goodbye(stream);
  return grpc::Status::OK;
}
