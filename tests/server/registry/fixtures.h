// What the tests of the registry share.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "server/registry/model_store.h"
#include "server/registry/registry.h"
#include "tests/server/temp_dir.h"

namespace torqued::server {

using TemporaryDirectory = TempDir;

inline std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void WriteFile(const std::string& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  ASSERT_TRUE(file.flush());
}

/// A pendulum; other masses, other revisions.
inline std::string Urdf(int mass) {
  return "<robot name='pendulum'><link name='base'/><link name='bob'>"
         "<inertial><origin xyz='0 0 -1'/><mass value='" +
         std::to_string(mass) +
         "'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>"
         "</inertial></link>"
         "<joint name='pivot' type='revolute'><parent link='base'/>"
         "<child link='bob'/><axis xyz='1 0 0'/>"
         "<limit lower='-1' upper='1' effort='9' velocity='2'/></joint>"
         "</robot>";
}

inline RevisionSummary SummaryOfPendulum() {
  return {.format = "urdf", .nq = 1, .nv = 1, .problem = ""};
}

inline std::unique_ptr<ModelStore> OpenStore(const std::string& path,
                                             std::int64_t max_models = 10'000) {
  return std::make_unique<ModelStore>(path, max_models);
}

/// Empty when it opens.
inline std::string WhyItDoesNotOpen(const std::string& path) {
  try {
    ModelStore store(path);
  } catch (const StoreError& error) {
    return error.what();
  }
  return "";
}

/// Behind the store's back; its first result, or why it failed.
inline std::string RunSql(const std::string& path, const std::string& sql) {
  sqlite3* connection = nullptr;
  std::string result;
  if (sqlite3_open(path.c_str(), &connection) != SQLITE_OK ||
      sqlite3_exec(
          connection, sql.c_str(),
          [](void* out, int columns, char** values, char**) {
            auto& text = *static_cast<std::string*>(out);
            if (text.empty() && columns > 0 && values[0] != nullptr) {
              text = values[0];
            }
            return 0;
          },
          &result, nullptr) != SQLITE_OK) {
    result = sqlite3_errmsg(connection);
  }
  sqlite3_close(connection);
  return result;
}

inline RegisterRequest Request(std::string name, int mass,
                               std::string label = "") {
  RegisterRequest request;
  request.name = std::move(name);
  request.source = Urdf(mass);
  request.label = std::move(label);
  return request;
}

/// As it is stored, whatever the revision holds.
inline LoadedRevision Content(std::string revision, std::string source) {
  LoadedRevision loaded;
  loaded.revision = std::move(revision);
  loaded.format = "urdf";
  loaded.source = std::move(source);
  loaded.options = RegistrationOptions();
  return loaded;
}

inline std::string RevisionOf(int mass) {
  return ComputeRevision("urdf", Urdf(mass), RegistrationOptions());
}

/// The value, or a failed test and a default.
template <class T>
T Value(OrRegistryError<T> result) {
  if (auto* error = std::get_if<RegistryError>(&result)) {
    ADD_FAILURE() << error->message;
    return T();
  }
  return std::move(std::get<T>(result));
}

/// The error, or a failed test and a default.
template <class T>
RegistryError Error(OrRegistryError<T> result) {
  if (auto* error = std::get_if<RegistryError>(&result)) {
    return std::move(*error);
  }
  ADD_FAILURE() << "no error";
  return RegistryError();
}

/// Revision that a reference leads to, or the error's sentence.
inline std::string Where(Registry& registry, const std::string& reference) {
  auto result = registry.Resolve(reference);
  if (auto* error = std::get_if<RegistryError>(&result)) return error->message;
  return std::get<ModelEntry>(result).loaded->revision;
}

}  // namespace torqued::server
