#pragma once

#include <string>

namespace torqued::server {

/// Where models live when nobody says: /var/lib/torqued/models.db if that
/// directory exists and is writable (packages and container images make it),
/// else ${XDG_DATA_HOME:-~/.local/share}/torqued/models.db. Empty when there is
/// no home either.
std::string DefaultStore();

}  // namespace torqued::server
