// A stream that stays open: states as they come, evaluations in their order.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "client/cpp/evaluation.h"

namespace torqued::client {

class StreamCall;

/// What a simulator or a control loop holds open: the model is looked up and
/// the options are checked once, and a chunk of a few states takes two thirds
/// of the time of a call. All chunks are computed with one revision of the
/// model, to the bits that Client::Compute gives. May outlive the client.
///
/// Where the server is lost or stops, chunks that are not answered are sent
/// again, to that server or the next one, as ConnectOptions::retry says; they
/// are kept until they are answered. The echo tells which server it was.
///
/// One thread may write while another one reads; or one does both, and then
/// must not write more than `window` chunks that it has not read. Cancel may be
/// called by any thread; moving and destroying need the stream alone, and one
/// that has been moved from can only be destroyed or assigned to.
///
/// Every failure is an Error. That of the server comes to whoever calls next
/// once the evaluations before it have been read, and again with every further
/// call; its metadata "next_row" is the row, from the start of the stream, from
/// which on nothing was answered.
class EvaluationStream {
 public:
  /// Chunks that are written and not read, at most, unless Client::OpenStream
  /// is told otherwise. The server reads up to 8 ahead.
  static constexpr int kWindow = 16;

  explicit EvaluationStream(std::unique_ptr<StreamCall> call);
  EvaluationStream(EvaluationStream&&) noexcept;
  EvaluationStream& operator=(EvaluationStream&&) noexcept;
  /// Cancels what is not finished.
  ~EvaluationStream();

  /// Sends one chunk: any number of states that one message holds (a thousand
  /// or so are as fast as it gets). Number and inputs may differ from chunk to
  /// chunk. Waits where the connection is busy, and for a Read where the window
  /// is full. Throws WRONG_ROW_COUNT before anything is sent.
  void Write(const States& states);
  /// With the chunk's own tip wrench, 6 columns (moment; force), one row or one
  /// a state, in place of the options'. Its reference frame is that of the
  /// options.
  void Write(const States& states, const Batch& tip_wrench);
  /// Write that does not wait: false, and nothing is sent, where it would.
  bool TryWrite(const States& states);

  /// Waits for the next evaluation: of the chunks in the order in which they
  /// were written. Rows and row statuses count from the start of the chunk;
  /// every evaluation has the whole echo. Nothing once all is read after
  /// EndWriting.
  std::optional<Evaluation> Read();
  /// Whether Read need not wait, after at most `timeout`.
  bool Readable(std::chrono::nanoseconds timeout = {});
  /// Write and Read: where nothing else is unread, the answer to these states.
  Evaluation Exchange(const States& states);
  /// Chunks that are written and not read.
  int unread() const;

  /// No more will be written; what was can still be read. By whoever writes.
  void EndWriting();
  /// EndWriting, and returns when the server has computed all; drops what has
  /// not been read. Throws where anything failed.
  void Finish();
  /// The others return soon, with CANCELLED once all that came is read.
  void Cancel();

 private:
  std::unique_ptr<StreamCall> call_;
};

}  // namespace torqued::client
