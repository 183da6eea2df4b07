// The YAML text of a description, in the order of the field table.
#include <fmt/format.h>

#include <algorithm>

#include "models/machine/machine_reader.h"

namespace spyre::models {
namespace {

/// A double-quoted YAML scalar.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

/// Heads for the groups of `key` that `previous` was not in.
std::string group_heads(const std::string& key, const std::string& previous) {
  std::string heads;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t dot = key.find('.'); dot != std::string::npos; dot = key.find('.', begin)) {
    if (previous.compare(0, dot + 1, key, 0, dot + 1) != 0) {
      heads += fmt::format("{:{}}{}:\n", "", 2 * depth, key.substr(begin, dot - begin));
    }
    begin = dot + 1;
    ++depth;
  }
  return heads;
}

}  // namespace

std::string write_machine(const MachineDescription& description) {
  std::string text = fmt::format("name: {}\ntitle: {}\n", quoted(description.machine.name),
                                 quoted(description.machine.title));
  std::string previous;
  for (const MachineEntry& entry : description.entries) {
    text += group_heads(entry.key, previous);
    const auto depth = std::count(entry.key.begin(), entry.key.end(), '.');
    text += fmt::format("{:{}}{}: {{value: {}, unit: {}, source: {}, confidence: {}}}\n", "",
                        2 * depth, entry.key.substr(entry.key.rfind('.') + 1), entry.value,
                        quoted(entry.unit), quoted(entry.source), to_string(entry.confidence));
    previous = entry.key;
  }
  return text;
}

}  // namespace spyre::models
