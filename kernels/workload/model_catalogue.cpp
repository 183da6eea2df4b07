// Where models are found: a path, or a name in the folders of $SPYRE_EMU_MODELS, of the source tree
// and of the install.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>

#include "kernels/workload/model_config.h"
#include "models/diagnostics/diagnostics.h"
#include "models/diagnostics/nearest_name.h"

namespace spyre::kernels {
namespace {

namespace fs = std::filesystem;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Existing folders, in the order in which they are searched.
std::vector<fs::path> model_folders() {
  std::vector<fs::path> folders;
  std::error_code ignored;
  const char* own = std::getenv("SPYRE_EMU_MODELS");
  if (own != nullptr && *own != '\0') {
    if (!fs::is_directory(own, ignored)) {
      throw models::InputError(fmt::format(
          "SPYRE_EMU_MODELS is '{}', which is not a folder; name a folder of <model>.json files or "
          "<model>/config.json folders, or unset it",
          own));
    }
    folders.emplace_back(own);
  }
  for (const char* shipped : {SPYRE_EMU_MODELS_SOURCE_DIR, SPYRE_EMU_MODELS_INSTALL_DIR}) {
    if (fs::is_directory(shipped, ignored)) folders.emplace_back(shipped);
  }
  return folders;
}

/// The config file that a folder's entry stands for: <name>.json itself, or <name>/config.json.
std::optional<fs::path> config_of(const fs::directory_entry& entry) {
  std::error_code ignored;
  if (entry.is_regular_file(ignored) && entry.path().extension() == ".json") return entry.path();
  const fs::path inside = entry.path() / "config.json";
  if (entry.is_directory(ignored) && fs::is_regular_file(inside, ignored)) return inside;
  return std::nullopt;
}

struct KnownModel {
  std::string name;  ///< as spelt on disk
  fs::path file;
};

/// By lower-case name. A folder that is searched earlier wins; within one, the earlier file name.
std::map<std::string, KnownModel> known_models() {
  std::map<std::string, KnownModel> known;
  for (const fs::path& folder : model_folders()) {
    std::vector<KnownModel> found;
    std::error_code failure;
    fs::directory_iterator entries(folder, failure);
    if (failure) {
      throw models::InputError(
          fmt::format("cannot read folder '{}': {}", folder.string(), failure.message()));
    }
    for (const fs::directory_entry& entry : entries) {
      const std::optional<fs::path> file = config_of(entry);
      if (!file) continue;
      const bool is_folder = file->filename() == "config.json" && *file != entry.path();
      const fs::path name = is_folder ? entry.path().filename() : entry.path().stem();
      found.push_back({name.string(), *file});
    }
    std::sort(found.begin(), found.end(),
              [](const KnownModel& a, const KnownModel& b) { return a.file < b.file; });
    for (KnownModel& model : found) {
      std::string key = lower(model.name);
      known.try_emplace(std::move(key), std::move(model));
    }
  }
  return known;
}

std::optional<fs::path> config_at(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored)) return path;
  if (fs::is_directory(path, ignored)) return path / "config.json";
  return std::nullopt;
}

}  // namespace

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const auto& [key, model] : known_models()) names.push_back(model.name);
  return names;
}

ModelConfig find_model(const std::string& name_or_path) {
  const bool is_path =
      name_or_path.find('/') != std::string::npos || fs::path(name_or_path).extension() == ".json";
  if (is_path) {
    return read_model_config(config_at(name_or_path).value_or(name_or_path).string());
  }
  // A shipped name means the same in every working directory, so names come before local files.
  const std::map<std::string, KnownModel> known = known_models();
  if (const auto found = known.find(lower(name_or_path)); found != known.end()) {
    return read_model_config(found->second.file.string());
  }
  if (!name_or_path.empty()) {
    if (const auto file = config_at(name_or_path)) return read_model_config(file->string());
  }
  std::vector<std::string> names;
  for (const auto& [key, model] : known) names.push_back(model.name);
  const auto nearest = models::nearest_name(lower(name_or_path), names);
  throw models::InputError(fmt::format(
      "no model is called '{}'{}; known are {}; a config.json or the folder that holds one will do "
      "as well",
      name_or_path, nearest ? fmt::format(" (did you mean '{}'?)", *nearest) : "",
      names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
}

}  // namespace spyre::kernels
