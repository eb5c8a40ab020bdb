#include "core/cudnn/weight_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "core/cudnn/cuda_error.h"

namespace rnnadvisor {
namespace {

using reference::LayerWeights;
using Vector = std::vector<double>;

// A matrix or a bias within the weight space, in elements; count 0: there is none.
struct Part {
  std::size_t offset = 0, count = 0;
};

class Locator {
 public:
  Locator(RnnProblem& problem, const void* base) : problem_(problem), base_(base) {
    problem_.api().cudnnCreateTensorDescriptor(&matrix_);
    problem_.api().cudnnCreateTensorDescriptor(&bias_);
  }
  ~Locator() {
    problem_.api().cudnnDestroyTensorDescriptor(matrix_);
    problem_.api().cudnnDestroyTensorDescriptor(bias_);
  }
  Locator(const Locator&) = delete;
  Locator& operator=(const Locator&) = delete;

  Result<void> find(int pseudo, int id, Part& matrix, Part& bias) {
    void* matrix_address = nullptr;
    void* bias_address = nullptr;
    const auto status = problem_.api().cudnnGetRNNWeightParams(
        problem_.handle(), problem_.descriptor(), pseudo, problem_.weight_bytes, base_, id, matrix_,
        &matrix_address, bias_, &bias_address);
    if (status != CUDNN_STATUS_SUCCESS) {
      return fail(ErrorCode::cudnn,
                  fmt::format("{} from cudnnGetRNNWeightParams: {}",
                              status_name(problem_.api(), status), problem_.api().take_reason()));
    }
    matrix = part(matrix_, matrix_address);
    bias = part(bias_, bias_address);
    return {};
  }

 private:
  Part part(cudnnTensorDescriptor_t descriptor, const void* address) const {
    if (address == nullptr) return {};
    cudnnDataType_t type{};
    int rank = 0;
    int dims[8] = {};
    int strides[8] = {};
    problem_.api().cudnnGetTensorNdDescriptor(descriptor, 8, &type, &rank, dims, strides);
    Part result{0, 1};
    for (int i = 0; i < rank; ++i) result.count *= static_cast<std::size_t>(dims[i]);
    result.offset = static_cast<std::size_t>(static_cast<const char*>(address) -
                                             static_cast<const char*>(base_)) /
                    static_cast<std::size_t>(element_size(problem_.config().data_type));
    return result;
  }

  RnnProblem& problem_;
  const void* base_;
  cudnnTensorDescriptor_t matrix_ = nullptr, bias_ = nullptr;
};

// Visits the parts of one pseudo-layer in the order of their ids.
Result<void> visit(Locator& locator, const RnnConfig& config, int pseudo,
                   const std::function<Result<void>(int id, const Part&, const Part&)>& visitor) {
  const int ids = 2 * config.gates() + (config.has_projection() ? 1 : 0);
  for (int id = 0; id < ids; ++id) {
    Part matrix;
    Part bias;
    RNNADVISOR_TRY(locator.find(pseudo, id, matrix, bias));
    RNNADVISOR_TRY(visitor(id, matrix, bias));
  }
  return {};
}

}  // namespace

Result<std::vector<LayerWeights>> read_weight_space(RnnProblem& problem,
                                                    const DeviceBuffer& buffer) {
  const RnnConfig& config = problem.config();
  const auto values =
      read_as_double(buffer, config.data_type,
                     static_cast<std::int64_t>(buffer.bytes()) / element_size(config.data_type));
  if (!values) return fail(values.error());
  Locator locator(problem, buffer.data());
  std::vector<LayerWeights> layers(static_cast<std::size_t>(config.pseudo_layers()));
  for (int pseudo = 0; pseudo < config.pseudo_layers(); ++pseudo) {
    LayerWeights& layer = layers[static_cast<std::size_t>(pseudo)];
    const auto slice = [&](const Part& part) {
      const auto begin = values->begin() + static_cast<std::ptrdiff_t>(part.offset);
      return Vector(begin, begin + static_cast<std::ptrdiff_t>(part.count));
    };
    auto visited = visit(
        locator, config, pseudo, [&](int id, const Part& matrix, const Part& bias) -> Result<void> {
          if (id == 2 * config.gates()) {
            layer.projection = slice(matrix);
            return {};
          }
          const bool input = id < config.gates();
          if (matrix.count > 0) (input ? layer.input : layer.recurrent).push_back(slice(matrix));
          if (bias.count > 0)
            (input ? layer.input_bias : layer.recurrent_bias).push_back(slice(bias));
          return {};
        });
    if (!visited) return fail(std::move(visited.error()));
  }
  return layers;
}

Result<void> write_weight_space(RnnProblem& problem, DeviceBuffer& buffer,
                                const std::vector<LayerWeights>& layers) {
  const RnnConfig& config = problem.config();
  Vector values(buffer.bytes() / static_cast<std::size_t>(element_size(config.data_type)), 0.0);
  Locator locator(problem, buffer.data());
  for (int pseudo = 0; pseudo < config.pseudo_layers(); ++pseudo) {
    const LayerWeights& layer = layers.at(static_cast<std::size_t>(pseudo));
    const auto put = [&](const Part& part, const Vector& from, int id) -> Result<void> {
      if (part.count != from.size() || part.offset + part.count > values.size()) {
        return fail(ErrorCode::internal,
                    fmt::format("weights of pseudo-layer {}, id {}: cuDNN has {} elements at {}, "
                                "the mapped weights have {}",
                                pseudo, id, part.count, part.offset, from.size()));
      }
      std::copy(from.begin(), from.end(),
                values.begin() + static_cast<std::ptrdiff_t>(part.offset));
      return {};
    };
    auto visited = visit(
        locator, config, pseudo, [&](int id, const Part& matrix, const Part& bias) -> Result<void> {
          if (id == 2 * config.gates()) return put(matrix, layer.projection, id);
          const bool input = id < config.gates();
          const auto gate = static_cast<std::size_t>(input ? id : id - config.gates());
          const auto& matrices = input ? layer.input : layer.recurrent;
          const auto& biases = input ? layer.input_bias : layer.recurrent_bias;
          RNNADVISOR_TRY(put(matrix, gate < matrices.size() ? matrices[gate] : Vector{}, id));
          return put(bias, gate < biases.size() ? biases[gate] : Vector{}, id);
        });
    if (!visited) return fail(std::move(visited.error()));
  }
  return write_from_double(buffer, config.data_type, values);
}

}  // namespace rnnadvisor
