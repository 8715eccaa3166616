#pragma once

#include <string>
#include <vector>

#include "cheatarena/v1/play.pb.h"

namespace v1 = cheatarena::v1;

/// Returns the pools in a text such as `standard,cheater:3`, where the bot wants one seat and three. Throws a Failure
/// for the bot's user if the text is bad, as the next functions do.
std::vector<v1::PoolEntry> parse_pools(const std::string& text);

/// Returns the version of this program.
std::string parse_version(const std::string& text);

/// Returns whose challenges the bot accepts.
v1::ChallengePolicy parse_challenges(const std::string& word);

/// Says in one line how many seats the bot gets in a pool, and why.
std::string describe_pool(const v1::PoolNotice& notice);
