#include "runtime/cli/usage.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "models/diagnostics/nearest_name.h"

namespace spyre::runtime {
namespace {

std::string hint(const std::string& name, const std::vector<std::string>& known) {
  const auto nearest = models::nearest_name(name, known);
  return nearest ? fmt::format(" (did you mean '{}'?)", *nearest) : "";
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

std::vector<std::string> command_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(sub->get_name());
  }
  return names;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string no_option(const CLI::App& command, const std::string& name) {
  return fmt::format("{} has no option '{}'{}", command.get_name(), name,
                     hint(name, option_names(command)));
}

std::string no_command(const std::string& word, const std::vector<std::string>& known) {
  return fmt::format("there is no command '{}'{}; the commands are {}", word, hint(word, known),
                     joined(known));
}

}  // namespace

CLI::Validator whole_number(std::int64_t low, std::int64_t high) {
  return {[low, high](std::string& text) -> std::string {
            std::int64_t value = 0;
            const auto [end, failure] =
                std::from_chars(text.data(), text.data() + text.size(), value);
            const bool whole = failure == std::errc{} && end == text.data() + text.size();
            if (whole && value >= low && value <= high) return {};
            if (high == std::numeric_limits<std::int64_t>::max()) {
              return fmt::format("'{}' is not a whole number of {} or more", text, low);
            }
            return fmt::format("'{}' is not a whole number from {} to {}", text, low, high);
          },
          ""};
}

std::string fault_of_words(const CLI::App& application, int argc, const char* const* argv) {
  const CLI::App* command = &application;
  bool chosen = false;  // a command that has no further ones
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.size() > 1 && word[0] == '-') {
      const std::string name = word.substr(0, word.find('='));
      const CLI::Option* option = command->get_option_no_throw(name);
      const bool attached = !word.starts_with("--") && word.size() > 2;  // -b4
      if (option == nullptr && attached) option = command->get_option_no_throw(word.substr(0, 2));
      if (option == nullptr) return no_option(*command, name);
      if (option->get_items_expected_min() > 0 && !attached && name.size() == word.size())
        ++i;  // its value
      continue;
    }
    if (chosen) continue;  // an argument
    const std::vector<std::string> known = command_names(*command);
    if (std::ranges::find(known, word) == known.end()) return no_command(word, known);
    command = command->get_subcommand(word);
    chosen = command_names(*command).empty();
  }
  if (!chosen)
    return fmt::format("a command is missing; the commands are {}",
                       joined(command_names(*command)));
  return {};
}

}  // namespace spyre::runtime
