#include "core/base/result.h"

namespace rnnadvisor {

std::string to_text(const Error& error) {
  std::string text;
  if (error.where) {
    text += error.where->file;
    if (error.where->line > 0) text += ":" + std::to_string(error.where->line);
    if (error.where->column > 0) text += ":" + std::to_string(error.where->column);
    text += ": ";
  }
  text += error.message;
  for (const auto& note : error.notes) text += "\n  note: " + note;
  if (!error.remedy.empty()) text += "\n  remedy: " + error.remedy;
  return text;
}

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
      return "invalid_argument";
    case ErrorCode::parse:
      return "parse";
    case ErrorCode::not_found:
      return "not_found";
    case ErrorCode::io:
      return "io";
    case ErrorCode::unsupported:
      return "unsupported";
    case ErrorCode::out_of_memory:
      return "out_of_memory";
    case ErrorCode::cuda:
      return "cuda";
    case ErrorCode::cudnn:
      return "cudnn";
    case ErrorCode::cupti:
      return "cupti";
    case ErrorCode::database:
      return "database";
    case ErrorCode::newer_version:
      return "newer_version";
    case ErrorCode::damaged:
      return "damaged";
    case ErrorCode::interrupted:
      return "interrupted";
    case ErrorCode::internal:
      return "internal";
  }
  return "internal";
}

}  // namespace rnnadvisor
