#pragma once

#include <grpcpp/support/status.h>

#include <chrono>
#include <string>

#include "settings.h"

/// The search for a server while there is no stream. It ends when a server answers, and begins again when that is lost.
class Search {
 public:
  explicit Search(const Settings& settings) : address_(settings.address), patience_(settings.patience) {
    if (!settings.proxy.empty()) address_ += " through the proxy " + settings.proxy;
  }
  /// Notes that the server has answered.
  void end() { is_over_ = is_known_ = true; }
  /// Returns how long to wait before the next stream. Throws a Failure if another one would not help.
  std::chrono::milliseconds next(const grpc::Status& ending);

 private:
  using Clock = std::chrono::steady_clock;

  std::string address_;  // with the proxy on the way to it
  std::chrono::seconds patience_;
  Clock::time_point began_ = Clock::now();
  std::chrono::milliseconds pause_{0};
  bool is_told_ = false;  // whether a line has said that the bot is still trying
  bool is_over_ = false;
  bool is_known_ = false;  // whether an arena has ever answered at the address
};
