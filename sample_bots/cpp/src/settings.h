#pragma once

#include <grpcpp/security/credentials.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "instance.h"
#include "pools.h"

/// Where the bot plays and as whom. The variables are those of the protocol guide.
struct Settings {
  std::string address, token;
  Instance instance{};
  std::shared_ptr<grpc::ChannelCredentials> credentials{};
  std::string proxy{};                // on the way to the address; empty if there is none
  std::chrono::seconds patience{30};  // how long the bot looks for a server that is gone
  bool resumes_exactly = false;       // continue from positions after a lost connection, not from snapshots
  std::vector<v1::PoolEntry> pools{};
  std::string version{};  // of this program, for ratings
  v1::ChallengePolicy challenges = v1::CHALLENGE_POLICY_UNSPECIFIED;
};

/// Returns the value of a variable; empty if it is not set.
using Environment = std::function<std::string(const std::string& name)>;

/// Reads the settings. Throws a Failure for the bot's user if one of them is bad.
Settings read_settings(const Environment& get);

/// Returns whether connections to a host use TLS. Throws a Failure if the settings contradict each other.
bool uses_tls(const std::string& host, const Environment& get);

/// Returns the proxy that gRPC takes to a host, without the password in it; empty if it takes none. Nothing stands between
/// this bot and its own machine.
std::string proxy_to(const std::string& host, const Environment& get);
