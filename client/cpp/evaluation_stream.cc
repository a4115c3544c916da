#include "client/cpp/evaluation_stream.h"

#include <utility>

#include "client/cpp/stream_call.h"

namespace torqued::client {

EvaluationStream::EvaluationStream(std::unique_ptr<StreamCall> call)
    : call_(std::move(call)) {}
EvaluationStream::EvaluationStream(EvaluationStream&&) noexcept = default;
EvaluationStream& EvaluationStream::operator=(EvaluationStream&&) noexcept =
    default;
EvaluationStream::~EvaluationStream() = default;

void EvaluationStream::Write(const States& states) {
  call_->Write(states, nullptr, StreamCall::kForever);
}

void EvaluationStream::Write(const States& states, const Batch& tip_wrench) {
  call_->Write(states, &tip_wrench, StreamCall::kForever);
}

bool EvaluationStream::TryWrite(const States& states) {
  return call_->Write(states, nullptr, Clock::now());
}

std::optional<Evaluation> EvaluationStream::Read() { return call_->Read(); }

bool EvaluationStream::Readable(std::chrono::nanoseconds timeout) {
  return call_->Readable(timeout);
}

Evaluation EvaluationStream::Exchange(const States& states) {
  Write(states);
  return *Read();
}

int EvaluationStream::unread() const { return call_->unread(); }

void EvaluationStream::EndWriting() { call_->EndWriting(); }

void EvaluationStream::Finish() { call_->Finish(); }

void EvaluationStream::Cancel() { call_->Cancel(); }

}  // namespace torqued::client
