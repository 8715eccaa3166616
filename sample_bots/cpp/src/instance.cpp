#include "instance.h"

#include <openssl/sha.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <random>
#include <string_view>
#include <utility>

namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::size_t kDigits = 16;

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  const std::string host(name.data());
  // each container has another name
  return host.size() == 12 && host.find_first_not_of(kHexDigits) == std::string::npos ? "container" : host;
}

std::string derive(const std::string& version) {
  const auto text = host_name() + "\ncheat,cheater\n" + version;
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  std::string name;
  for (std::size_t digit = 0; digit < kDigits; ++digit) {
    name += kHexDigits[digit % 2 == 0 ? digest[digit / 2] >> 4 : digest[digit / 2] & 15];
  }
  return name;
}

}  // namespace

Instance::Instance(const std::string& chosen, const std::string& version)
    : name_(chosen.empty() ? derive(version) : chosen), is_derived_(chosen.empty()), may_change_(chosen.empty()) {}

bool Instance::settle(const std::string& given) {
  is_derived_ = false;
  if (!may_change_ || given.empty() || given == name_) return false;
  name_ = given;
  return true;
}

bool Instance::give_way() {
  if (!std::exchange(may_change_, false)) return false;
  std::random_device random;
  name_.clear();
  std::generate_n(std::back_inserter(name_), kDigits, [&] { return kHexDigits[random() % kHexDigits.size()]; });
  is_derived_ = false;
  return true;
}
