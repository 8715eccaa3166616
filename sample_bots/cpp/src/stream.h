#pragma once

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>

#include "cheatarena/v1/play.grpc.pb.h"
#include "settings.h"

namespace v1 = cheatarena::v1;
using Clock = std::chrono::steady_clock;

/// One stream to the server. gRPC's threads move the frames, and the session sees them one after the other. Pings are
/// answered at once, although the bot may think.
class Stream final : private grpc::ClientBidiReactor<v1::PlayRequest, v1::PlayResponse> {
 public:
  explicit Stream(const Settings& settings);
  ~Stream() override;

  /// Sends a frame, after those before it. A large one goes as several; an empty one is left out.
  void send(v1::PlayRequest frame);
  /// Waits for the next frame. Returns none at the end of the stream, at `until` or if `stop` is requested.
  std::optional<v1::PlayResponse> receive(const std::stop_token& stop, Clock::time_point until);
  /// Returns how the stream ended; none while it may have more frames.
  std::optional<grpc::Status> ending();

 private:
  /// Adds a frame to those that are sent. The mutex is locked.
  void push(v1::PlayRequest frame);
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnDone(const grpc::Status& status) override;

  std::unique_ptr<v1::PlayService::Stub> stub_;
  grpc::ClientContext context_;
  v1::PlayResponse reading_;
  std::mutex mutex_;  // guards everything below
  std::condition_variable_any changed_;
  std::deque<v1::PlayRequest> outgoing_;
  std::deque<v1::PlayResponse> incoming_;
  bool is_open_ = true;
  std::optional<grpc::Status> status_;
};
