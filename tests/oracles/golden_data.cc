#include "tests/oracles/golden_data.h"

#include <filesystem>

#include "tests/support/load_model.h"

namespace torqued::testing_support {

bool HasSharedData() {
  const std::filesystem::path folder = TORQUED_SHARED_DIR;
  return std::filesystem::is_directory(folder / "golden") &&
         std::filesystem::is_directory(folder / "robots");
}

std::string ReadSharedText(const std::string& path) {
  return ReadFile(std::string(TORQUED_SHARED_DIR) + "/" + path);
}

nlohmann::json ReadSharedJson(const std::string& path) {
  return nlohmann::json::parse(ReadSharedText(path));
}

Eigen::VectorXd ToVector(const nlohmann::json& numbers) {
  Eigen::VectorXd vector(static_cast<Eigen::Index>(numbers.size()));
  Eigen::Index i = 0;
  for (const auto& number : numbers) vector[i++] = number;
  return vector;
}

Eigen::MatrixXd ToMatrix(const nlohmann::json& rows) {
  const Eigen::Index columns =
      rows.empty() ? 0 : static_cast<Eigen::Index>(rows.front().size());
  Eigen::MatrixXd matrix(static_cast<Eigen::Index>(rows.size()), columns);
  Eigen::Index i = 0;
  for (const auto& row : rows) matrix.row(i++) = ToVector(row);
  return matrix;
}

}  // namespace torqued::testing_support
