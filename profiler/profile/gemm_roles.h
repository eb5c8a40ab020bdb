// What the kernels of an RNN call are for, once their call is known: a matrix product is the
// recurrent one, the one between layers or the one for the weights; kernels that implementations
// share get the implementation of their call.
#pragma once

#include <vector>

#include "profiler/kernels/classify.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor {

// Sets family and role of every kernel. `classes` holds the class of each string of the profile
// that is a kernel name (classify_kernel); kernels must have their calls.
//
// In forward and backward data of a standard call, products of one name and grid that run about
// once per time step (at least three quarters of T times) are recurrent, the others lie between
// layers. This is how the calls recorded on an H200 look (tests/data/h200/kernels.jsonl: T of one
// name and one of another, for one layer). With fewer than four steps repetition says nothing and
// the role stays `gemm`; so it does where the implementation is not known.
void assign_families_and_roles(Profile& profile, const std::vector<KernelClass>& classes);

}  // namespace rnnadvisor
