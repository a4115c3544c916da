// A stand-in for a server's Evaluate, in memory: tau = q + 1000 v.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "client/cpp/chunk_stream.h"

namespace torqued::client {

class FakeStreams {
 public:
  FakeStreams();

  /// What opens a stream; must not outlive this.
  OpenStream Opener();

  // What was asked for.
  std::vector<v1::EvaluateStart> starts;  // of each stream
  std::vector<std::int64_t> chunk_rows;   // of all streams
  std::size_t largest = 0;                // bytes of a message
  int most_unanswered = 0;                // chunks, at any time

  /// Called for each reply, counted from 0 in its stream.
  std::function<void(int chunk, v1::EvaluateReply*)> edit;
  /// How a stream goes, counted from 0, instead of answering that chunk; OK: it
  /// does answer.
  std::function<grpc::Status(int stream, int chunk)> fail;
  /// The same by the size of the chunk.
  std::function<grpc::Status(std::int64_t rows)> admit;

 private:
  class Stream;
  std::mutex mutex_;
};

/// tau of a chunk and everything but the echo and the first row.
v1::EvaluateReply Answer(const v1::EvaluateChunk& chunk);

inline const std::string kRevision(64, 'a');

}  // namespace torqued::client
