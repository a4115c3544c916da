#include "tests/oracles/mujoco_model.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace torqued::testing_support {
namespace {

// How MuJoCo is to read a URDF: no link merged, no inertia changed. A moving
// point mass, which it refuses, gets an inertia below the rounding of ours.
constexpr char kSettings[] =
    "<mujoco><compiler fusestatic=\"false\" balanceinertia=\"false\" "
    "boundinertia=\"1e-14\" discardvisual=\"true\"/></mujoco>";

std::string WithSettings(const std::string& urdf) {
  const std::size_t robot = urdf.find("<robot");
  if (robot == std::string::npos) throw std::runtime_error("no <robot>");
  const std::size_t inside = urdf.find('>', robot) + 1;
  return urdf.substr(0, inside) + kSettings + urdf.substr(inside);
}

mjModel* Load(const std::string& text) {
  constexpr char kName[] = "robot.urdf";
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  if (mj_makeEmptyFileVFS(files.get(), kName, static_cast<int>(text.size())) !=
      0) {
    throw std::runtime_error("mj_makeEmptyFileVFS");
  }
  std::memcpy(files->filedata[mj_findFileVFS(files.get(), kName)], text.data(),
              text.size());
  char error[1000] = "";
  mjModel* model = mj_loadXML(kName, files.get(), error, sizeof error);
  mj_deleteVFS(files.get());
  if (model == nullptr) throw std::runtime_error(error);
  return model;
}

}  // namespace

MujocoModel LoadMujocoModel(const std::string& urdf,
                            const std::array<double, 3>& gravity) {
  MujocoModel model(Load(WithSettings(urdf)));
  std::copy(gravity.begin(), gravity.end(), model->opt.gravity);
  model->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_PASSIVE;
  return model;
}

}  // namespace torqued::testing_support
