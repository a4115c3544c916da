// Any bytes as a file of states, in CSV or NPY. The first byte chooses what is
// asked of the file; the rest is the file.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/cli/formats/container.h"
#include "tests/fuzz/data_error.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/require.h"

namespace {

using namespace torqued::cli;  // NOLINT(google-build-using-namespace)
namespace fuzz = torqued::fuzz;
using Order = std::optional<std::vector<std::string>>;

const std::vector<std::string> kJoints = {"hip", "knee"};
const TableRules kStates{.suffixes = {"q", "v"}, .required = {"q"}};
const TableRules kTrajectory{
    .suffixes = {"q", "v", "a"}, .required = {"q", "v"}, .is_trajectory = true};

torqued::v1::ModelInfo Model() {
  torqued::v1::ModelInfo model;
  for (const std::string& name : kJoints) {
    torqued::v1::JointInfo* joint = model.add_joints();
    joint->set_name(name);
    joint->set_nq(1);
    joint->set_nv(1);
  }
  return model;
}

void CheckShape(const torqued::client::Batch& batch, Eigen::Index rows,
                bool required) {
  if (!required && batch.size() == 0) return;
  FUZZ_REQUIRE(batch.rows() == rows && batch.cols() == 2, "shape");
}

void Check(const StateTable& table, const TableRules& rules) {
  const Eigen::Index rows = table.tables.at("q").rows();
  FUZZ_REQUIRE(rows > 0, "a table without rows");
  for (const auto& [name, batch] : table.tables) {
    FUZZ_REQUIRE(name != "tau", "nobody asked for tau");
    CheckShape(batch, rows,
               name == "q" || (name == "v" && rules.is_trajectory));
  }
  FUZZ_REQUIRE(table.time.empty() ||
                   (rules.is_trajectory &&
                    static_cast<Eigen::Index>(table.time.size()) == rows),
               "time");
  FUZZ_REQUIRE(!table.Place(rows - 1).empty(), "place");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  static const torqued::v1::ModelInfo model = Model();
  if (size == 0) return 0;
  static const Order kOrders[] = {std::nullopt, Order(std::in_place),
                                  Order({"knee", "hip"}), Order({"hip"})};
  const Order& order = kOrders[data[0] % 4];
  const TableRules& rules = (data[0] & 4) != 0 ? kTrajectory : kStates;
  const fuzz::MemoryFile file(fuzz::Text(data + 1, size - 1));
  try {
    const StateTable table = ReadStateTable(file.path(), model, order, rules);
    if (table.joints->size() == 2) Check(table, rules);
  } catch (const DataError& error) {
    fuzz::CheckDataError(error, file.path());
  }
  return 0;
}
