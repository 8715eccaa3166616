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
  /// Opens streams until `stop` is requested. After `finish` is requested, takes no new seats, and ends with the last
  /// match. Throws a Failure if another stream would not help.
  void run(const std::stop_token& stop, const std::stop_token& finish);

 private:
  grpc::Status play(const std::stop_token& stop, const std::stop_token& finish);
  std::chrono::milliseconds judge(const grpc::Status& ending);
  bool has_more();

  Settings settings_;
  Search search_;
  Session session_;
  bool is_leaving_ = false;
};
