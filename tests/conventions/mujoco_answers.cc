// What MuJoCo says of a model at a state, in MuJoCo's own orders and signs.
//
// Usage: mujoco_answers MODEL < STATE > ANSWERS. MODEL is a URDF or MJCF file,
// STATE a JSON object: "body" names the body that is asked about; "qpos",
// "qvel", "qacc", "qfrc_applied" and "xfrc_applied" (of that body) are arrays,
// zeros where absent; "frictionloss" false leaves friction out. ANSWERS are
// arrays under MuJoCo's names; "mj_objectAcceleration_before_rne" is what it
// says before mj_rnePostConstraint.
#include <mujoco/mujoco.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Json = nlohmann::json;

template <typename Number>
Json Array(const Number* numbers, int count) {
  return Json(std::vector<Number>(numbers, numbers + count));
}

Json Names(const mjModel* m, mjtObj kind, int count) {
  Json names = Json::array();
  for (int i = 0; i < count; ++i) names.push_back(mj_id2name(m, kind, i));
  return names;
}

void Read(const Json& state, const char* field, mjtNum* numbers, int count) {
  if (!state.contains(field)) return;
  const auto given = state.at(field).get<std::vector<mjtNum>>();
  if (static_cast<int>(given.size()) != count) {
    throw std::runtime_error(std::string("length of ") + field);
  }
  std::copy(given.begin(), given.end(), numbers);
}

Json Answers(mjModel* m, mjData* d, const Json& state) {
  Json answers = {{"version", mj_versionString()},
                  {"nq", m->nq},
                  {"nv", m->nv},
                  {"neq", m->neq},
                  {"gravity", Array(m->opt.gravity, 3)},
                  {"joints", Names(m, mjOBJ_JOINT, m->njnt)},
                  {"jnt_limited", Array(m->jnt_limited, m->njnt)},
                  {"jnt_range", Array(m->jnt_range, 2 * m->njnt)},
                  {"bodies", Names(m, mjOBJ_BODY, m->nbody)},
                  {"body_mass", Array(m->body_mass, m->nbody)},
                  {"body_ipos", Array(m->body_ipos, 3 * m->nbody)},
                  {"body_iquat", Array(m->body_iquat, 4 * m->nbody)},
                  {"body_inertia", Array(m->body_inertia, 3 * m->nbody)},
                  {"dof_armature", Array(m->dof_armature, m->nv)},
                  {"dof_damping", Array(m->dof_damping, m->nv)},
                  {"dof_frictionloss", Array(m->dof_frictionloss, m->nv)}};
  if (!state.value("frictionloss", true)) {
    m->opt.disableflags |= mjDSBL_FRICTIONLOSS;
  }
  const std::string link = state.at("body");
  const int body = mj_name2id(m, mjOBJ_BODY, link.c_str());
  if (body < 0) throw std::runtime_error("no body " + link);
  Read(state, "qpos", d->qpos, m->nq);
  Read(state, "qvel", d->qvel, m->nv);
  Read(state, "qacc", d->qacc, m->nv);
  const std::vector<mjtNum> wanted(d->qacc, d->qacc + m->nv);
  mj_inverse(m, d);
  answers["qfrc_inverse"] = Array(d->qfrc_inverse, m->nv);
  answers["qfrc_bias"] = Array(d->qfrc_bias, m->nv);
  answers["qfrc_passive"] = Array(d->qfrc_passive, m->nv);
  std::vector<mjtNum> mass(m->nv * m->nv);
  mj_fullM(m, mass.data(), d->qM);
  answers["M"] = mass;
  std::copy(wanted.begin(), wanted.end(), d->qacc);
  mjtNum six[6];
  mj_objectAcceleration(m, d, mjOBJ_XBODY, body, six, 0);
  answers["mj_objectAcceleration_before_rne"] = Array(six, 6);
  mj_rnePostConstraint(m, d);
  mj_objectAcceleration(m, d, mjOBJ_XBODY, body, six, 0);
  answers["mj_objectAcceleration"] = Array(six, 6);
  mj_objectVelocity(m, d, mjOBJ_XBODY, body, six, 0);
  answers["mj_objectVelocity"] = Array(six, 6);
  mj_objectVelocity(m, d, mjOBJ_XBODY, body, six, 1);
  answers["mj_objectVelocity_local"] = Array(six, 6);
  answers["xpos"] = Array(d->xpos + 3 * body, 3);
  answers["xquat"] = Array(d->xquat + 4 * body, 4);
  answers["xipos"] = Array(d->xipos + 3 * body, 3);
  answers["cvel"] = Array(d->cvel + 6 * body, 6);
  answers["subtree_com_of_root"] =
      Array(d->subtree_com + 3 * m->body_rootid[body], 3);
  std::vector<mjtNum> linear(3 * m->nv), angular(3 * m->nv);
  mj_jacBody(m, d, linear.data(), angular.data(), body);
  answers["jacp"] = linear;
  answers["jacr"] = angular;
  Read(state, "qfrc_applied", d->qfrc_applied, m->nv);
  Read(state, "xfrc_applied", d->xfrc_applied + 6 * body, 6);
  mj_forward(m, d);
  answers["qacc"] = Array(d->qacc, m->nv);
  return answers;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 2) throw std::runtime_error("usage: mujoco_answers MODEL");
    char error[1000] = "";
    // Both live as long as the process.
    mjModel* const model = mj_loadXML(argv[1], nullptr, error, sizeof error);
    if (model == nullptr) throw std::runtime_error(error);
    std::cout << Answers(model, mj_makeData(model), Json::parse(std::cin))
              << '\n';
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
