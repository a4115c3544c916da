// Many callers, of calls and of streams, large and small, patient and not,
// against one server.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <random>
#include <thread>
#include <vector>

#include "server/wire/enums.h"
#include "tests/server/live/live_services.h"
#include "tests/support/await.h"
#include "tests/support/random_robot.h"

namespace torqued::server {
namespace {

using testing_support::MakeRandomRobot;
using testing_support::MakeRandomState;
using Bytes = std::string;

constexpr int kStates = 1500;
constexpr Admission::Load kAllowance{std::int64_t{1} << 30, 1000};

struct Product {
  v1::Quantity quantity;
  Output output;
  const v1::Array& (v1::Results::*array)() const;
};
constexpr Product kProducts[] = {
    {v1::QUANTITY_INVERSE_DYNAMICS, Output::kTau, &v1::Results::tau},
    {v1::QUANTITY_MASS_MATRIX, Output::kMassMatrix, &v1::Results::mass_matrix},
    {v1::QUANTITY_FORWARD_DYNAMICS, Output::kAcceleration, &v1::Results::a},
    {v1::QUANTITY_JACOBIAN_DRIFT, Output::kJacobianDrift,
     &v1::Results::jacobian_drift},
};

/// A robot, states of it, and what an engine of its own says to each alone.
class Subject {
 public:
  Subject(LiveServices& services, std::string name, int dof)
      : name_(std::move(name)) {
    const auto robot = MakeRandomRobot(static_cast<std::uint64_t>(dof),
                                       {.shape = Shape::kChain, .dof = dof});
    model_ = services.Register(name_, robot.urdf);
    testing_support::Random random(99);
    for (int k = 0; k < kStates; ++k) {
      const auto state = MakeRandomState(*model_, random);
      Append(state.q, &q_);
      Append(state.v, &v_);
      Append(state.a, &a_);
      Append(state.tau, &tau_);
    }
    Engine engine({.threads = 1});
    for (const Product& product : kProducts) Solve(engine, product);
  }

  /// `products`: bit p asks for kProducts[p].
  v1::ComputeRequest Request(int first, int rows, unsigned products,
                             bool as_values) const {
    v1::ComputeRequest request;
    request.set_model(name_);
    for (std::size_t p = 0; p < std::size(kProducts); ++p) {
      if ((products >> p) & 1u) request.add_quantities(kProducts[p].quantity);
    }
    Fill(q_, first, rows, as_values, request.mutable_q());
    Fill(v_, first, rows, as_values, request.mutable_v());
    Fill(a_, first, rows, as_values, request.mutable_a());
    Fill(tau_, first, rows, as_values, request.mutable_tau());
    return request;
  }

  /// The first message of a stream.
  v1::EvaluateRequest Start(unsigned products) const {
    v1::EvaluateRequest message;
    v1::EvaluateStart& start = *message.mutable_start();
    start.set_model(name_);
    for (std::size_t p = 0; p < std::size(kProducts); ++p) {
      if ((products >> p) & 1u) start.add_quantities(kProducts[p].quantity);
    }
    return message;
  }

  v1::EvaluateRequest Chunk(int first, int rows, bool as_values) const {
    v1::EvaluateRequest message;
    v1::EvaluateChunk& chunk = *message.mutable_chunk();
    Fill(q_, first, rows, as_values, chunk.mutable_q());
    Fill(v_, first, rows, as_values, chunk.mutable_v());
    Fill(a_, first, rows, as_values, chunk.mutable_a());
    Fill(tau_, first, rows, as_values, chunk.mutable_tau());
    return message;
  }

  /// Whether a reply to those states holds the expected bits, all of them.
  template <class Reply>
  bool Answers(const Reply& reply, int first, int rows,
               unsigned products) const {
    if (reply.rows() != static_cast<std::uint64_t>(rows)) return false;
    for (std::size_t p = 0; p < std::size(kProducts); ++p) {
      const v1::Array& array = (reply.results().*kProducts[p].array)();
      const std::size_t row = expected_[p].size() / kStates;
      const std::size_t bytes =
          ((products >> p) & 1u) ? row * static_cast<std::size_t>(rows) : 0;
      const std::string_view got =
          array.f64().empty()
              ? std::string_view(
                    reinterpret_cast<const char*>(array.values().data()),
                    static_cast<std::size_t>(array.values_size()) * 8)
              : std::string_view(array.f64());
      const std::string_view wanted =
          std::string_view(expected_[p])
              .substr(row * static_cast<std::size_t>(first), bytes);
      if (got != wanted) return false;
    }
    return true;
  }

 private:
  using Shape = testing_support::RandomRobotOptions::Shape;

  static void Append(const Eigen::VectorXd& numbers,
                     std::vector<double>* table) {
    table->insert(table->end(), numbers.begin(), numbers.end());
  }

  InputArray View(const std::vector<double>& table, int state) const {
    return {table.data() + static_cast<std::size_t>(state * model_->nv()),
            NumberType::kF64, 1, model_->nv()};
  }

  void Solve(Engine& engine, const Product& product) {
    EvaluationOptions options;
    options.quantities = {*ToQuantity(product.quantity)};
    Bytes& bytes = expected_.emplace_back();
    for (int k = 0; k < kStates; ++k) {
      EvaluationInputs inputs;
      inputs.q = View(q_, k);
      inputs.v = View(v_, k);
      inputs.a = View(a_, k);
      inputs.tau = View(tau_, k);
      const auto plan = std::get<EvaluationPlan>(
          EvaluationPlan::Create(model_, options, inputs));
      std::vector<double> numbers(
          static_cast<std::size_t>(plan.columns(product.output)));
      EvaluationOutputs outputs;
      outputs[product.output] = {numbers.data(), NumberType::kF64};
      ASSERT_EQ(engine.Evaluate(plan, outputs).rows_not_ok, 0);
      bytes.append(reinterpret_cast<const char*>(numbers.data()),
                   numbers.size() * sizeof(double));
    }
  }

  void Fill(const std::vector<double>& table, int first, int rows,
            bool as_values, v1::Array* array) const {
    const auto columns = static_cast<std::size_t>(model_->nv());
    const double* begin =
        table.data() + columns * static_cast<std::size_t>(first);
    const std::size_t count = columns * static_cast<std::size_t>(rows);
    array->set_columns(static_cast<std::uint32_t>(columns));
    if (as_values) {
      array->mutable_values()->Add(begin, begin + count);
    } else {
      array->set_f64(begin, count * 8);
    }
  }

  std::string name_;
  std::shared_ptr<const Model> model_;
  std::vector<double> q_, v_, a_, tau_;
  std::vector<Bytes> expected_;  // by product, of all states
};

enum class Patience : std::uint8_t { kEndless, kCancels, kDeadline };

struct Tally {
  std::atomic<int> answered{0}, cancelled{0}, late{0}, wrong{0}, other{0};
  // Of streams, among the above but for the refused.
  std::atomic<int> streamed{0}, stream_cancelled{0}, stream_late{0}, refused{0};
};

/// A stream: sends all messages as fast as they are taken, and receives what
/// comes meanwhile. By callbacks: beside a server in the same process, two
/// threads in gRPC 1.51's blocking stream now and then wait for ever, even past
/// the deadline.
class Exchange final
    : public grpc::ClientBidiReactor<v1::EvaluateRequest, v1::EvaluateReply> {
 public:
  using OnReply = std::function<void(const v1::EvaluateReply&)>;

  Exchange(const std::vector<v1::EvaluateRequest>& messages, OnReply on_reply)
      : messages_(messages), on_reply_(std::move(on_reply)) {}

  void Begin(v1::Dynamics::Stub& stub, grpc::ClientContext& context) {
    stub.async()->Evaluate(&context, this);
    StartWrite(&messages_[0]);
    StartRead(&reply_);
    StartCall();
  }
  /// Waits for it.
  grpc::Status End() { return Await(ended_.get_future()); }

 private:
  void OnWriteDone(bool ok) override {
    if (!ok) return;
    if (++sent_ == messages_.size()) return StartWritesDone();
    StartWrite(&messages_[sent_]);
  }
  void OnReadDone(bool ok) override {
    if (!ok) return;
    on_reply_(reply_);
    StartRead(&reply_);
  }
  void OnDone(const grpc::Status& status) override { ended_.set_value(status); }

  const std::vector<v1::EvaluateRequest>& messages_;
  const OnReply on_reply_;
  std::size_t sent_ = 0;
  v1::EvaluateReply reply_;
  std::promise<grpc::Status> ended_;
};

/// Makes random calls, one after another, and looks at every answer.
class Caller {
 public:
  Caller(LiveServices& services, const std::vector<Subject>& subjects,
         unsigned seed)
      : stub_(services.Connect()), subjects_(subjects), random_(seed) {}

  void Call(Tally& tally) {
    const Subject& subject = subjects_[random_() % subjects_.size()];
    if (random_() % 4 == 0) return Stream(subject, tally);
    const Part part = APart();
    const unsigned products = Products();
    const bool as_values = random_() % 2 == 0;
    const Patience patience = Choice();
    const std::chrono::microseconds until(random_() % 3000);

    const v1::ComputeRequest request =
        subject.Request(part.first, part.rows, products, as_values);
    v1::ComputeReply reply;
    grpc::ClientContext context;
    if (patience == Patience::kDeadline) {
      context.set_deadline(std::chrono::system_clock::now() + until);
    }
    std::promise<grpc::Status> done;
    stub_->async()->Compute(
        &context, &request, &reply,
        [&done](const grpc::Status& status) { done.set_value(status); });
    if (patience == Patience::kCancels) {
      std::this_thread::sleep_for(until);
      context.TryCancel();
    }
    const grpc::Status status = Await(done.get_future());
    const bool right =
        !status.ok() || subject.Answers(reply, part.first, part.rows, products);
    Count(status, patience, right, tally);
  }

 private:
  /// Consecutive states of a subject.
  struct Part {
    int first = 0;
    int rows = 0;
  };

  /// A stream of some chunks, of which the last one may be bad.
  void Stream(const Subject& subject, Tally& tally) {
    const unsigned products = Products();
    const bool bad = random_() % 4 == 0;
    const Patience patience = Choice();
    const std::chrono::microseconds until(random_() % 3000);
    std::vector<Part> parts(random_() % 20);
    std::vector<v1::EvaluateRequest> messages = {subject.Start(products)};
    for (Part& part : parts) {
      part = APart();
      messages.push_back(
          subject.Chunk(part.first, part.rows, random_() % 2 == 0));
    }
    if (bad) {
      messages.push_back(subject.Chunk(0, 2, true));
      messages.back().mutable_chunk()->mutable_q()->mutable_values()->Add(1.0);
    }

    grpc::ClientContext context;
    if (patience == Patience::kDeadline) {
      context.set_deadline(std::chrono::system_clock::now() + until);
    }
    bool right = true;
    std::size_t replies = 0;
    std::uint64_t rows = 0;
    Exchange exchange(messages, [&](const v1::EvaluateReply& reply) {
      right = right && replies < parts.size() && reply.first_row() == rows &&
              subject.Answers(reply, parts[replies].first, parts[replies].rows,
                              products);
      ++replies;
      rows += reply.rows();
    });
    exchange.Begin(*stub_, context);
    if (patience == Patience::kCancels) {
      std::this_thread::sleep_for(until);
      context.TryCancel();
    }
    const grpc::Status status = exchange.End();
    const bool whole = replies == parts.size();
    if (bad && status.error_code() == grpc::StatusCode::INVALID_ARGUMENT) {
      ++(right && whole ? tally.refused : tally.wrong);
      return;
    }
    right = right && (!status.ok() || (whole && !bad));
    if (status.ok()) ++tally.streamed;
    if (status.error_code() == grpc::StatusCode::CANCELLED) {
      ++tally.stream_cancelled;
    }
    if (status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED) {
      ++tally.stream_late;
    }
    Count(status, patience, right, tally);
  }

  /// `right`: whatever was answered.
  static void Count(const grpc::Status& status, Patience patience, bool right,
                    Tally& tally) {
    if (!right) {
      ++tally.wrong;
    } else if (status.ok()) {
      ++tally.answered;
    } else if (patience == Patience::kCancels &&
               status.error_code() == grpc::StatusCode::CANCELLED) {
      ++tally.cancelled;
    } else if (patience == Patience::kDeadline &&
               status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED) {
      ++tally.late;
    } else {
      ADD_FAILURE() << status.error_code() << ": " << status.error_message()
                    << " (patience " << static_cast<int>(patience) << ")";
      ++tally.other;
    }
  }

  Part APart() {
    const int rows = Rows();
    return {
        static_cast<int>(random_() % static_cast<unsigned>(kStates - rows + 1)),
        rows};
  }

  unsigned Products() { return 1 + random_() % 15; }

  int Rows() {
    const unsigned kind = random_() % 20;
    if (kind < 12) return 1;
    if (kind < 18) return 2 + static_cast<int>(random_() % 60);
    return 500 + static_cast<int>(random_() % (kStates - 500));
  }

  Patience Choice() {
    switch (random_() % 6) {
      case 0:
        return Patience::kCancels;
      case 1:
        return Patience::kDeadline;
      default:
        return Patience::kEndless;
    }
  }

  std::unique_ptr<v1::Dynamics::Stub> stub_;
  const std::vector<Subject>& subjects_;
  std::mt19937 random_;
};

/// The end of what no client waits for any more.
void AwaitIdle(LiveServices& services) {
  Await([&services] {
    return services.gate().in_flight() == 0 && services.scheduler().jobs() == 0;
  });
}

TEST(Storm, EveryAnswerIsTheRowsOwnWhateverElseIsUnderWay) {
  constexpr int kCallers = 6;
  constexpr int kCalls = 1500;
  // Odd chunks, so that no call is cut as the engine of its own cuts.
  LiveServices services(
      {.engine = {.threads = 3, .chunk_rows = 37}, .inflight = kAllowance});
  std::vector<Subject> subjects;
  for (const int dof : {2, 6, 11}) {
    subjects.emplace_back(services, "robot" + std::to_string(dof), dof);
  }
  ASSERT_FALSE(HasFailure());

  Tally tally;
  std::vector<std::thread> threads;
  threads.reserve(kCallers);
  for (unsigned k = 0; k < kCallers; ++k) {
    threads.emplace_back([&, k] {
      Caller caller(services, subjects, k);
      for (int call = 0; call < kCalls; ++call) caller.Call(tally);
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(tally.wrong, 0);
  EXPECT_EQ(tally.answered + tally.cancelled + tally.late + tally.refused,
            kCallers * kCalls);
  // The storm was one: calls of every kind ended in every way.
  EXPECT_GT(tally.answered, kCallers * kCalls / 2);
  EXPECT_GT(tally.cancelled, 0);
  EXPECT_GT(tally.late, 0);
  EXPECT_GT(tally.streamed, 0);
  EXPECT_GT(tally.stream_cancelled, 0);
  EXPECT_GT(tally.stream_late, 0);
  EXPECT_GT(tally.refused, 0);
  RecordProperty("cancelled", tally.cancelled);
  RecordProperty("late", tally.late);
  RecordProperty("refused", tally.refused);

  // Nothing of it is left: no call, no job, and nothing of the allowance.
  AwaitIdle(services);
  EXPECT_EQ(services.admission().held(), Admission::Load());
}

}  // namespace
}  // namespace torqued::server
