// Reference data that is not part of the repository.
#pragma once

#include <Eigen/Core>
#include <nlohmann/json.hpp>
#include <string>

namespace torqued::testing_support {

inline constexpr char kNoSharedData[] =
    "There is no folder " TORQUED_SHARED_DIR
    " with golden/*.json and robots/*.urdf; set TORQUED_SHARED_DIR when "
    "configuring to compare with them.";

bool HasSharedData();
std::string ReadSharedText(const std::string& path);
nlohmann::json ReadSharedJson(const std::string& path);

Eigen::VectorXd ToVector(const nlohmann::json& numbers);
/// From a list of rows.
Eigen::MatrixXd ToMatrix(const nlohmann::json& rows);

}  // namespace torqued::testing_support
