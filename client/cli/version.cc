#include "client/cli/version.h"

namespace torqued::cli {

std::string_view Version() { return TORQUED_VERSION; }

}  // namespace torqued::cli
