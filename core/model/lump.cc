#include "core/model/lump.h"

#include "core/spatial/inertia.h"

namespace torqued {

void Lump(const Pose& body_link, const LinkInertial& inertial, TreeBody& body) {
  const Pose pose = body_link * inertial.origin;  // T_{body,inertial frame}
  const Transform<double> T{Mat3<double>::Constant(pose.R.data()),
                            Vec3<double>::Constant(pose.p.data())};
  const SpatialInertia<double> G =
      ToParent(T, {inertial.mass, Vec3<double>::Zero(),
                   Sym3<double>::Constant(inertial.inertia.data())});
  body.mass += G.mass;
  const double h[3] = {G.h.x, G.h.y, G.h.z};
  for (int k = 0; k < 3; ++k) body.h[k] += h[k];
  const double I[6] = {G.I.xx, G.I.xy, G.I.xz, G.I.yy, G.I.yz, G.I.zz};
  for (int k = 0; k < 6; ++k) body.I[k] += I[k];
}

}  // namespace torqued
