// This bot plays Cheat and CHEATER with generated messages and gRPC alone.
//
// In Cheat it lays as many true cards as it can, or else the smallest lie, and calls only claims that cannot be true
// (cheat.cpp). In CHEATER it collects its nearest word, and takes missing letters wherever it finds them (cheater.cpp).
// session and seat are the protocol, and line carries it; a bot of your own needs other answers, and no other protocol.

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <thread>

#include "failure.h"
#include "line.h"
#include "settings.h"

namespace {

/// Plays until `stop` is requested, or until the last match after `finish` is. Returns the exit code of the program.
int play(const std::stop_token& stop, const std::stop_token& finish) {
  try {
    const auto settings = read_settings([](const std::string& name) {
      const char* value = std::getenv(name.c_str());
      return std::string(value == nullptr ? "" : value);
    });
    Line(settings).run(stop, finish);
    return EXIT_SUCCESS;
  } catch (const Failure& failure) {
    std::cerr << failure.what() << std::endl;
    return static_cast<int>(failure.exit());
  } catch (const std::exception& error) {
    std::cerr << "the bot failed: " << error.what() << std::endl;
    return static_cast<int>(Exit::kSoftware);
  }
}

}  // namespace

int main() {
  // gRPC writes many lines about a lost connection. This bot says why it ends in one.
  setenv("GRPC_VERBOSITY", "NONE", 0);
  // All threads inherit this mask, so that only this one gets the signals.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  int exit_code = EXIT_SUCCESS;
  std::stop_source finish;
  std::jthread player([&](const std::stop_token& stop) {
    exit_code = play(stop, finish.get_token());
    kill(getpid(), SIGTERM);  // ends the wait below
  });
  int received = 0;
  sigwait(&signals, &received);
  if (received == SIGINT) {
    finish.request_stop();
    sigwait(&signals, &received);
  }
  player.request_stop();
  player.join();
  return exit_code;
}
