// Reference data that is not part of the repository.
#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/load_model.h"

namespace torqued::testing_support {

inline constexpr char kNoSharedData[] =
    "There is no folder " TORQUED_SHARED_DIR
    " with golden/*.json and robots/*.urdf; set TORQUED_SHARED_DIR when "
    "configuring to compare with them.";

inline bool HasSharedData() {
  return std::filesystem::is_directory(TORQUED_SHARED_DIR "/golden") &&
         std::filesystem::is_directory(TORQUED_SHARED_DIR "/robots");
}

inline std::string ReadShared(const std::string& path) {
  return ReadFile(TORQUED_SHARED_DIR "/" + path);
}

/// From a list, or a list of rows.
inline Eigen::MatrixXd ToMatrix(const nlohmann::json& rows) {
  const bool list = rows.empty() || rows.front().is_number();
  Eigen::MatrixXd matrix(rows.size(), list ? 1 : rows.front().size());
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
      matrix(i, j) = list ? rows[i] : rows[i][j];
    }
  }
  return matrix;
}

}  // namespace torqued::testing_support
