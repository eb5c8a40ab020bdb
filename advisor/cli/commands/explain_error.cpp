// rnnadvisor explain-error: what an error means that a program with recurrent layers ended with.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iostream>

#include "advisor/cli/command_line.h"
#include "advisor/errors/known_errors.h"
#include "advisor/report/content.h"
#include "advisor/report/errors_json.h"
#include "advisor/report/program_end.h"
#include "advisor/report/render.h"
#include "advisor/samples/samples.h"
#include "core/base/text.h"
#include "profiler/import/byte_source.h"
#include "profiler/import/open_recording.h"

namespace rnnadvisor::cli {
namespace {

// Of a longer log the last part: what a program ended with stands there.
constexpr std::streamsize most_bytes = 64 << 20;

struct ExplainArguments {
  std::string file;
  bool list = false, json = false;
};

Result<std::string> read_text(Context& context, const std::string& path) {
  if (path == "-") {
    std::string text{std::istreambuf_iterator<char>(std::cin), {}};
    if (static_cast<std::streamsize>(text.size()) > most_bytes)
      text.erase(0, text.size() - static_cast<std::size_t>(most_bytes));
    return text;
  }
  std::ifstream file(path, std::ios::binary);
  std::string text;
  if (file && file.seekg(0, std::ios::end)) {
    const std::streamsize size = file.tellg();
    if (size > most_bytes)
      context.note(fmt::format("of '{}' the last {} are looked at", path,
                               format_bytes(static_cast<double>(most_bytes))));
    text.resize(static_cast<std::size_t>(std::min(size, most_bytes)));
    file.seekg(size - static_cast<std::streamsize>(text.size()));
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
  }
  if (!file)
    return fail(ErrorCode::not_found, fmt::format("cannot read '{}'", path),
                "give a file with the traceback or log, or - for standard input");
  return text;
}

// Control characters that no log has, however it is encoded: a NUL, or many others. Compressed
// files have every tenth.
bool is_binary(std::string_view text) {
  text = text.substr(0, 1 << 16);
  const auto odd = std::count_if(text.begin(), text.end(), [](char c) {
    return c >= 0 && c < ' ' &&
           std::string_view("\t\n\r\b\f\x1b").find(c) == std::string_view::npos;
  });
  return text.find('\0') != std::string_view::npos ||
         odd > static_cast<std::ptrdiff_t>(text.size() / 20);
}

// A log of cuDNN can be advised on, and is text that programs print with their errors.
bool is_recording(const std::string& path) {
  using import_trace::RecordingKind;
  constexpr std::string_view sqlite = "SQLite format 3";
  if (path.starts_with("sample:") || import_trace::first_bytes(path, sqlite.size()) == sqlite)
    return true;
  const auto kind = import_trace::recording_kind(path);
  return kind != RecordingKind::rnnprof && kind != RecordingKind::cudnn_log;
}

struct Explained {
  std::vector<advisor::ExplainedError> found;
  std::string text;  // they were looked for in
};

// What the report says of the end of the program.
Result<Explained> explain_recording(Context& context, const std::string& path) {
  std::optional<advisor::ProgramEnd> end;
  // Only our own recorder keeps exceptions.
  if (!import_trace::is_foreign_trace(path)) {
    const auto profile = advisor::load_profile(path);
    if (!profile) return fail(profile.error());
    end = advisor::end_of_program(*profile);
  }
  if (!end)
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("'{}' is a recording, and keeps no exception that ended a program", path),
        fmt::format("`rnnadvisor advise {}` judges it", path));
  context.note(
      fmt::format("'{}' is a recording: the exception that ended its program is explained", path));
  Explained explained;
  for (auto& each : end->exceptions) {
    explained.text = std::move(each.text);
    for (auto& error : each.explained) {
      const bool known = std::any_of(
          explained.found.begin(), explained.found.end(),
          [&](const auto& other) { return other.error == error.error; });  // of another rank
      if (!known) explained.found.push_back(std::move(error));
    }
  }
  return explained;
}

Result<Explained> explain_file(Context& context, const std::string& path) {
  if (path != "-" && is_recording(path)) return explain_recording(context, path);
  auto text = read_text(context, path);
  if (!text) return fail(text.error());
  if (is_binary(*text)) {
    const std::string name = path == "-" ? "standard input" : fmt::format("'{}'", path);
    return fail(ErrorCode::invalid_argument, fmt::format("{} is not text", name),
                "give a traceback or log as text, not compressed; a recording by its path: "
                "`rnnadvisor advise FILE` judges it");
  }
  Explained explained{advisor::explain_errors(*text), {}};
  explained.text = std::move(*text);
  return explained;
}

std::string last_line(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' '))
    text.remove_suffix(1);
  return printable(text.substr(text.rfind('\n') + 1).substr(0, 400));
}

void print(Context& context, const advisor::document::Blocks& blocks) {
  advisor::TextOptions options;
  options.width = context.terminal.width;
  options.color = context.color_output();
  options.ascii = !context.terminal.utf8;
  advisor::Terminal terminal(options);
  draw(terminal, blocks);
  context.out << terminal.take();
}

int explain_error(Context& context, const ExplainArguments& arguments) {
  namespace document = advisor::document;
  if (arguments.list) {
    print(context, {document::known_errors_of(advisor::known_errors())});
    return exit_ok;
  }
  if (arguments.file.empty())
    return context.report(usage("no text was given", "name a file, or - for standard input"));
  const auto explained = explain_file(context, arguments.file);
  if (!explained) return context.report(explained.error());
  const auto& [found, text] = *explained;
  if (arguments.json) {
    context.out << advisor::write_errors_json(found);
  } else if (!found.empty()) {
    print(context, document::errors_of(found));
  } else {
    const std::string line = last_line(text);
    print(context,
          {document::Paragraph{document::prose(fmt::format(
              "No known error was found, of {} that `rnnadvisor explain-error --list` names. {}",
              advisor::known_errors().size(),
              line.empty() ? "The text is empty." : "It ends with: " + line))}});
  }
  return found.empty() ? exit_findings : exit_ok;
}

}  // namespace

void add_explain_error(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, "explain-error", "Say what an error of a recurrent layer means and what to do",
      "Examples:\n"
      "  python train.py 2>&1 | tee train.log; rnnadvisor explain-error train.log\n"
      "  rnnadvisor explain-error -        # paste the traceback, then Ctrl-D\n"
      "  rnnadvisor explain-error run.rnnprof   # a recording that kept the exception\n"
      "  rnnadvisor explain-error --list\n"
      "\n"
      "Knows errors and warnings of PyTorch, Keras, TensorFlow, JAX, ONNX Runtime and cuDNN by "
      "their text, each with its cause, what to do and a source. Where the text has the sizes of "
      "the layer, the command that judges it is named. The exit status is 1 when nothing in the "
      "text is known.");
  auto arguments = std::make_shared<ExplainArguments>();
  auto* file =
      command
          ->add_option("file", arguments->file,
                       "a traceback or log, or a recording that kept one; - for standard input")
          ->type_name("FILE");
  context.completions[file] = {Context::Completion::Kind::file, {}};
  auto* json = command->add_flag("--json", arguments->json, "as JSON")->group(group_output);
  command->add_flag("--list", arguments->list, "name the errors that are known")
      ->excludes(json)
      ->group(group_output);
  command->callback([arguments, &context] {
    context.action = [arguments, &context] { return explain_error(context, *arguments); };
  });
}

}  // namespace rnnadvisor::cli
