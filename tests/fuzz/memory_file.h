// A file that exists in memory only, with a path that can be opened.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace torqued::fuzz {

class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content)
      : descriptor_(memfd_create("torqued-fuzz", MFD_CLOEXEC)) {
    if (descriptor_ < 0) std::abort();
    while (!content.empty()) {
      const ssize_t written =
          write(descriptor_, content.data(), content.size());
      if (written <= 0) std::abort();
      content.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const {
    return "/proc/self/fd/" + std::to_string(descriptor_);
  }

 private:
  int descriptor_;
};

}  // namespace torqued::fuzz
