// Arithmetic of one state, for the share of the machine's peak.
#pragma once

#include "bench/counted.h"
#include "core/model/model.h"

namespace torqued::bench {

/// Multiplications and additions of the inverse dynamics of one state on the
/// lowered tree, counted by running the algorithm text with numbers that count:
/// nothing that the compiler leaves out because a number of the model is 0 or
/// 1, for these are known at run time only. Sines and cosines are counted by
/// the operations of their polynomials.
OperationCount CountInverseDynamics(const Model& model);

}  // namespace torqued::bench
