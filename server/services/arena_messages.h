// Request and reply of a call in a few pieces of memory.
#pragma once

#include <google/protobuf/arena.h>
#include <grpcpp/support/message_allocator.h>

#include <cstddef>

namespace torqued::server {

/// The messages of one call, of which the reply and its parts, but for long
/// texts and bytes, are in an arena whose first block comes with it: one
/// allocation for what would be dozens. Not the request: its tables of numbers
/// grow as they arrive, and an arena keeps what they outgrow.
template <class Request, class Reply>
class ArenaMessages final : public grpc::MessageHolder<Request, Reply> {
 public:
  ArenaMessages() : arena_(first_block_, sizeof(first_block_)) {
    this->set_request(&request_);
    this->set_response(google::protobuf::Arena::CreateMessage<Reply>(&arena_));
  }

  void Release() override { delete this; }

 private:
  ~ArenaMessages() override = default;

  /// That of a call of one state fits.
  static constexpr std::size_t kFirstBlock = 4096;

  Request request_;
  alignas(std::max_align_t) char first_block_[kFirstBlock];
  google::protobuf::Arena arena_;
};

template <class Request, class Reply>
class ArenaAllocator final : public grpc::MessageAllocator<Request, Reply> {
 public:
  grpc::MessageHolder<Request, Reply>* AllocateMessages() override {
    return new ArenaMessages<Request, Reply>;
  }
};

}  // namespace torqued::server
