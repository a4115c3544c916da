// The states of a block: from the caller's tables to packs.
#pragma once

#include "core/dynamics/base_motion.h"
#include "core/dynamics/scratch_layout-inl.h"
#include "core/lanes/block_job.h"
#include "core/lanes/columns.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// Packs in canonical order. Absent inputs are zeros, unless nobody reads them
/// then; those of one row for all are loaded once.
template <class N>
class BlockInputs {
 public:
  using P = Pack<N>;
  static constexpr int kLanes = P::kLanes;

  P *q, *v, *a, *tau, *wrench;
  P *external_wrenches, *task_acceleration, *null_space_torque;

  BlockInputs(const BlockJob& job, Carver& carver) : job_(job) {
    const auto n = static_cast<unsigned long>(job.setup->tree.n);
    carver.Take(q, n);
    carver.Take(v, n);
    carver.Take(a, n);
    carver.Take(tau, n);
    carver.Take(wrench, 6);
    carver.Take(base_twist_, 6);
    carver.Take(base_acceleration_, 6);
    carver.Take(external_wrenches,
                6 * static_cast<unsigned long>(job.setup->wrench_place_count));
    carver.Take(task_acceleration, 6);
    carver.Take(null_space_torque, n);
    carver.Take(gravity_, 3);
    int widest = 0;
    ForAll([&widest](const LaneInput& in, P* /*packs*/) {
      widest = in.columns > widest ? in.columns : widest;
    });
    carver.Take(padded_,
                static_cast<unsigned long>(widest) * kLanes * sizeof(double));
  }

  /// Before the first block.
  void Prepare() {
    const int n = job_.setup->tree.n;
    const auto clear_absent = [this](Input input, P* packs, int count) {
      if (!Has(input)) Clear(packs, count);
    };
    clear_absent(Input::kQ, q, n);
    clear_absent(Input::kV, v, n);
    clear_absent(Input::kA, a, n);
    if (base_moves()) {
      clear_absent(Input::kBaseTwist, base_twist_, 6);
      clear_absent(Input::kBaseAcceleration, base_acceleration_, 6);
    }
    if ((job_.wanted & Bit(Output::kTaskTorque)) != 0) {
      clear_absent(Input::kTaskAcceleration, task_acceleration, 6);
      clear_absent(Input::kNullSpaceTorque, null_space_torque, n);
    }
    ForAll([this](const LaneInput& in, P* packs) {
      if (in.data == nullptr || in.columns == 0) return;
      if (!in.one_row) {
        const bool plain =
            in.f32 == (sizeof(N) == sizeof(float)) && job_.rows == nullptr;
        by_row_[by_row_count_++] = {&in, packs, plain};
      } else if (in.f32) {
        LoadAlone(static_cast<const float*>(in.data), in, packs, given_once_);
      } else {
        LoadAlone(static_cast<const double*>(in.data), in, packs, given_once_);
      }
    });
  }

  TORQUED_INLINE bool Has(Input input) const {
    return job_[input].data != nullptr;
  }
  bool base_moves() const {
    return Has(Input::kBaseTwist) || Has(Input::kBaseAcceleration);
  }
  BaseMotion<P> MotionOfBase() const {
    const auto twist = [](const P* x) TORQUED_INLINE_BODY {
      return Twist<P>{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
    };
    return {twist(base_twist_), twist(base_acceleration_)};
  }
  /// Of the state, where it brings one.
  Vec3<P> Gravity() const { return {gravity_[0], gravity_[1], gravity_[2]}; }

  /// Rows [row, row + count); fewer than the lanes at the end, whose last row
  /// then stands in all lanes beyond. Returns the lanes with a number that is
  /// not finite; they get zeros instead.
  TORQUED_INLINE unsigned Load(long long row, int count) {
    Poison<N> poison = given_once_;
    for (int k = 0; k < by_row_count_; ++k) {
      const LaneInput& in = *by_row_[k].in;
      if (count == kLanes && by_row_[k].plain) [[likely]] {
        LoadRows(static_cast<const N*>(in.data) + row * in.columns, in,
                 by_row_[k].packs, poison);
      } else {
        LoadUnusual(in, row, count, by_row_[k].packs, poison);
      }
    }
    const Mask<N> bad = poison.lanes();
    const unsigned lanes = LaneBits(bad);
    if (lanes != 0) [[unlikely]] {
      Quiet(bad);
    }
    return lanes;
  }

 private:
  /// A table with a row for every state.
  struct Table {
    const LaneInput* in;
    P* packs;
    bool plain;  // numbers of this width, one row below the other
  };

  template <class Function>
  TORQUED_INLINE void ForAll(const Function& f) {
    f(job_[Input::kQ], q);
    f(job_[Input::kV], v);
    f(job_[Input::kA], a);
    f(job_[Input::kTau], tau);
    f(job_[Input::kTipWrench], wrench);
    f(job_[Input::kBaseTwist], base_twist_);
    f(job_[Input::kBaseAcceleration], base_acceleration_);
    f(job_[Input::kExternalWrenches], external_wrenches);
    f(job_[Input::kTaskAcceleration], task_acceleration);
    f(job_[Input::kNullSpaceTorque], null_space_torque);
    f(job_[Input::kGravity], gravity_);
  }

  static void Clear(P* packs, int count) {
    for (int k = 0; k < count; ++k) packs[k] = P(N(0));
  }

  /// A full block.
  static TORQUED_INLINE void LoadRows(const N* rows, const LaneInput& in,
                                      P* packs, Poison<N>& poison) {
    WithColumns(in.columns, in.permutation,
                [&](auto columns, const auto& place) TORQUED_INLINE_BODY {
                  LoadColumns(rows, columns, place, packs, poison);
                });
  }

  /// One row for all lanes.
  template <class Number>
  static void LoadAlone(const Number* row, const LaneInput& in, P* packs,
                        Poison<N>& all_poison) {
    Poison<N> poison = all_poison;
    WithColumns(in.columns, in.permutation,
                [&](auto columns, const auto& place) TORQUED_INLINE_BODY {
                  For(Int<0>{}, columns, [&](auto j) TORQUED_INLINE_BODY {
                    P& pack = packs[place(j)];
                    pack = P(static_cast<N>(Read(row + j)));
                    poison.Add(j, pack);
                  });
                });
    all_poison = poison;
  }

  /// Part of a block, rows of a list, or numbers of another width.
  __attribute__((noinline)) void LoadUnusual(const LaneInput& in, long long row,
                                             int count, P* packs,
                                             Poison<N>& poison) {
    if (in.f32) {
      LoadTable(static_cast<const float*>(in.data), in, row, count, packs,
                poison);
    } else {
      LoadTable(static_cast<const double*>(in.data), in, row, count, packs,
                poison);
    }
  }

  template <class Number>
  void LoadTable(const Number* table, const LaneInput& in, long long row,
                 int count, P* packs, Poison<N>& poison) {
    const auto at = [&](int l) {
      return table + job_.RowOfTables(row + l) * in.columns;
    };
    const Number* rows = at(0);
    if (count == 1) {
      LoadAlone(rows, in, packs, poison);
      return;
    }
    if (count < kLanes || job_.rows != nullptr) {
      auto* to = reinterpret_cast<Number*>(padded_);
      for (int l = 0; l < kLanes; ++l) {
        const Number* from = at(l < count ? l : count - 1);
        for (int j = 0; j < in.columns; ++j) *to++ = Read(from + j);
      }
      rows = reinterpret_cast<const Number*>(padded_);
    }
    if constexpr (sizeof(Number) == sizeof(N)) {
      LoadRows(rows, in, packs, poison);
    } else {
      LoadColumnsConverted(rows, in.columns, in.permutation, packs, poison);
    }
  }

  __attribute__((noinline, cold)) void Quiet(const Mask<N>& lanes) {
    // What is the same for all rows is loaded once and must stay.
    for (int k = 0; k < by_row_count_; ++k) {
      P* const packs = by_row_[k].packs;
      for (int j = 0; j < by_row_[k].in->columns; ++j) {
        packs[j] = Select(lanes, P(N(0)), packs[j]);
      }
    }
  }

  const BlockJob& job_;
  Poison<N> given_once_;
  Table by_row_[kInputCount];
  int by_row_count_ = 0;
  char* padded_;
  P *base_twist_, *base_acceleration_, *gravity_;
};

}  // namespace TORQUED_TARGET
}  // namespace torqued
