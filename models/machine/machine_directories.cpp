// Where descriptions are found by name.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "models/diagnostics/nearest_name.h"
#include "models/diagnostics/yaml_reader.h"
#include "models/machine/machine_reader.h"

namespace spyre::models {
namespace {

constexpr std::string_view kExtension = ".yaml";

bool is_path(const std::string& text) {
  return text.ends_with(kExtension) || text.find('/') != std::string::npos;
}

std::string find_machine(const std::string& name) {
  for (const std::string& directory : machine_directories()) {
    const std::filesystem::path path =
        std::filesystem::path(directory) / (name + std::string(kExtension));
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path, ignored)) return path.string();
  }
  const std::vector<std::string> names = machine_names();
  const std::optional<std::string> nearest = nearest_name(name, names);
  throw InputError(
      fmt::format("there is no machine '{}'{}: known are {}; a description of your own is given as "
                  "a path to its .yaml file",
                  name, nearest ? fmt::format(", did you mean '{}'?", *nearest) : "",
                  names.empty() ? std::string("none") : fmt::format("{}", fmt::join(names, ", "))));
}

}  // namespace

std::vector<std::string> machine_directories() {
  std::vector<std::string> candidates;
  const char* variable = std::getenv("SPYRE_EMU_MACHINES");
  std::string listed = variable != nullptr ? variable : "";
  while (!listed.empty()) {
    const std::size_t colon = listed.find(':');
    candidates.push_back(listed.substr(0, colon));
    listed = colon == std::string::npos ? "" : listed.substr(colon + 1);
  }
  candidates.emplace_back(SPYRE_EMU_MACHINE_DIR);
  candidates.emplace_back(SPYRE_EMU_INSTALLED_MACHINE_DIR);
  std::erase_if(candidates, [](const std::string& directory) {
    std::error_code ignored;
    return directory.empty() || !std::filesystem::is_directory(directory, ignored);
  });
  return candidates;
}

std::vector<std::string> machine_names() {
  std::vector<std::string> names;
  for (const std::string& directory : machine_directories()) {
    std::error_code ignored;
    for (const auto& file : std::filesystem::directory_iterator(directory, ignored)) {
      if (file.path().extension() == kExtension) names.push_back(file.path().stem().string());
    }
  }
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  return names;
}

MachineDescription read_machine(const std::string& name_or_path,
                                std::span<const std::string> overrides) {
  const std::string path = is_path(name_or_path) ? name_or_path : find_machine(name_or_path);
  return parse_machine(read_text_file(path), path, overrides);
}

}  // namespace spyre::models
