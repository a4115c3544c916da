// The commands of torquectl. Each adds its options to the application and, when
// it is the one that the user wants, sets what runs.
#pragma once

#include <functional>

#include "client/cli/exit_code.h"
#include "client/cli/session.h"

namespace CLI {
class App;
}  // namespace CLI

namespace torqued::cli {

using Runner = std::function<ExitCode(Session&)>;

void AddModelsAdd(CLI::App* models, Runner* runner);
void AddModelsValidate(CLI::App* models, Runner* runner);
void AddModelsList(CLI::App* models, Runner* runner);
void AddModelsShow(CLI::App* models, Runner* runner);
void AddModelsRemove(CLI::App* models, Runner* runner);

void AddDynamics(CLI::App* app, Runner* runner);
void AddTrajectoryCheck(CLI::App* trajectory, Runner* runner);
void AddTrajectoryCompare(CLI::App* trajectory, Runner* runner);
void AddPing(CLI::App* app, Runner* runner);
void AddInfo(CLI::App* app, Runner* runner);

}  // namespace torqued::cli
