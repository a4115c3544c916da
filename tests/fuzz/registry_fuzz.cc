// Calls of torqued.v1.ModelRegistry, one after the other, beside a plain map of
// what they must have led to.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "fuzz_inputs.pb.h"
#include "server/registry/model_store.h"
#include "server/registry/reference.h"
#include "server/services/registry_calls.h"
#include "tests/fuzz/message_input.h"
#include "tests/fuzz/refusal.h"
#include "tests/fuzz/require.h"
#include "tests/server/handle.h"
#include "tests/server/temp_dir.h"

namespace torqued::fuzz {
namespace {

using namespace torqued::server;  // NOLINT(google-build-using-namespace)

constexpr char kPendulum[] =
    "<robot name='p'><link name='base'/><link name='bob'><inertial>"
    "<origin xyz='0 0 -1'/><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' "
    "iyy='1' iyz='0' izz='1'/></inertial></link><joint name='pivot' "
    "type='continuous'><parent link='base'/><child link='bob'/></joint>"
    "</robot>";

constexpr std::size_t kMaxCalls = 12;

class Trial {
 public:
  explicit Trial(Registry& registry) : registry_(registry) {}

  // Leaves the registry as it was.
  ~Trial() {
    for (const auto& [name, known] : names_) {
      FUZZ_REQUIRE(registry_.Delete(name, std::nullopt).index() == 0, name);
    }
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  void Call(const RegistryCall& call) {
    switch (call.request_case()) {
      case RegistryCall::kRegister:
        return Run<v1::RegisterModelReply>(call.register_());
      case RegistryCall::kValidate:
        return Run<v1::ValidateModelReply>(call.validate());
      case RegistryCall::kGet:
        return Run<v1::GetModelReply>(call.get());
      case RegistryCall::kList:
        return Run<v1::ListModelsReply>(call.list());
      case RegistryCall::kDelete:
        return Run<v1::DeleteModelReply>(call.delete_());
      case RegistryCall::REQUEST_NOT_SET:
        return;
    }
  }

 private:
  struct Known {
    std::string current;
    std::set<std::string> history;
    std::map<std::string, std::string> labels;
  };

  template <class Reply, class Request>
  void Run(const Request& sent) {
    Request request;
    if (!ThroughTheWire(sent, &request)) return;
    Reply reply;
    if (const auto error = Handle(registry_, request, &reply)) {
      CheckRefusal(*error, request);
      Refused(request, error->reason);
      return;
    }
    Reply received;
    FUZZ_REQUIRE(ThroughTheWire(reply, &received),
                 "a reply that nobody can read");
    Answered(request, received);
  }

  const Known* Find(const std::string& name) const {
    const auto found = names_.find(name);
    return found == names_.end() ? nullptr : &found->second;
  }

  std::string CurrentOf(const std::string& name) const {
    const Known* known = Find(name);
    return known == nullptr ? "" : known->current;
  }

  // Register

  void Answered(const v1::RegisterModelRequest& request,
                const v1::RegisterModelReply& reply) {
    const std::string& name = request.name();
    FUZZ_REQUIRE(IsValidModelName(name) && name != "." && name != "..", name);
    FUZZ_REQUIRE(request.label().empty() || IsValidLabel(request.label()),
                 request.label());
    const std::string before = CurrentOf(name);
    FUZZ_REQUIRE(
        !request.has_expected_current() || request.expected_current() == before,
        name);
    const v1::ModelInfo& model = reply.model();
    CheckModel(model);
    FUZZ_REQUIRE(model.name() == name, name);
    FUZZ_REQUIRE(reply.changed() == (model.revision() != before), name);
    Known& known = names_[name];
    known.current = model.revision();
    known.history.insert(model.revision());
    if (!request.label().empty()) {
      known.labels[request.label()] = model.revision();
    }
    CheckLabels(known, model);
  }

  void Refused(const v1::RegisterModelRequest& request, v1::Reason reason) {
    if (reason == v1::REVISION_CONFLICT) {
      FUZZ_REQUIRE(request.has_expected_current() &&
                       request.expected_current() != CurrentOf(request.name()),
                   request.name());
    } else if (reason == v1::INVALID_MODEL || reason == v1::UNKNOWN_FRAME) {
      FUZZ_REQUIRE(!Validated(request).valid(), "refused but valid");
    } else {
      FUZZ_REQUIRE(reason == v1::INVALID_MODEL_NAME ||
                       reason == v1::INVALID_FIELD ||
                       reason == v1::INVALID_OPTION,
                   v1::Reason_Name(reason));
    }
  }

  v1::ValidateModelReply Validated(const v1::RegisterModelRequest& request) {
    v1::ValidateModelRequest dry;
    dry.set_format(request.format());
    dry.set_source(request.source());
    *dry.mutable_options() = request.options();
    v1::ValidateModelReply reply;
    FUZZ_REQUIRE(!Handle(registry_, dry, &reply), "a dry run fails");
    return reply;
  }

  // Validate

  void Answered(const v1::ValidateModelRequest&,
                const v1::ValidateModelReply& reply) {
    FUZZ_REQUIRE(reply.valid() == (reply.report().errors() == 0), "valid");
    FUZZ_REQUIRE(reply.valid() == reply.has_model(), "model");
    if (reply.valid()) CheckModel(reply.model());
    for (const v1::Finding& finding : reply.report().findings()) {
      FUZZ_REQUIRE(!finding.code().empty() && !finding.message().empty(),
                   finding.message());
    }
  }

  static void Refused(const v1::ValidateModelRequest&, v1::Reason reason) {
    FUZZ_REQUIRE(reason == v1::INVALID_FIELD || reason == v1::INVALID_OPTION,
                 v1::Reason_Name(reason));
  }

  // Get

  void Answered(const v1::GetModelRequest& request,
                const v1::GetModelReply& reply) {
    CheckModel(reply.model());
    FUZZ_REQUIRE(request.include_source() || reply.source().empty(), "source");
    const std::set<std::string> expected = Meant(request.model());
    FUZZ_REQUIRE(
        expected.size() == 1 && *expected.begin() == reply.model().revision(),
        request.model());
  }

  void Refused(const v1::GetModelRequest& request, v1::Reason reason) {
    const std::string& reference = request.model();
    if (reason == v1::INVALID_MODEL_REFERENCE) {
      const auto parsed =
          Answer([&] { return ParseModelReference(reference); });
      FUZZ_REQUIRE(std::holds_alternative<RegistryError>(parsed), reference);
    } else if (reason == v1::AMBIGUOUS_REVISION) {
      FUZZ_REQUIRE(Meant(reference).size() > 1, reference);
    } else {
      FUZZ_REQUIRE(reason == v1::MODEL_NOT_FOUND, v1::Reason_Name(reason));
      FUZZ_REQUIRE(Meant(reference).empty(), reference);
    }
  }

  /// The revisions that a reference fits.
  std::set<std::string> Meant(const std::string& text) const {
    const ModelReference reference = ParseModelReference(text);
    std::set<std::string> revisions;
    const auto add_matches = [&](const Known& known) {
      for (const std::string& revision : known.history) {
        if (revision.starts_with(reference.prefix)) revisions.insert(revision);
      }
    };
    if (reference.name.empty()) {
      for (const auto& [name, known] : names_) add_matches(known);
      return revisions;
    }
    const Known* known = Find(reference.name);
    if (known == nullptr) return revisions;
    if (!reference.prefix.empty()) {
      add_matches(*known);
    } else if (reference.label.empty()) {
      revisions.insert(known->current);
    } else if (const auto label = known->labels.find(reference.label);
               label != known->labels.end()) {
      revisions.insert(label->second);
    }
    return revisions;
  }

  // List

  void Answered(const v1::ListModelsRequest& request,
                const v1::ListModelsReply& reply) {
    const std::string& after = request.page_token();
    const std::size_t size =
        request.page_size() == 0
            ? 100
            : std::min<std::size_t>(request.page_size(), 1000);
    auto expected = names_.upper_bound(after);
    FUZZ_REQUIRE(static_cast<std::size_t>(reply.models_size()) <= size, after);
    for (const v1::ModelSummary& model : reply.models()) {
      FUZZ_REQUIRE(expected != names_.end(), model.name());
      FUZZ_REQUIRE(model.name() == expected->first, model.name());
      FUZZ_REQUIRE(model.revision() == expected->second.current, model.name());
      FUZZ_REQUIRE(model.state() == v1::MODEL_STATE_READY, model.name());
      ++expected;
    }
    FUZZ_REQUIRE(reply.next_page_token().empty() == (expected == names_.end()),
                 reply.next_page_token());
  }

  static void Refused(const v1::ListModelsRequest& request, v1::Reason reason) {
    FUZZ_REQUIRE(reason == v1::INVALID_FIELD, v1::Reason_Name(reason));
    FUZZ_REQUIRE(!IsValidModelName(request.page_token()), request.page_token());
  }

  // Delete

  void Answered(const v1::DeleteModelRequest& request,
                const v1::DeleteModelReply&) {
    FUZZ_REQUIRE(Find(request.name()) != nullptr, request.name());
    FUZZ_REQUIRE(!request.has_expected_current() ||
                     request.expected_current() == CurrentOf(request.name()),
                 request.name());
    names_.erase(request.name());
  }

  void Refused(const v1::DeleteModelRequest& request, v1::Reason reason) {
    const std::string& name = request.name();
    if (reason == v1::REVISION_CONFLICT) {
      FUZZ_REQUIRE(request.has_expected_current() &&
                       request.expected_current() != CurrentOf(name),
                   name);
    } else if (reason == v1::INVALID_MODEL_NAME) {
      FUZZ_REQUIRE(!IsValidModelName(name), name);
    } else {
      FUZZ_REQUIRE(reason == v1::MODEL_NOT_FOUND, v1::Reason_Name(reason));
      FUZZ_REQUIRE(Find(name) == nullptr, name);
    }
  }

  static void CheckModel(const v1::ModelInfo& model) {
    FUZZ_REQUIRE(model.revision().size() == 64, model.revision());
    FUZZ_REQUIRE(model.state() == v1::MODEL_STATE_READY, model.problem());
    FUZZ_REQUIRE(model.report().errors() == 0, model.revision());
    FUZZ_REQUIRE(static_cast<int>(model.nv()) == model.joints_size(),
                 model.revision());
    FUZZ_REQUIRE(model.frames_size() > model.joints_size(), model.revision());
  }

  static void CheckLabels(const Known& known, const v1::ModelInfo& model) {
    std::vector<std::string> labels;
    for (const auto& [label, revision] : known.labels) {
      if (revision == model.revision()) labels.push_back(label);
    }
    FUZZ_REQUIRE(std::equal(labels.begin(), labels.end(),
                            model.labels().begin(), model.labels().end()),
                 model.name());
  }

  Registry& registry_;
  std::map<std::string, Known> names_;
};

Registry& TheRegistry() {
  static const TempDir directory;
  static Registry registry(
      std::make_unique<ModelStore>(directory.File("models.db")));
  return registry;
}

}  // namespace

std::unique_ptr<google::protobuf::Message> NewInput() {
  return std::make_unique<RegistryInput>();
}

std::span<const std::string> Words() {
  static const std::string revision =
      ComputeRevision("urdf", kPendulum, RegistrationOptions());
  static const std::vector<std::string> words = {
      "arm",
      "leg",
      "arm.v2",
      "factory",
      "arm@factory",
      "bob",
      kPendulum,
      revision,
      "@" + revision.substr(0, 8),
      "arm@" + revision.substr(0, 12),
      "b",
      "deadbeef"};
  return words;
}

}  // namespace torqued::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace torqued::fuzz;  // NOLINT(google-build-using-namespace)
  RegistryInput input;
  if (!ParseInput(Text(data, size), &input)) return -1;
  Trial trial(TheRegistry());
  std::size_t calls = 0;
  for (const torqued::fuzz::RegistryCall& call : input.calls()) {
    if (++calls > kMaxCalls) break;
    trial.Call(call);
  }
  return 0;
}
