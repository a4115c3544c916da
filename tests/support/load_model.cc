#include "tests/support/load_model.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "core/formats/urdf.h"

namespace torqued::testing_support {

std::shared_ptr<const Model> LoadModel(std::string_view urdf,
                                       const std::string& tip) {
  BuildOptions options;
  options.default_tip = tip;
  LoadResult result = LoadUrdf(urdf, options);
  for (const Finding& finding : result.report.findings()) {
    if (finding.severity == Severity::kError) {
      ADD_FAILURE() << "line " << finding.line << ": " << finding.message;
    }
  }
  return result.model;
}

std::shared_ptr<const Model> ShippedModel(const std::string& name) {
  return LoadModel(ReadFile(TORQUED_MODELS "/" + name + ".urdf"));
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) ADD_FAILURE() << "cannot read " << path;
  return text.str();
}

}  // namespace torqued::testing_support
