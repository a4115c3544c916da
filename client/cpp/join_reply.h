// Replies put together to one evaluation.
#pragma once

#include <span>

#include "client/cpp/evaluation.h"
#include "client/cpp/rows.h"

namespace torqued::client {

/// What the replies of Compute and of Evaluate have in common.
struct ReplyPart {
  const v1::Results& results;
  const google::protobuf::RepeatedPtrField<v1::RowStatus>& row_status;
  std::uint64_t rows = 0;
  std::uint64_t rows_not_ok = 0;
  const v1::Timing& timing;
  /// Number of this part's first row in `row_status`.
  std::uint64_t first_row = 0;
};

ReplyPart PartOf(const v1::ComputeReply& reply);
ReplyPart PartOf(const v1::EvaluateReply& reply);

/// Throws Error when the reply begins with another row of its stream.
void CheckFirstRow(const v1::EvaluateReply& reply, std::int64_t expected);

/// How many rows a reply is taken to have that says `answered` where `asked`
/// were sent. Without joints there is nothing to count states by: the server's
/// word counts, which is never more than it was sent, or one.
std::int64_t RowsAnswered(std::uint64_t answered, std::int64_t asked);

/// Writes the part's rows to their places in the whole, which has `whole.rows`
/// of them; the first part comes first. `with_sigma_min`: singular values were
/// asked for as well. Throws Error when the part lacks what
/// was asked for or is of another size than `range`.
void Join(const ReplyPart& part, std::span<const v1::Quantity> quantities,
          bool with_sigma_min, const RowRange& range, Evaluation* whole);

}  // namespace torqued::client
