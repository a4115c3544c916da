// What the lanes know of a joint's scale; see core/dynamics/inertia_scale.h.
//
// Free of standard headers and of functions, so that units compiled for
// different instruction sets can share it.
#pragma once

namespace torqued {

/// √s_i ≤ rest + growth t if no prismatic joint is further than t
/// from its zero.
struct ScaleBound {
  double rest;
  double growth;  // 0: nothing behind the joint slides
};

}  // namespace torqued
