// rnnadvisor completion: scripts that complete commands, options and their words in a shell. Each
// asks the program (advisor/cli/shell_completion.cpp), whose offers are one a line: a word with a
// tab and its description, or @file, or @directory.

#include "advisor/cli/command_line.h"
#include "advisor/cli/help.h"

namespace rnnadvisor::cli {
namespace {

// Bash takes `--option=value` for three words.
constexpr auto bash_script =
    R"(# bash completion for rnnadvisor, made by `rnnadvisor completion bash`
_rnnadvisor() {
  local word="${COMP_WORDS[COMP_CWORD]}" each offer words=()
  [[ "$word" == "=" ]] && word=""
  for each in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do [[ "$each" == "=" ]] || words+=("$each"); done
  COMPREPLY=()
  while IFS= read -r offer; do
    case "$offer" in
      @file) mapfile -t COMPREPLY < <(compgen -f -- "$word"); compopt -o filenames 2>/dev/null ;;
      @directory) mapfile -t COMPREPLY < <(compgen -d -- "$word"); compopt -o filenames 2>/dev/null ;;
      "$word"*) COMPREPLY+=("${offer%%$'\t'*}") ;;
    esac
  done < <("${COMP_WORDS[0]/#~/$HOME}" __complete "${words[@]}" "$word" 2>/dev/null)
  return 0
}
complete -F _rnnadvisor rnnadvisor
)";

// Called by the completion system where it is installed in $fpath; only made known to it where it
// is sourced.
constexpr auto zsh_script = R"(#compdef rnnadvisor
# zsh completion for rnnadvisor, made by `rnnadvisor completion zsh`
_rnnadvisor() {
  local offer word
  local -a offers
  for offer in "${(@f)$(${(Q)~words[1]} __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    word=${${offer%%$'\t'*}//:/\\:}
    case $offer in
      '') ;;
      @file) compset -P '--*='; _files ;;
      @directory) compset -P '--*='; _files -/ ;;
      *$'\t'*) offers+=("$word:${offer#*$'\t'}") ;;
      *) offers+=("$word") ;;
    esac
  done
  (( $#offers )) && _describe rnnadvisor offers
}
if [[ $funcstack[1] = _rnnadvisor ]]; then
  _rnnadvisor "$@"
else
  compdef _rnnadvisor rnnadvisor
fi
)";

constexpr auto fish_script =
    R"(# fish completion for rnnadvisor, made by `rnnadvisor completion fish`
function __rnnadvisor_offers
  set -l words (commandline -opc)
  set -l word (commandline -ct)
  set -l option (string match -r -- '^--[^=]+=' "$word")
  set -l value (string replace -r -- '^--[^=]+=' '' "$word")
  set -l program (string replace -r -- '^~/' "$HOME/" $words[1])
  for offer in ($program __complete $words[2..-1] "$word" 2>/dev/null)
    switch $offer
      case @file
        for path in (__fish_complete_path "$value"); echo "$option$path"; end
      case @directory
        for path in (__fish_complete_directories "$value"); echo "$option$path"; end
      case '*'
        echo $offer
    end
  end
end
complete -c rnnadvisor -f -a '(__rnnadvisor_offers)'
)";

}  // namespace

void add_completion(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, "completion", "Print a completion script for a shell",
      "Examples:\n"
      "  rnnadvisor completion bash > ~/.local/share/bash-completion/completions/rnnadvisor\n"
      "  rnnadvisor completion zsh > ~/.zfunc/_rnnadvisor\n"
      "  rnnadvisor completion fish > ~/.config/fish/completions/rnnadvisor.fish");
  auto name = std::make_shared<std::string>();
  add_word_option(*command, "shell", *name, "bash, zsh or fish", {"bash", "zsh", "fish"}, context)
      ->required()
      ->type_name("SHELL");
  command->callback([name, &context] {
    context.action = [name, &context] {
      context.out << (*name == "bash" ? bash_script : *name == "zsh" ? zsh_script : fish_script);
      return exit_ok;
    };
  });
}

}  // namespace rnnadvisor::cli
