#include "pools.h"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string_view>

#include "failure.h"

namespace {

constexpr std::size_t kMostPools = 32;
constexpr unsigned kMostSeats = 1000;        // that a bot may want in one pool
constexpr std::ptrdiff_t kLongestName = 32;  // characters of a pool's name, and of a version

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

/// Returns whether a text has at most 32 characters and no control character. The server finds any other character that
/// cannot be printed.
bool is_short_text(std::string_view text) {
  const auto begins_character = [](char byte) { return (byte & 0xC0) != 0x80; };  // in UTF-8
  const auto is_control = [](unsigned char byte) { return byte < ' ' || byte == 0x7F; };
  return std::ranges::count_if(text, begins_character) <= kLongestName && std::ranges::none_of(text, is_control);
}

v1::PoolEntry parse_pool(std::string_view part) {
  const auto colon = part.find(':');
  const auto name = trim(part.substr(0, colon));
  const auto number = colon == std::string_view::npos ? "1" : part.substr(colon + 1);
  unsigned seats = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), seats);
  const bool is_number = error == std::errc() && end == number.data() + number.size();
  if (!is_number || seats < 1 || seats > kMostSeats || name.empty() || !is_short_text(name)) {
    throw Failure(Exit::kUsage, "CHEATARENA_POOLS has \"" + std::string(part) +
                                    "\", expected NAME or NAME:SEATS, with a name of at most " +
                                    std::to_string(kLongestName) + " printable characters and 1 to " +
                                    std::to_string(kMostSeats) + " seats");
  }
  v1::PoolEntry entry;
  entry.set_pool(std::string(name));
  entry.set_seats(seats);
  return entry;
}

}  // namespace

std::vector<v1::PoolEntry> parse_pools(const std::string& text) {
  std::vector<v1::PoolEntry> pools;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    if (const auto trimmed = trim(part); !trimmed.empty()) pools.push_back(parse_pool(trimmed));
  }
  if (pools.size() > kMostPools) {
    throw Failure(Exit::kUsage, "CHEATARENA_POOLS names " + std::to_string(pools.size()) + " pools, expected at most " +
                                    std::to_string(kMostPools));
  }
  return pools;
}

std::string parse_version(const std::string& text) {
  if (is_short_text(text)) return text;
  throw Failure(Exit::kUsage,
                "CHEATARENA_VERSION has to be at most " + std::to_string(kLongestName) + " printable characters");
}

v1::ChallengePolicy parse_challenges(const std::string& word) {
  if (word.empty() || word == "own") return v1::CHALLENGE_POLICY_UNSPECIFIED;
  if (word == "nobody") return v1::CHALLENGE_POLICY_NOBODY;
  if (word == "everybody") return v1::CHALLENGE_POLICY_EVERYBODY;
  throw Failure(Exit::kUsage, "CHEATARENA_CHALLENGES is \"" + word + "\", expected own, nobody or everybody");
}

std::string describe_pool(const v1::PoolNotice& notice) {
  const auto pool = "pool " + notice.pool() + ": ";
  const auto seats = std::to_string(notice.seats()) + (notice.seats() == 1 ? " seat" : " seats");
  if (notice.reason() == v1::POOL_REASON_ENTERED) return pool + "up to " + seats + " at once";
  const auto seconds = std::to_string((notice.retry_after_ms() + 500) / 1000);
  return pool + seats + ", because " + notice.detail() +
         (notice.retry_after_ms() > 0 ? "; again in " + seconds + " s" : "");
}
