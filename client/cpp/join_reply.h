// Replies put together to one evaluation.
#pragma once

#include <span>

#include "client/cpp/evaluation.h"
#include "client/cpp/rows.h"

namespace torqued::client {

/// The beginning of an evaluation of `rows` states, by the reply to the first
/// of them: its echo, without times.
Evaluation BeginJoin(const v1::ComputeReply& first, std::int64_t rows);

/// Each row that is not OK has its status in the reply.
bool ListsAll(const v1::ComputeReply& reply);

/// The whole, in one reply.
Evaluation JoinOne(const v1::ComputeReply& reply,
                   std::span<const v1::Quantity> quantities,
                   const ComputeOptions& options, std::int64_t rows);

/// Writes the part's rows to their places in the whole, which has `whole.rows`
/// of them; the first part comes first. `with_sigma_min`: singular values were
/// asked for as well. Throws Error when the part lacks what
/// was asked for or is of another size than `range`.
void Join(const v1::ComputeReply& part,
          std::span<const v1::Quantity> quantities, bool with_sigma_min,
          const RowRange& range, Evaluation* whole);

}  // namespace torqued::client
