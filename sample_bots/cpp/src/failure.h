#pragma once

#include <grpcpp/support/status.h>

#include <cstdint>
#include <stdexcept>
#include <string>

/// Exit codes, as of the Python package.
enum class Exit {
  kUsage = 64,         // a setting is missing or invalid
  kUnavailable = 69,   // the server is gone
  kSoftware = 70,      // anything else
  kReplaced = 75,      // a newer process took over
  kRefused = 76,       // the server refuses the program, or no secure connection can be made
  kTokenRefused = 77,  // the server refuses the token
};

/// Ends the program: connecting again would not help. The text is one sentence for people.
class Failure : public std::runtime_error {
 public:
  Failure(Exit exit, const std::string& text) : std::runtime_error(text), exit_(exit) {}
  Exit exit() const { return exit_; }

 private:
  Exit exit_;
};

/// Throws a Failure if another stream would end in the same way. `is_known` tells whether an arena has answered at the
/// address before.
void check_ending(const grpc::Status& ending, const std::string& address, bool is_known);

/// Throws a Failure if what answers closes connections without a word.
void check_mute(const grpc::Status& ending, const std::string& address);

constexpr std::uint32_t kProtocolVersion = 1;

/// Throws a Failure if the server speaks another version of the protocol.
void check_version(std::uint32_t version);

/// Returns what gRPC or the server says about an ending, in one line.
std::string describe(const grpc::Status& ending);
