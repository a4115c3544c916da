#include "server/registry/own_file.h"

#include <unistd.h>

#include <cerrno>

namespace torqued::server {

OwnFile::State OwnFile::Look(int descriptor) {
  State state;
  struct stat found{};
  if (fstat(descriptor, &found) != 0) return state;
  state.size = found.st_size;
  state.written = {found.st_mtim.tv_sec, found.st_mtim.tv_nsec};
  while (pread(descriptor, state.begin.data(), state.begin.size(), 0) < 0 &&
         errno == EINTR) {
  }
  return state;
}

}  // namespace torqued::server
