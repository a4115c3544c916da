#include "client/cli/formats/file_text.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "client/cli/errors.h"

namespace torqued::cli {
namespace fs = std::filesystem;
namespace {

bool AreOneFile(const fs::path& a, const fs::path& b) {
  std::error_code error;
  if (a.empty() || b.empty()) return false;
  if (fs::exists(a, error)) {
    return fs::is_regular_file(a, error) && fs::equivalent(a, b, error);
  }
  const auto resolved = [&error](const fs::path& path) {
    const fs::path absolute = fs::absolute(path);
    const fs::path canonical = fs::weakly_canonical(absolute, error);
    return error ? absolute : canonical;
  };
  return resolved(a) == resolved(b);
}

}  // namespace

std::string ReadFile(const fs::path& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string content, piece(1 << 16, '\0');
  std::error_code error;  // of a pipe, which has no size
  const std::uintmax_t size = fs::file_size(path, error);
  if (!error) content.reserve(size);
  while (file.read(piece.data(), 1 << 16), file.gcount() > 0) {
    content.append(piece, 0, static_cast<std::size_t>(file.gcount()));
  }
  if (!file.eof() || file.bad()) {
    throw DataError(path.string(),
                    std::string("cannot be read: ") + std::strerror(errno));
  }
  return content;
}

void WriteFile(const fs::path& path, std::string_view content) {
  std::error_code error;
  // Devices and pipes (/dev/stdout) are written as they are.
  const bool exists = fs::exists(path, error);
  const bool special = exists && !fs::is_regular_file(path, error);
  // A link stays; what it leads to is replaced.
  const fs::path place = exists && !special ? fs::canonical(path, error) : path;
  fs::path target = place;
  if (!special) target += ".tmp" + std::to_string(getpid());

  error.clear();
  errno = 0;
  std::ofstream file(target, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  if (!file) {
    error.assign(errno != 0 ? errno : EIO, std::generic_category());
  } else if (!special) {
    fs::rename(target, place, error);
  }
  if (!error) return;
  const std::string reason = error.message();
  if (!special) fs::remove(target, error);
  throw DataError(path.string(), "cannot be written: " + reason);
}

void RequireSeparateFiles(const std::vector<FlaggedPath>& outputs,
                          const std::vector<FlaggedPath>& inputs) {
  std::vector<FlaggedPath> others = inputs;
  for (const FlaggedPath& output : outputs) {
    for (const FlaggedPath& other : others) {
      if (!AreOneFile(output.path, other.path)) continue;
      throw UsageError(output.flag, output.path + " is also the file of " +
                                        other.flag + " (" + other.path + ")");
    }
    others.push_back(output);
  }
}

}  // namespace torqued::cli
