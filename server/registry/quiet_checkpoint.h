// Empties the write-ahead log when nobody writes.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>

#include "server/registry/own_file.h"
#include "server/registry/sqlite_connection.h"

namespace torqued::server {

/// Copies the log into the file and empties it, once after a write and when
/// nothing was written for a while, and at the end. What is stored is the same
/// with and without; the file alone is near complete then. Waits for nobody: a
/// log that others read from is emptied later.
class QuietCheckpoint {
 public:
  /// The connection serves this alone, and `file` is the one that the log is
  /// copied into, unless there is a problem with it. Who writes to the log
  /// holds `writing`.
  QuietCheckpoint(std::unique_ptr<SqliteConnection> connection, OwnFile& file,
                  std::mutex& writing, std::chrono::milliseconds quiet);
  ~QuietCheckpoint() { Stop(); }
  QuietCheckpoint(const QuietCheckpoint&) = delete;
  QuietCheckpoint& operator=(const QuietCheckpoint&) = delete;

  /// For the last time, once nothing is written any more. The connection is
  /// the caller's then.
  SqliteConnection& Stop();

  /// Something was written. From any thread.
  void NoteWrite();

 private:
  void Run(const std::stop_token& stop);
  /// False: somebody writes, or reads from the log, or the file is not to be
  /// written now.
  bool EmptyLog();

  std::unique_ptr<SqliteConnection> connection_;
  OwnFile& file_;
  std::mutex& writing_;
  const std::chrono::milliseconds quiet_;
  std::mutex mutex_;
  std::condition_variable_any written_;
  bool pending_ = false;                            // guarded by mutex_
  std::chrono::steady_clock::time_point due_ = {};  // guarded by mutex_
  std::jthread thread_;
};

}  // namespace torqued::server
