#include "server/services/offered_services.h"

#include <type_traits>

#include "server/services/dynamics_service.h"
#include "server/services/model_registry_service.h"
#include "server/services/server_info_service.h"
#include "server/services/trajectory_service.h"

namespace torqued::server {

OfferedServices::OfferedServices(ServiceContext& context) {
  Offer<v1::Dynamics, DynamicsService>(context);
  Offer<v1::Trajectories, TrajectoryService>(context);
  Offer<v1::ModelRegistry, ModelRegistryService>(context);
  Offer<v1::ServerInfo, ServerInfoService>(context);
}

template <class Contract, class Service>
void OfferedServices::Offer(ServiceContext& context) {
  static_assert(std::is_base_of_v<typename Contract::Service, Service>);
  services_.push_back(std::make_unique<Service>(context));
  names_.emplace_back(Contract::service_full_name());
}

void OfferedServices::RegisterWith(grpc::ServerBuilder* builder) const {
  for (const auto& service : services_) builder->RegisterService(service.get());
}

}  // namespace torqued::server
