// Files that are there whole or not at all: the text goes to a temporary name beside the target,
// which is then renamed. A run that is stopped, or a disk that is full, leaves the old file as it
// was. Not covered: power failure (nothing is flushed to the medium).
#pragma once

#include <string>
#include <string_view>

namespace spyre::traces {

/// Writes `text` to `path`, replacing what is there. A symbolic link stays a link. A device or a
/// pipe is written to directly. Throws models::InputError("cannot write '<path>': <reason>").
void write_file(const std::string& path, std::string_view text);

}  // namespace spyre::traces
