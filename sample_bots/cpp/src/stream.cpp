#include "stream.h"

#include <algorithm>

constexpr int kFrameDecisions = 200;  // of at most 4 KiB each, so that a frame stays below 1 MiB

Stream::Stream(const Settings& settings) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);  // each stream has a connection of its own
  if (settings.proxy.empty()) arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  stub_ = v1::PlayService::NewStub(grpc::CreateCustomChannel(settings.address, settings.credentials, arguments));
  context_.AddMetadata("authorization", "Bearer " + settings.token);
  stub_->async()->Play(&context_, this);
  AddHold();  // until the last read, because frames are sent outside of reactions
  StartRead(&reading_);
  StartCall();
}

Stream::~Stream() {
  context_.TryCancel();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return status_.has_value(); });
}

void Stream::send(v1::PlayRequest frame) {
  const std::lock_guard lock(mutex_);
  push(std::move(frame));
}

void Stream::push(v1::PlayRequest frame) {
  const bool is_writing = !outgoing_.empty();
  while (is_open_ && frame.decisions_size() + frame.notices_size() > 0) {
    auto& part = outgoing_.emplace_back();
    part.mutable_notices()->Swap(frame.mutable_notices());
    const auto size = std::min(frame.decisions_size(), kFrameDecisions);
    part.mutable_decisions()->Assign(frame.decisions().begin(), frame.decisions().begin() + size);
    frame.mutable_decisions()->DeleteSubrange(0, size);
  }
  if (!is_writing && !outgoing_.empty()) StartWrite(&outgoing_.front());
}

std::optional<v1::PlayResponse> Stream::receive(const std::stop_token& stop, Clock::time_point until) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, stop, until, [&] { return !incoming_.empty() || status_; });
  if (incoming_.empty()) return std::nullopt;
  std::optional<v1::PlayResponse> frame(std::move(incoming_.front()));
  incoming_.pop_front();
  return frame;
}

std::optional<grpc::Status> Stream::ending() {
  const std::lock_guard lock(mutex_);
  return incoming_.empty() ? status_ : std::nullopt;
}

void Stream::OnReadDone(bool ok) {
  const std::lock_guard lock(mutex_);
  if (ok) {
    for (const auto& notice : reading_.notices()) {
      if (!notice.has_ping()) continue;
      v1::PlayRequest pong;
      pong.add_notices()->mutable_pong()->set_nonce(notice.ping().nonce());
      push(std::move(pong));
    }
    incoming_.push_back(std::move(reading_));
    changed_.notify_all();
    StartRead(&reading_);
  } else {
    is_open_ = false;
    RemoveHold();
  }
}

void Stream::OnWriteDone(bool ok) {
  const std::lock_guard lock(mutex_);
  outgoing_.pop_front();
  if (ok && is_open_ && !outgoing_.empty()) StartWrite(&outgoing_.front());
}

void Stream::OnDone(const grpc::Status& status) {
  const std::lock_guard lock(mutex_);
  status_ = status;
  changed_.notify_all();
}
