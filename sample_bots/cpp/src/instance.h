#pragma once

#include <string>

/// The name of this process among the programs of its bot. If nobody chose it, it derives from this machine, so that a
/// program that starts again finds its seats.
class Instance {
 public:
  Instance() = default;
  Instance(const std::string& chosen, const std::string& version);
  const std::string& name() const { return name_; }
  /// Returns whether the server may still give this program another name.
  bool is_derived() const { return is_derived_; }
  /// Takes the name that the server gave. Returns whether it is another one. Older servers give none.
  bool settle(const std::string& given);
  /// Takes a random name, once, because an older server lets another program replace this one. Returns false for a name
  /// that must not change.
  bool give_way();

 private:
  std::string name_;
  bool is_derived_ = false;
  bool may_change_ = false;  // whether nobody chose the name
};
