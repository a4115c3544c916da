#include "server/lifecycle/address_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace torqued::server {

std::string WriteAddressFile(const std::string& path,
                             const std::vector<std::string>& addresses) {
  const std::string draft = path + "." + std::to_string(getpid());
  errno = 0;
  std::ofstream file(draft, std::ios::trunc);
  for (const std::string& address : addresses) file << address << '\n';
  file.close();
  if (file && std::rename(draft.c_str(), path.c_str()) == 0) return {};
  std::string problem =
      "--address-file: cannot write " + path + ": " + std::strerror(errno);
  std::remove(draft.c_str());
  return problem;
}

}  // namespace torqued::server
