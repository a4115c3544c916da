// Who reads what a program writes.
#pragma once

namespace torqued::cli {

/// Whether the descriptor is a pipe or a socket whose other end has been
/// closed, as `head` does when it has seen enough. False for what cannot be
/// written for another reason, such as a disk that is full.
bool ReaderHasLeft(int descriptor);

}  // namespace torqued::cli
