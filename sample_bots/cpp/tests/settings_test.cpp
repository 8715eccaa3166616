#include "settings.h"

#include <gtest/gtest.h>

#include <map>

#include "failure.h"

namespace {

using Variables = std::map<std::string, std::string>;

Environment with(Variables variables) {
  variables.insert({{"CHEATARENA_ADDRESS", "127.0.0.1:1"}, {"CHEATARENA_TOKEN", "cat_x"}});
  return [variables](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? "" : found->second;
  };
}

std::string fault_of(const Variables& variables) {
  try {
    read_settings(with(variables));
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.exit(), Exit::kUsage);
    return failure.what();
  }
  return "";
}

TEST(SettingsTest, AUnixSocketIsAnAddressOnThisMachine) {
  const auto settings = read_settings(with({{"CHEATARENA_ADDRESS", "unix:/run/arena.sock"}}));
  EXPECT_EQ(settings.address, "unix:/run/arena.sock");
  EXPECT_NE(fault_of({{"CHEATARENA_ADDRESS", "unix:arena.sock"}}), "");
}

TEST(SettingsTest, ReadsTheEnvironment) {
  const auto settings = read_settings(with({{"CHEATARENA_INSTANCE", "one"}, {"CHEATARENA_PATIENCE", "5"}}));
  EXPECT_EQ(settings.address, "127.0.0.1:1");
  EXPECT_EQ(settings.instance.name(), "one");
  EXPECT_EQ(settings.patience, std::chrono::seconds(5));
  EXPECT_FALSE(settings.resumes_exactly);
  EXPECT_TRUE(settings.pools.empty());
  EXPECT_EQ(read_settings(with({{"CHEATARENA_POOLS", "open:3"}})).pools.at(0).seats(), 3U);
  EXPECT_TRUE(read_settings(with({{"CHEATARENA_RESUME", "exact"}})).resumes_exactly);
}

TEST(SettingsTest, NamesTheVariableThatIsWrong) {
  for (const auto& [name, value] : Variables{{"CHEATARENA_ADDRESS", "no port"},
                                             {"CHEATARENA_TOKEN", "two words"},
                                             {"CHEATARENA_PATIENCE", "-1"},
                                             {"CHEATARENA_POOLS", "open:0"},
                                             {"CHEATARENA_VERSION", "a\tb"},
                                             {"CHEATARENA_CHALLENGES", "friends"},
                                             {"CHEATARENA_CA", "/nowhere.pem"},
                                             {"CHEATARENA_CERT", "without a key"}}) {
    EXPECT_NE(fault_of({{name, value}}).find(name), std::string::npos) << name << ": " << fault_of({{name, value}});
  }
}

TEST(SettingsTest, StripsWhatAnEditorAddsToAToken) {
  for (const auto* token : {"cat_x\r\n", "\xef\xbb\xbf" "cat_x\n", "\xc2\xa0 cat_x\t"}) {
    EXPECT_EQ(read_settings(with({{"CHEATARENA_TOKEN", token}})).token, "cat_x");
  }
  EXPECT_NE(fault_of({{"CHEATARENA_TOKEN", "cat_\xc3\xa9"}}), "");
}

TEST(SettingsTest, OnlyOtherMachinesAreBehindAProxy) {
  const auto get = with({{"https_proxy", "http://ann:secret@proxy.example:3128"}, {"no_proxy", "near.example"}});
  EXPECT_EQ(proxy_to("arena.example", get), "http://proxy.example:3128");
  for (const auto* host : {"localhost", "127.0.0.1", "::1", "arena.near.example"}) {
    EXPECT_EQ(proxy_to(host, get), "") << host;
  }
}

TEST(SettingsTest, TakesEveryFormOfAddress) {
  for (const auto* address : {"localhost:7777", "[::1]:7777", "arena.example:443"}) {
    EXPECT_EQ(fault_of({{"CHEATARENA_ADDRESS", address}}), "") << address;
  }
  for (const auto* address : {"arena.example", ":443", "::1:443", "arena.example:70000", "https://arena.example:443"}) {
    EXPECT_NE(fault_of({{"CHEATARENA_ADDRESS", address}}), "") << address;
  }
}

TEST(SettingsTest, UsesTlsUnlessTheServerIsOnThisMachine) {
  EXPECT_FALSE(uses_tls("localhost", with({})));
  EXPECT_FALSE(uses_tls("127.1.2.3", with({})));
  EXPECT_FALSE(uses_tls("::1", with({})));
  EXPECT_TRUE(uses_tls("10.0.0.1", with({})));
  EXPECT_TRUE(uses_tls("arena.example", with({})));
  EXPECT_TRUE(uses_tls("localhost", with({{"CHEATARENA_CA", "ca.pem"}})));
  EXPECT_FALSE(uses_tls("arena.example", with({{"CHEATARENA_INSECURE", "1"}})));
  EXPECT_THROW(uses_tls("localhost", with({{"CHEATARENA_INSECURE", "1"}, {"CHEATARENA_CA", "ca.pem"}})), Failure);
}

}  // namespace
