#include "traces/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "models/diagnostics/diagnostics.h"

namespace spyre::traces {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw models::InputError("cannot write '" + path + "': " + reason);
}

/// A file that is closed when it goes out of scope, and deleted unless it was kept.
class OpenFile {
 public:
  OpenFile(int descriptor, std::string remove_path)
      : descriptor_(descriptor), remove_path_(std::move(remove_path)) {}
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!remove_path_.empty()) ::unlink(remove_path_.c_str());
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  [[nodiscard]] bool write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = ::write(descriptor_, text.data(), text.size());
      if (written < 0) {
        if (errno == EINTR) continue;
        return false;
      }
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
  }
  /// Some file systems report a full disk only here.
  [[nodiscard]] bool close() {
    const int descriptor = descriptor_;
    descriptor_ = -1;
    return ::close(descriptor) == 0;
  }
  void keep() { remove_path_.clear(); }

 private:
  int descriptor_;
  std::string remove_path_;
};

void write_directly(const std::string& path, std::string_view text) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) fail(path, std::strerror(errno));
  OpenFile file(descriptor, "");
  if (!file.write(text) || !file.close()) fail(path, std::strerror(errno));
}

}  // namespace

void write_file(const std::string& path, std::string_view text) {
  namespace fs = std::filesystem;
  if (path.empty()) fail(path, "the file has no name");
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) fail(path, std::strerror(EISDIR));
  if (fs::exists(status) && !fs::is_regular_file(status)) return write_directly(path, text);

  // The file behind a link, so that the link survives the rename.
  std::string target = path;
  if (fs::is_symlink(fs::symlink_status(path, error))) {
    const fs::path resolved = fs::weakly_canonical(path, error);
    if (error) fail(path, error.message());
    target = resolved.string();
  }

  // A name of this process; the number steps past what an earlier process of the same id left
  // behind.
  std::string temporary;
  int descriptor = -1;
  for (int attempt = 0; attempt < 100 && descriptor < 0; ++attempt) {
    temporary = target + "." + std::to_string(::getpid()) + "." + std::to_string(attempt) + ".tmp";
    descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno != EEXIST) break;
  }
  if (descriptor < 0) fail(path, std::strerror(errno));
  OpenFile file(descriptor, temporary);
  if (fs::exists(status))
    fs::permissions(temporary, status.permissions(), error);  // as it was, where we may
  if (!file.write(text) || !file.close()) fail(path, std::strerror(errno));
  if (std::rename(temporary.c_str(), target.c_str()) != 0) fail(path, std::strerror(errno));
  file.keep();
}

}  // namespace spyre::traces
