#include "core/dynamics/workspace.h"

#include <cstddef>
#include <new>

namespace torqued {
namespace {

constexpr std::align_val_t kAlignment{64};
constexpr auto kGrain = static_cast<std::size_t>(kAlignment);

/// Hands out aligned arrays; with a null base it only counts bytes.
class Carver {
 public:
  explicit Carver(std::byte* base) : base_(base) {}

  template <class Item>
  void Take(Item*& array, std::size_t count) {
    array = base_ == nullptr ? nullptr : reinterpret_cast<Item*>(base_ + used_);
    used_ += (count * sizeof(Item) + kGrain - 1) / kGrain * kGrain;
  }
  std::size_t used() const { return used_; }

 private:
  std::byte* base_;
  std::size_t used_ = 0;
};

template <class T>
std::size_t Carve(std::size_t n, std::byte* base, Scratch<T>& s) {
  Carver carver(base);
  carver.Take(s.X, n);
  carver.Take(s.X_world, n);
  carver.Take(s.V, n);
  carver.Take(s.A, n);
  carver.Take(s.F, n);
  carver.Take(s.Gc, n);
  carver.Take(s.Ga, n);
  carver.Take(s.U, n);
  carver.Take(s.d, n);
  carver.Take(s.u, n);
  carver.Take(s.W, n);
  carver.Take(s.h, n);
  carver.Take(s.M, n * n);
  carver.Take(s.J, 6 * n);
  carver.Take(s.Y, 7 * n);
  return carver.used();
}

}  // namespace

template <class T>
void Workspace<T>::Free::operator()(void* p) const {
  ::operator delete(p, kAlignment);
}

template <class T>
void Workspace<T>::Reserve(int bodies) {
  if (bodies <= bodies_) return;
  const std::size_t n = static_cast<std::size_t>(bodies);
  const std::size_t bytes = Carve<T>(n, nullptr, scratch_);
  memory_.reset(static_cast<std::byte*>(::operator new(bytes, kAlignment)));
  Carve<T>(n, memory_.get(), scratch_);
  bodies_ = bodies;
}

template class Workspace<double>;
template class Workspace<float>;

}  // namespace torqued
