#include "server/version.h"

namespace torqued::server {

std::string_view Version() { return TORQUED_VERSION; }

}  // namespace torqued::server
