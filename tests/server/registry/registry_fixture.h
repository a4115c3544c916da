// A registry whose store the tests get at.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/server/registry/fixtures.h"

namespace torqued::server {

class RegistryTest : public testing::Test {
 protected:
  std::vector<std::string> Names(const ModelPage& page) {
    std::vector<std::string> names;
    names.reserve(page.models.size());
    for (const ListedModel& model : page.models) names.push_back(model.name);
    return names;
  }

  // Past the registry, which would refuse it, and without a summary.
  void Write(const std::string& name, const std::string& revision,
             const std::string& source) {
    RegisterRequest request;
    request.name = name;
    std::string before;
    store_->Register(request, Content(revision, source), &before);
    RunSql(path_, "DELETE FROM summaries WHERE revision = '" + revision + "'");
  }

  // As another process would find it: nothing is cached.
  std::unique_ptr<ModelStore> OpenStoreCopy() {
    const std::string copy = directory_ / "copy.db";
    for (const char* end : {"", "-wal", "-shm"}) {
      std::filesystem::remove(copy + end);
    }
    EXPECT_EQ(RunSql(path_, "VACUUM INTO '" + copy + "'"), "");
    return OpenStore(copy);
  }

  TemporaryDirectory directory_;
  std::string path_ = directory_ / "models.db";
  std::unique_ptr<ModelStore> owned_ = OpenStore(path_);
  ModelStore* store_ = owned_.get();
  Registry registry_{std::move(owned_)};
};

}  // namespace torqued::server
