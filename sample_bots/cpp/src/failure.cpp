#include "failure.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace {

struct Meaning {
  Exit exit;
  std::string_view text;
};

/// The statuses that a server gives for its final reasons; all other ends may be lost connections.
constexpr std::array<std::pair<grpc::StatusCode, Meaning>, 6> kFinalCodes{{
    {grpc::StatusCode::UNAUTHENTICATED, {Exit::kTokenRefused, "the server refused the token"}},
    {grpc::StatusCode::PERMISSION_DENIED, {Exit::kTokenRefused, "the token may not play"}},
    {grpc::StatusCode::ABORTED, {Exit::kReplaced, "another process with the same token and instance took over"}},
    {grpc::StatusCode::FAILED_PRECONDITION, {Exit::kRefused, "the server does not let this bot play"}},
    {grpc::StatusCode::INVALID_ARGUMENT, {Exit::kRefused, "the server did not accept what this bot sent"}},
    {grpc::StatusCode::UNIMPLEMENTED, {Exit::kRefused, "what answers is not an arena"}},
}};

/// Parts of what gRPC says if no connection can be made, and waiting would not help; the most specific come first.
constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kFirstTexts{{
    {"wrong version number", "this bot speaks TLS, and the server plaintext"},
    {"WRONG_VERSION_NUMBER", "this bot speaks TLS, and the server plaintext"},
    {"certificate has expired", "the server's certificate has expired, or the clock of this machine is wrong"},
    {"not yet valid", "the server's certificate is not valid yet, or the clock of this machine is wrong"},
    {"certificate verify failed", "the server's certificate is not trusted: check CHEATARENA_CA and the clock"},
    {"Peer name", "the server's certificate is for another host name"},
    {"Verification Check failed", "the server's certificate is for another host name"},
    {"empty address list", "TLS cannot use the files that CHEATARENA_CA, CHEATARENA_CERT and CHEATARENA_KEY name"},
    {"andshake", "no secure connection can be made"},
    {"HTTP/2", "what answers is not an arena"},
}};

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

[[noreturn]] void fail(Exit exit, std::string_view meaning, const std::string& address, const grpc::Status& ending) {
  throw Failure(exit, std::string(meaning) + " (" + address + ": " + describe(ending) + ")");
}

}  // namespace

void check_ending(const grpc::Status& ending, const std::string& address, bool is_known) {
  // Only an arena gives details. Once one has answered, a status without them comes from something on the way to it.
  const bool is_of_arena = !ending.error_details().empty() || !is_known;
  const auto code = std::ranges::find(kFinalCodes, ending.error_code(), [](const auto& entry) { return entry.first; });
  if (code != kFinalCodes.end() && is_of_arena) fail(code->second.exit, code->second.text, address, ending);
  for (const auto& [part, meaning] : kFirstTexts) {
    if (!is_known && contains(ending.error_message(), part)) fail(Exit::kRefused, meaning, address, ending);
  }
}

void check_mute(const grpc::Status& ending, const std::string& address) {
  if (!contains(ending.error_message(), "Socket closed")) return;
  const auto* meaning =
      "what answers there closes the connection: only one side uses TLS, or it asks for a client certificate";
  fail(Exit::kRefused, meaning, address, ending);
}

void check_version(std::uint32_t version) {
  if (version == kProtocolVersion) return;
  throw Failure(Exit::kRefused, "the server speaks version " + std::to_string(version) +
                                    " of the protocol, and this bot version " + std::to_string(kProtocolVersion));
}

std::string describe(const grpc::Status& ending) {
  std::string text = ending.error_message().empty() ? "the stream ended" : ending.error_message();
  std::ranges::replace_if(text, [](unsigned char c) { return c < ' '; }, ' ');
  return text.substr(0, 400);
}
