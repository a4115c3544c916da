// How a model is to be registered.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "torqued/v1/model_registry.pb.h"

namespace torqued::cli {

struct RegistrationFlags {
  std::string file;
  std::string tip;
};

inline void AddRegistrationFlags(CLI::App* command, RegistrationFlags* flags) {
  command->add_option("FILE", flags->file, "URDF file")->required();
  command->add_option("--default-tip", flags->tip,
                      "Frame (link name) used where a call names none");
}

inline v1::RegistrationOptions ToOptions(const RegistrationFlags& flags,
                                         v1::Validation validation) {
  v1::RegistrationOptions options;
  options.set_default_tip(flags.tip);
  options.set_validation(validation);
  return options;
}

}  // namespace torqued::cli
