// One documented constraint: a predicate, and the words for when it fails. Each file of this folder
// lists the constraints of one topic; validate.cpp walks them all.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/validate.h"

namespace rnnadvisor::constraints {

struct Breach {
  std::string message;
  std::string remedy;
  // Where what cuDNN does depends on the observed value.
  std::optional<Enforcement> enforcement = std::nullopt;
};

struct Constraint {
  std::string_view id;
  std::string_view title;
  std::vector<std::string_view> keys;
  Enforcement enforcement = Enforcement::unknown;
  std::string_view status;  // of cuDNN when it rejects
  Citation citation;
  bool (*broken)(const RnnConfig&) = nullptr;     // no allocation
  Breach (*explain)(const RnnConfig&) = nullptr;  // called only when broken
};

// The functions of cuDNN that most constraints speak of.
inline constexpr std::string_view descriptor = "cudnnSetRNNDescriptor_v8";
inline constexpr std::string_view data_descriptor = "cudnnSetRNNDataDescriptor";
inline constexpr std::string_view bad_param = "CUDNN_STATUS_BAD_PARAM";
inline constexpr std::string_view not_supported = "CUDNN_STATUS_NOT_SUPPORTED";

// By topic, in the order in which they are reported.
std::vector<Constraint> size_constraints();
std::vector<Constraint> type_constraints();
std::vector<Constraint> algorithm_constraints();
std::vector<Constraint> feature_constraints();
std::vector<Constraint> sequence_constraints();

// The sources the constraints cite (sources.cpp).
Citation guide_7();                            // cuDNN 7.x developer guide
Citation reference_8();                        // a public paraphrase of the cuDNN 8 API reference
Citation header_9();                           // the headers of cuDNN 9.19
Citation pytorch_rnn();                        // PyTorch's caller of cuDNN
Citation observed(std::string_view function);  // what cuDNN 9.19 answered

}  // namespace rnnadvisor::constraints
