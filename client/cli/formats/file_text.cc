#include "client/cli/formats/file_text.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>

#include "client/cli/errors.h"

namespace torqued::cli {
namespace fs = std::filesystem;

std::string ReadFile(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    throw DataError(path.string(), "is a directory");
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string content;
  // Pipes have none.
  const std::uintmax_t size = fs::file_size(path, ignored);
  if (!ignored) content.reserve(size);
  std::array<char, 1 << 16> piece;
  while (file.read(piece.data(), piece.size()), file.gcount() > 0) {
    content.append(piece.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (!file.eof() || file.bad()) {
    throw DataError(path.string(),
                    std::string("cannot be read: ") + std::strerror(errno));
  }
  return content;
}

void WriteFile(const fs::path& path, std::string_view content) {
  const auto fail = [&path](const std::string& why) {
    throw DataError(path.string(), "cannot be written: " + why);
  };
  std::error_code error;
  // Devices and pipes (/dev/stdout) are written as they are.
  const bool special =
      fs::exists(path, error) && !fs::is_regular_file(path, error);
  // A link stays; what it leads to is replaced.
  fs::path place =
      fs::is_symlink(path, error) ? fs::canonical(path, error) : path;
  if (place.empty()) place = path;
  fs::path target = place;
  if (!special) target += ".tmp" + std::to_string(getpid());

  errno = 0;
  std::ofstream file(target, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  if (!file) {
    const int reason = errno;
    if (!special) fs::remove(target, error);
    fail(std::strerror(reason));
  }
  if (!special) {
    fs::rename(target, place, error);
    if (error) {
      const std::string reason = error.message();
      fs::remove(target, error);
      fail(reason);
    }
  }
}

}  // namespace torqued::cli
