#include "server/standard/reflection_service.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <optional>
#include <set>
#include <utility>

#include "server/services/stream_call.h"
#include "server/standard/standard_request.h"

namespace torqued::server {
namespace {

namespace v1alpha = grpc::reflection::v1alpha;
using google::protobuf::DescriptorPool;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;

/// One request after the other, each with its reply before the next is read.
class ReflectionStream final : public StreamCall {
 public:
  ReflectionStream(grpc::CallbackServerContext* call, ServiceContext& context,
                   const std::vector<std::string>& services)
      : StreamCall(call, context, "ServerReflectionInfo"),
        services_(services) {}

 private:
  void OnMessage() override {
    std::optional<Error> error;
    try {
      error = Answer();
    } catch (...) {
      error = FaultOfTheServer();
    }
    Handled(std::move(error));
  }
  std::optional<Error> OnModel(const ModelEntry& /*entry*/) override {
    return std::nullopt;  // there is none
  }
  bool OnWritten(bool /*ok*/) override {
    answered_ = false;
    room_ = {};
    return false;
  }
  void Conclude() override {
    if (writing_ || handling_ || answered_) return;
    if (input_ended_) {
      Succeed();
    } else if (draining_) {
      EndWith(Draining());
    }
  }
  bool IsAtWork() const override { return false; }
  Steps NextSteps() override {
    Steps steps;
    if (writing_ || handling_) return steps;
    if (answered_) {
      steps.write = &outgoing_;
    } else if (!reading_ && !input_ended_) {
      steps.read = &incoming_;
    }
    return steps;
  }

  std::optional<Error> Answer() {
    v1alpha::ServerReflectionRequest request;
    if (auto error = ParseStandard(&incoming_, &request)) return error;
    v1alpha::ServerReflectionResponse reply;
    reply.set_valid_host(request.host());
    *reply.mutable_original_request() = request;
    Fill(request, &reply);
    const auto bytes = static_cast<std::int64_t>(reply.ByteSizeLong());
    auto admitted = context_.admission.Admit(
        {.bytes = bytes}, Admission::Reach::kLimit, record_.peer());
    if (auto* error = std::get_if<Error>(&admitted)) return std::move(*error);
    room_ = std::get<Admission::Ticket>(std::move(admitted));
    SerializeMessage(reply, &outgoing_);
    answered_ = true;
    return std::nullopt;
  }

  void Fill(const v1alpha::ServerReflectionRequest& request,
            v1alpha::ServerReflectionResponse* reply) {
    const DescriptorPool& pool = *DescriptorPool::generated_pool();
    switch (request.message_request_case()) {
      case v1alpha::ServerReflectionRequest::kFileByFilename:
        return Describe(pool.FindFileByName(request.file_by_filename()), reply);
      case v1alpha::ServerReflectionRequest::kFileContainingSymbol:
        return Describe(
            pool.FindFileContainingSymbol(request.file_containing_symbol()),
            reply);
      case v1alpha::ServerReflectionRequest::kFileContainingExtension: {
        const auto& asked = request.file_containing_extension();
        const auto* type = pool.FindMessageTypeByName(asked.containing_type());
        const FieldDescriptor* extension =
            type == nullptr
                ? nullptr
                : pool.FindExtensionByNumber(type, asked.extension_number());
        return Describe(extension == nullptr ? nullptr : extension->file(),
                        reply);
      }
      case v1alpha::ServerReflectionRequest::kAllExtensionNumbersOfType:
        return ListExtensions(pool, request.all_extension_numbers_of_type(),
                              reply);
      case v1alpha::ServerReflectionRequest::kListServices: {
        auto* listed = reply->mutable_list_services_response();
        for (const std::string& service : services_) {
          listed->add_service()->set_name(service);
        }
        return;
      }
      case v1alpha::ServerReflectionRequest::MESSAGE_REQUEST_NOT_SET:
        break;
    }
    Refuse(grpc::StatusCode::INVALID_ARGUMENT, "Nothing is asked for.", reply);
  }

  void Describe(const FileDescriptor* file,
                v1alpha::ServerReflectionResponse* reply) {
    if (file == nullptr) {
      return Refuse(grpc::StatusCode::NOT_FOUND, "There is no such thing.",
                    reply);
    }
    auto* files = reply->mutable_file_descriptor_response();
    Add(*file, files);
    // Asked for again: it alone.
    if (files->file_descriptor_proto_size() == 0) {
      told_.erase(file);
      Add(*file, files);
    }
  }

  void Add(const FileDescriptor& file, v1alpha::FileDescriptorResponse* files) {
    if (!told_.insert(&file).second) return;
    google::protobuf::FileDescriptorProto described;
    file.CopyTo(&described);
    files->add_file_descriptor_proto(described.SerializeAsString());
    for (int k = 0; k < file.dependency_count(); ++k) {
      Add(*file.dependency(k), files);
    }
  }

  static void ListExtensions(const DescriptorPool& pool,
                             const std::string& name,
                             v1alpha::ServerReflectionResponse* reply) {
    const auto* type = pool.FindMessageTypeByName(name);
    if (type == nullptr) {
      return Refuse(grpc::StatusCode::NOT_FOUND, "There is no such type.",
                    reply);
    }
    auto* numbers = reply->mutable_all_extension_numbers_response();
    numbers->set_base_type_name(name);
    std::vector<const FieldDescriptor*> extensions;
    pool.FindAllExtensions(type, &extensions);
    for (const FieldDescriptor* extension : extensions) {
      numbers->add_extension_number(extension->number());
    }
  }

  static void Refuse(grpc::StatusCode code, const std::string& why,
                     v1alpha::ServerReflectionResponse* reply) {
    reply->mutable_error_response()->set_error_code(code);
    reply->mutable_error_response()->set_error_message(why);
  }

  const std::vector<std::string>& services_;
  std::set<const FileDescriptor*> told_;  // in this stream
  // Of whoever handles a message, then of the write.
  grpc::ByteBuffer incoming_;
  grpc::ByteBuffer outgoing_;
  Admission::Ticket room_;
  bool answered_ = false;
};

}  // namespace

grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>*
ReflectionService::ServerReflectionInfo(grpc::CallbackServerContext* call) {
  return StreamCall::Start(
      std::make_shared<ReflectionStream>(call, context_, services_));
}

}  // namespace torqued::server
