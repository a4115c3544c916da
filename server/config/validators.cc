#include "server/config/validators.h"

#include "core/lanes/targets.h"
#include "server/flags/address.h"

namespace torqued::server {

std::string CheckAddress(std::string_view text, int first_port) {
  return flags::AddressProblem(
      text, {"[tls:]HOST:PORT, mtls:HOST:PORT or unix:PATH", first_port,
             /*mtls=*/true});
}

std::string CheckTarget(std::string_view text) {
  if (text == "auto" || FindTarget(text) != nullptr) return {};
  std::string names;
  for (const LaneKernels* target : Targets()) {
    names.append(names.empty() ? "" : ", ").append(target->target);
  }
  return "needs auto or a target that this machine can run (" + names +
         "), not '" + std::string(text) + "'";
}

std::string CheckListen(const Settings& settings, bool insecure) {
  for (const std::string& address : settings.listen) {
    const flags::Security security = flags::SecurityOf(address);
    if (security != flags::Security::kNone && settings.tls.cert.empty()) {
      return "--listen: " + address + " needs --tls-cert";
    }
    if (security == flags::Security::kMtls && settings.tls.client_ca.empty()) {
      return "--listen: " + address + " needs --tls-client-ca";
    }
    if (!insecure && !flags::IsLocal(address) &&
        (security == flags::Security::kNone || settings.rights.empty())) {
      return "--listen: other machines reach " + address +
             ", so it needs tls: or mtls: and --rights; --insecure "
             "(TORQUED_INSECURE=on) serves everybody";
    }
  }
  return {};
}

}  // namespace torqued::server
