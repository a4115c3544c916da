#include "client/cli/terminal/reader.h"

#include <poll.h>

namespace torqued::cli {

bool ReaderHasLeft(int descriptor) {
  pollfd asked = {.fd = descriptor, .events = 0, .revents = 0};
  // Of a pipe the kernel tells POLLERR, of a socket POLLHUP.
  return poll(&asked, 1, 0) == 1 && (asked.revents & (POLLERR | POLLHUP)) != 0;
}

}  // namespace torqued::cli
