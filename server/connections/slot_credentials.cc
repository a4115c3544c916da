#include "server/connections/slot_credentials.h"

#include <grpc/grpc.h>
#include <sys/socket.h>

#include <functional>
#include <new>
#include <string>
#include <utility>

namespace torqued::server {
namespace {

using SlotReference = std::shared_ptr<ConnectionSlot>;

/// The context is the connection's, not the call's.
void Name(const Connection& connection, grpc_auth_context* context) {
  grpc_auth_property_iterator named =
      grpc_auth_context_find_properties_by_name(context, kConnectionProperty);
  if (grpc_auth_property_iterator_next(&named) != nullptr) return;
  const std::string host =
      std::to_string(std::hash<std::string>()(connection.peer.Key()));
  grpc_auth_context_add_cstring_property(context, kConnectionProperty,
                                         std::to_string(connection.id).c_str());
  grpc_auth_context_add_cstring_property(context, kHostProperty, host.c_str());
  if (connection.proxied) {
    grpc_auth_context_add_cstring_property(context, kClientProperty,
                                           connection.peer.Text().c_str());
  }
}

CallVerdict Judge(ConnectionSlot& slot, grpc_auth_context* context) {
  const std::lock_guard lock(slot.mutex);
  CallVerdict verdict;
  if (slot.connection.id == kNoConnection) {
    return {GRPC_STATUS_UNAVAILABLE, "The connection is over."};
  }
  try {
    Name(slot.connection, context);
    verdict = slot.observer->OnHeaders(slot.connection);
  } catch (const std::bad_alloc&) {
    verdict = {GRPC_STATUS_RESOURCE_EXHAUSTED,
               "The server has no memory left."};
  }
  if (verdict.end_connection) {
    shutdown(slot.connection.descriptor, SHUT_RDWR);
  }
  return verdict;
}

/// grpc_auth_metadata_processor::process
void OnHeaders(void* state, grpc_auth_context* context,
               const grpc_metadata* /*metadata*/, std::size_t /*count*/,
               grpc_process_auth_metadata_done_cb done, void* user_data) {
  ConnectionSlot& slot = **static_cast<SlotReference*>(state);
  const CallVerdict verdict = Judge(slot, context);
  // Unlocked: the call may go on within.
  done(user_data, nullptr, 0, nullptr, 0, verdict.code, verdict.detail);
}

}  // namespace

ServerCredentialsOfC SlotCredentials(std::shared_ptr<ConnectionSlot> slot) {
  ServerCredentialsOfC credentials(grpc_insecure_server_credentials_create());
  grpc_auth_metadata_processor processor{};
  processor.process = &OnHeaders;
  processor.destroy = [](void* state) {
    delete static_cast<SlotReference*>(state);
  };
  processor.state = new SlotReference(std::move(slot));
  grpc_server_credentials_set_auth_metadata_processor(credentials.get(),
                                                      processor);
  return credentials;
}

}  // namespace torqued::server
