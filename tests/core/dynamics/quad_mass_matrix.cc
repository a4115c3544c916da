#include "tests/core/dynamics/quad_mass_matrix.h"

#include <array>
#include <cmath>
#include <cstddef>

namespace torqued::testing_support {
namespace {

using Vector = std::array<Quad, 3>;
using Matrix = std::array<Vector, 3>;  // rows

Vector operator+(const Vector& a, const Vector& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
Vector Cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
          a[0] * b[1] - a[1] * b[0]};
}
Quad Dot(const Vector& a, const Vector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Vector operator*(const Matrix& m, const Vector& v) {
  return {Dot(m[0], v), Dot(m[1], v), Dot(m[2], v)};
}
Vector Scaled(const Vector& v, Quad s) {
  return {v[0] * s, v[1] * s, v[2] * s};
}
Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix c{};
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) {
      for (int j = 0; j < 3; ++j) c[i][j] += a[i][k] * b[k][j];
    }
  }
  return c;
}
Vector From(const double* v) { return {v[0], v[1], v[2]}; }
Matrix Rows(const double* m) { return {From(m), From(m + 3), From(m + 6)}; }
Vector TransposeTimes(const Matrix& m, const Vector& v) {
  Vector x{};
  for (int k = 0; k < 3; ++k) x = x + Scaled(m[k], v[k]);
  return x;
}

/// By the series of an angle that is halved until it is small.
void SinCosOf(double angle, Quad* sine, Quad* cosine) {
  constexpr int kHalvings = 12;
  Quad x = angle;
  for (int k = 0; k < kHalvings; ++k) x /= 2;
  Quad term = x, s = x;
  Quad even = 1, one_minus_c = 0;  // 1 − cos, which keeps its digits
  for (int k = 1; k < 30; ++k) {
    even *= -x * x / ((2 * k - 1) * (2 * k));
    one_minus_c -= even;
    term *= -x * x / ((2 * k) * (2 * k + 1));
    s += term;
  }
  for (int k = 0; k < kHalvings; ++k) {
    const Quad c = 1 - one_minus_c;
    one_minus_c = 2 * s * s;
    s = 2 * s * c;
  }
  *sine = s;
  *cosine = 1 - one_minus_c;
}

Matrix Rodrigues(const Vector& a, double q) {
  Quad s = 0, c = 0;
  SinCosOf(q, &s, &c);
  Matrix R{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) R[i][j] = (1 - c) * a[i] * a[j];
    R[i][i] += c;
  }
  R[0][1] -= s * a[2], R[1][0] += s * a[2];
  R[0][2] += s * a[1], R[2][0] -= s * a[1];
  R[1][2] -= s * a[0], R[2][1] += s * a[0];
  return R;
}

struct Placed {
  Matrix R;
  Vector p;
};

}  // namespace

Quad SquareRoot(Quad x) {
  if (!(x > 0)) return 0;
  Quad root = std::sqrt(static_cast<double>(x));
  for (int k = 0; k < 3; ++k) root = (root + x / root) / 2;
  return root;
}

QuadMatrix QuadMassMatrix(const Tree& tree, const double* q) {
  std::vector<Placed> placed(static_cast<std::size_t>(tree.n));
  for (int i = 0; i < tree.n; ++i) {
    const TreeBody& body = tree.bodies[i];
    Placed step = {Rows(body.R), From(body.p)};
    if (body.motion == JointMotion::kRevolute) {
      step.R = step.R * Rodrigues(From(body.axis), q[i]);
    } else {
      step.p = step.p + step.R * Scaled(From(body.axis), q[i]);
    }
    if (body.parent != kBase) {
      const Placed& parent = placed[body.parent];
      step = {parent.R * step.R, parent.R * step.p + parent.p};
    }
    placed[i] = step;
  }
  QuadMatrix M;
  M.n = tree.n;
  M.entries.assign(static_cast<std::size_t>(tree.n) * tree.n, 0);
  for (int b = 0; b < tree.n; ++b) {
    const TreeBody& body = tree.bodies[b];
    const Matrix I = {Vector{body.I[0], body.I[1], body.I[2]},
                      Vector{body.I[1], body.I[3], body.I[4]},
                      Vector{body.I[2], body.I[4], body.I[5]}};
    const Vector h = From(body.h);
    std::vector<int> joints;
    std::vector<Vector> w, v;  // in {b}
    for (int i = b; i != kBase; i = tree.bodies[i].parent) {
      const Vector axis = placed[i].R * From(tree.bodies[i].axis);
      joints.push_back(i);
      if (tree.bodies[i].motion == JointMotion::kRevolute) {
        const Vector arm = placed[b].p + Scaled(placed[i].p, -1);
        w.push_back(TransposeTimes(placed[b].R, axis));
        v.push_back(TransposeTimes(placed[b].R, Cross(axis, arm)));
      } else {
        w.push_back({});
        v.push_back(TransposeTimes(placed[b].R, axis));
      }
    }
    for (std::size_t j = 0; j < joints.size(); ++j) {
      const Vector m = I * w[j] + Cross(h, v[j]);
      const Vector f = Scaled(v[j], body.mass) + Scaled(Cross(h, w[j]), -1);
      for (std::size_t i = 0; i < joints.size(); ++i) {
        M(joints[i], joints[j]) += Dot(w[i], m) + Dot(v[i], f);
      }
    }
  }
  for (int i = 0; i < tree.n; ++i) M(i, i) += tree.bodies[i].armature;
  return M;
}

bool InvertQuad(const QuadMatrix& M, QuadMatrix* inverse,
                std::vector<Quad>* pivots) {
  const int n = M.n;
  QuadMatrix A = M;
  inverse->n = n;
  inverse->entries.assign(static_cast<std::size_t>(n) * n, 0);
  for (int i = 0; i < n; ++i) (*inverse)(i, i) = 1;
  pivots->assign(static_cast<std::size_t>(n), 0);
  for (int k = n - 1; k >= 0; --k) {
    (*pivots)[k] = A(k, k);
    if (!(A(k, k) > 0)) return false;
    for (int i = 0; i < n; ++i) {
      if (i == k) continue;
      const Quad factor = A(i, k) / A(k, k);
      for (int j = 0; j < n; ++j) {
        A(i, j) -= factor * A(k, j);
        (*inverse)(i, j) -= factor * (*inverse)(k, j);
      }
    }
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) (*inverse)(i, j) /= A(i, i);
  }
  return true;
}

}  // namespace torqued::testing_support
