#pragma once

#include <stop_token>

#include "search.h"
#include "session.h"
#include "settings.h"

/// Carries the frames of a session, on one stream after another.
class Line {
 public:
  explicit Line(Settings settings)
      : settings_(std::move(settings)), search_(settings_), session_(settings_) {}
  /// Opens streams until `stop` is requested. Throws a Failure if another one would not help.
  void run(const std::stop_token& stop);

 private:
  grpc::Status play(const std::stop_token& stop);

  Settings settings_;
  Search search_;
  Session session_;
};
