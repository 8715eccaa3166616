#include "settings.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>

#include "failure.h"

namespace {

std::optional<unsigned> parse_number(std::string_view text) {
  std::uint16_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Returns the host of host:port or [IPv6]:port, without the brackets, and this machine for the path of a Unix socket;
/// empty if an address has another form.
std::string host_of(const std::string& address) {
  if (address.starts_with("unix:/")) return "localhost";
  const auto colon = address.rfind(':');
  if (colon == std::string::npos || !parse_number(std::string_view(address).substr(colon + 1))) return "";
  auto host = address.substr(0, colon);
  const bool has_brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (has_brackets) return host.substr(1, host.size() - 2);
  return host.find_first_of(":/[] ") == std::string::npos ? host : "";
}

bool is_loopback(const std::string& host) {
  in_addr v4{};
  in6_addr v6{};
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) return ntohl(v4.s_addr) >> 24 == 127;
  if (inet_pton(AF_INET6, host.c_str(), &v6) == 1) return IN6_IS_ADDR_LOOPBACK(&v6);
  return host == "localhost";
}

/// Returns the content of a PEM file; empty if its variable is not set.
std::string read_pem(const std::string& variable, const Environment& get) {
  const auto path = get(variable);
  if (path.empty()) return "";
  std::ifstream file(path);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw Failure(Exit::kUsage, variable + " names " + path + ", which cannot be read");
  if (content.find("-----BEGIN ") == std::string::npos) {
    throw Failure(Exit::kUsage, variable + " names " + path + ", which is not a PEM file");
  }
  return content;
}

/// Returns a text without what editors add to it: white space, and a byte order mark.
std::string_view strip(std::string_view text) {
  constexpr std::array<std::string_view, 7> kBlanks{" ", "\t", "\r", "\n", "\v", "\f", "\xc2\xa0"};
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  const auto is_cut = [&](std::string_view blank) {
    if (text.starts_with(blank)) text.remove_prefix(blank.size());
    else if (text.ends_with(blank)) text.remove_suffix(blank.size());
    else return false;
    return true;
  };
  while (is_cut(kMark) || std::ranges::any_of(kBlanks, is_cut)) continue;
  return text;
}

}  // namespace

bool uses_tls(const std::string& host, const Environment& get) {
  const bool has_ca = !get("CHEATARENA_CA").empty();
  const bool has_certificate = !get("CHEATARENA_CERT").empty();
  const bool is_insecure = get("CHEATARENA_INSECURE") == "1";
  if (has_certificate == get("CHEATARENA_KEY").empty()) {
    throw Failure(Exit::kUsage, "a certificate and its key come together: set CHEATARENA_CERT and CHEATARENA_KEY");
  }
  if (is_insecure && (has_ca || has_certificate)) {
    throw Failure(Exit::kUsage,
                  "CHEATARENA_INSECURE turns TLS off, so CHEATARENA_CA and CHEATARENA_CERT would do nothing");
  }
  return has_ca || !(is_insecure || is_loopback(host));
}

std::string proxy_to(const std::string& host, const Environment& get) {
  if (is_loopback(host)) return "";
  std::istringstream excepted(get("no_grpc_proxy").empty() ? get("no_proxy") : get("no_grpc_proxy"));
  for (std::string name; std::getline(excepted, name, ',');) {
    if (!name.empty() && host.ends_with(name)) return "";
  }
  for (const auto* variable : {"grpc_proxy", "https_proxy", "http_proxy"}) {
    auto proxy = get(variable);
    const auto begin = proxy.find("//");
    const auto end = proxy.find('@');
    if (begin != std::string::npos && end != std::string::npos) proxy.erase(begin + 2, end - begin - 1);
    if (!proxy.empty()) return proxy;
  }
  return "";
}

Settings read_settings(const Environment& get) {
  Settings settings{.address = get("CHEATARENA_ADDRESS"),
                    .token = std::string(strip(get("CHEATARENA_TOKEN"))),
                    .credentials = grpc::InsecureChannelCredentials(),
                    .resumes_exactly = get("CHEATARENA_RESUME") == "exact"};
  if (settings.address.empty()) {
    throw Failure(Exit::kUsage, "no server is named: set CHEATARENA_ADDRESS to host:port");
  }
  const auto host = host_of(settings.address);
  if (host.empty()) {
    throw Failure(Exit::kUsage, "CHEATARENA_ADDRESS is \"" + settings.address + "\", expected host:port");
  }
  if (settings.token.empty()) throw Failure(Exit::kUsage, "there is no token: set CHEATARENA_TOKEN");
  if (!std::ranges::all_of(settings.token, [](char c) { return c > ' ' && c <= '~'; })) {
    throw Failure(Exit::kUsage,
                  "CHEATARENA_TOKEN is not a token: expected cat_ and 46 letters and digits, copied completely");
  }
  settings.proxy = proxy_to(host, get);
  if (const auto text = get("CHEATARENA_PATIENCE"); !text.empty()) {
    const auto seconds = parse_number(text);
    if (!seconds) throw Failure(Exit::kUsage, "CHEATARENA_PATIENCE is \"" + text + "\", expected a number of seconds");
    settings.patience = std::chrono::seconds(*seconds);
  }
  settings.pools = parse_pools(get("CHEATARENA_POOLS"));
  settings.version = parse_version(get("CHEATARENA_VERSION"));
  settings.challenges = parse_challenges(get("CHEATARENA_CHALLENGES"));
  settings.instance = Instance(get("CHEATARENA_INSTANCE"), settings.version);
  if (uses_tls(host, get)) {
    settings.credentials = grpc::SslCredentials({.pem_root_certs = read_pem("CHEATARENA_CA", get),
                                                 .pem_private_key = read_pem("CHEATARENA_KEY", get),
                                                 .pem_cert_chain = read_pem("CHEATARENA_CERT", get)});
  }
  return settings;
}
