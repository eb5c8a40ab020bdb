// Experiments in the words of parent and worker (protocol.h has the rest). Parent to worker: one
// line, a JSON object with "index" and "experiment". Worker to parent: lines "at trying <variant>",
// "at timing" and "at round <number>", so that the parent knows whose fault it is when no more
// come; then "done <index>" as for configurations, with the result in D/<index>.experiment.json.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/cudnn/experiment_data.h"

namespace rnnadvisor {

struct ExperimentJob {
  int index = 0;
  ExperimentRequest request;
};

std::string write_experiment_job(const ExperimentJob& job);
// True when a line is meant to be an experiment; read_experiment_job() says whether it is one.
bool is_experiment_job(std::string_view line);
Result<ExperimentJob> read_experiment_job(std::string_view line);

// Numbers that are not finite are written as null and read as NaN: JSON has none.
std::string write_experiment_result(const ExperimentResult& result);
// Refuses what is not whole, `variants` being the number that was asked for.
Result<ExperimentResult> read_experiment_result(std::string_view text, std::size_t variants);

std::string write_progress(const ExperimentProgress& progress);
// Nothing for a line that tells no progress.
std::optional<ExperimentProgress> read_progress(std::string_view line);

// D/<index>.experiment.json
std::string experiment_result_path(const std::string& directory, int index);

}  // namespace rnnadvisor
