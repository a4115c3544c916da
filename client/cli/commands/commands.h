// The commands of torquectl.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <utility>

#include "client/cli/errors.h"
#include "client/cli/session.h"

namespace torqued::cli {

using Runner = std::function<ExitCode(Session&)>;

/// `run` becomes the runner if it is the command that the user wants.
inline CLI::App* AddCommand(CLI::App* app, const std::string& name,
                            const std::string& about, Runner* runner,
                            Runner run) {
  CLI::App* command = app->add_subcommand(name, about);
  command->callback([runner, run = std::move(run)] { *runner = run; });
  return command;
}

void AddModels(CLI::App* app, Runner* runner);
void AddDynamics(CLI::App* app, Runner* runner);
void AddTrajectory(CLI::App* app, Runner* runner);
void AddServer(CLI::App* app, Runner* runner);

}  // namespace torqued::cli
