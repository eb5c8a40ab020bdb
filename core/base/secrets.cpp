#include "core/base/secrets.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace rnnadvisor {
namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

template <std::size_t N>
bool among(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// "--wandbApiKey" and "WANDB_API_KEY" are {"wandb", "api", "key"}.
std::vector<std::string> parts_of(std::string_view name) {
  std::vector<std::string> parts;
  bool fresh = true;
  char before = '\0';
  for (const char c : name) {
    if (!is_letter(c) && !is_digit(c)) {
      fresh = true;
    } else {
      if (fresh || (is_upper(c) && before >= 'a' && before <= 'z')) parts.emplace_back();
      parts.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      fresh = false;
    }
    before = c;
  }
  return parts;
}

bool names_a_secret(std::string_view name) {
  static constexpr std::array<std::string_view, 10> anywhere = {
      "password", "passwd",      "passphrase", "secret", "secrets",
      "apikey",   "credentials", "credential", "bearer", "authorization"};
  static constexpr std::array<std::string_view, 13> at_the_end = {
      "token",     "key",         "auth",       "pass",     "pat",     "accesskey", "secretkey",
      "authtoken", "accesstoken", "privatekey", "apitoken", "authkey", "pwd"};
  // Tokens of a vocabulary and keys of a table.
  static constexpr std::array<std::string_view, 25> harmless = {
      "pad",   "bos",   "eos",     "unk",    "cls", "sep",       "mask", "special", "start",
      "end",   "stop",  "sort",    "public", "max", "min",       "num",  "per",     "primary",
      "image", "audio", "foreign", "index",  "by",  "partition", "group"};
  const auto parts = parts_of(name);
  if (parts.empty()) return false;
  if (parts.size() == 1 && parts.front() == "pwd") return false;  // the shell's folder
  for (const auto& part : parts)
    if (among(part, anywhere)) return true;
  if (!among(parts.back(), at_the_end)) return false;
  return parts.size() < 2 || !among(parts[parts.size() - 2], harmless);
}

// What stands where a secret could and is none: a switch, a small number.
bool is_plain_setting(std::string_view value) {
  static constexpr std::array<std::string_view, 11> words = {
      "true", "false", "True", "False", "none", "None", "yes", "no", "on", "off", "auto"};
  constexpr std::size_t few_digits = 6;
  return value.empty() || among(value, words) ||
         (value.size() <= few_digits && std::all_of(value.begin(), value.end(), is_digit));
}

// Forms that those who issue such keys chose so that they can be found.
bool has_form_of_a_secret(std::string_view run) {
  struct Form {
    std::string_view begin;
    std::size_t least;  // bytes of all
  };
  static constexpr std::array<Form, 26> forms = {
      {{"hf_", 20},         {"sk-", 20},    {"sk_live_", 20}, {"sk_test_", 20}, {"rk_live_", 20},
       {"ghp_", 20},        {"gho_", 20},   {"ghu_", 20},     {"ghs_", 20},     {"ghr_", 20},
       {"github_pat_", 30}, {"glpat-", 20}, {"xoxb-", 15},    {"xoxp-", 15},    {"xoxa-", 15},
       {"xoxr-", 15},       {"xoxs-", 15},  {"AIza", 35},     {"nvapi-", 30},   {"npm_", 36},
       {"pypi-", 50},       {"SG.", 30},    {"ya29.", 30},    {"r8_", 30},      {"dapi", 36},
       {"dckr_pat_", 20}}};
  for (const auto& form : forms)
    if (run.starts_with(form.begin) && run.size() >= form.least) return true;
  const bool amazon =
      (run.starts_with("AKIA") || run.starts_with("ASIA")) && run.size() == 20 &&
      std::all_of(run.begin(), run.end(), [](char c) { return is_upper(c) || is_digit(c); });
  const bool web_token =
      run.starts_with("eyJ") && run.size() >= 40 && std::count(run.begin(), run.end(), '.') == 2;
  return amazon || web_token;
}

// Weights & Biases' keys, and Git's names of commits.
bool is_forty_hex(std::string_view run) {
  return run.size() == 40 && std::all_of(run.begin(), run.end(), [](char c) {
           return is_digit(c) || (c >= 'a' && c <= 'f');
         });
}

bool names_a_commit(std::string_view name) {
  static constexpr std::array<std::string_view, 10> words = {
      "commit", "revision", "rev", "sha", "sha1", "hash", "ref", "digest", "checksum", "version"};
  const auto parts = parts_of(name);
  return std::any_of(parts.begin(), parts.end(),
                     [](const std::string& part) { return among(part, words); });
}

// "https://user:X@host" without X.
std::string without_user_password(std::string text) {
  for (auto at = text.find("://"); at != std::string::npos; at = text.find("://", at + 3)) {
    const auto begin = at + 3;
    const auto end = text.find_first_of("/?# \t\"'", begin);
    const auto host = text.substr(begin, end == std::string::npos ? end : end - begin).rfind('@');
    if (host == std::string::npos) continue;
    const auto colon = text.find(':', begin);
    if (colon == std::string::npos || colon >= begin + host) continue;
    text.replace(colon + 1, begin + host - colon - 1, redacted_word);
  }
  return text;
}

// Runs of letters within the text that have the form of a secret.
std::string without_forms(const std::string& text, std::string_view name) {
  const auto in_run = [](char c) {
    return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.';
  };
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (!in_run(text[at])) {
      out += text[at++];
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && in_run(text[end])) ++end;
    const auto run = std::string_view(text).substr(at, end - at);
    const char before = at > 0 ? text[at - 1] : '\0';
    const bool key = is_forty_hex(run) && before != '@' && before != '/' && !names_a_commit(name);
    out += key || has_form_of_a_secret(run) ? redacted_word : run;
    at = end;
  }
  return out;
}

// Text in pieces that end outside of quotes; every second piece is what separates words.
std::vector<std::string> pieces_of(std::string_view text) {
  std::vector<std::string> pieces(1);
  char quote = '\0';
  for (const char c : text) {
    const bool separates =
        quote == '\0' && (is_blank(c) || c == ';' || c == '|' || c == '&' || c == '(' || c == ')');
    if (separates != (pieces.size() % 2 == 0)) pieces.emplace_back();
    pieces.back() += c;
    if (quote == '\0' && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == quote) {
      quote = '\0';
    }
  }
  return pieces;
}

class Redaction {
 public:
  std::string word(const std::string& text) {
    const std::string last = std::exchange(option_, {});
    if (std::exchange(secret_follows_, false) && !text.starts_with('-')) {
      static constexpr std::array<std::string_view, 4> schemes = {"Bearer", "bearer", "Basic",
                                                                  "Token"};
      if (among(text, schemes)) {
        secret_follows_ = true;
        return text;
      }
      if (!is_plain_setting(text)) return std::string(redacted_word);
    }
    const auto equals = text.find('=');
    const bool assigns =
        equals != std::string::npos && equals > 0 && text.find_first_of(" \t\n/\"'") > equals;
    if (assigns) {
      const auto name = text.substr(0, equals), value = text.substr(equals + 1);
      const auto bare = value.find_first_not_of("\"'");
      if (names_a_secret(name) && bare != std::string::npos && !is_plain_setting(value))
        return fmt_pair(name, redacted_word);
      Redaction inner;
      inner.option_ = name;
      return fmt_pair(name, inner.word(value));
    }
    if (text.find_first_of(" \t\n") != std::string::npos) return script(text);
    const bool names = text.starts_with('-') || text.ends_with(':');
    if (names && names_a_secret(text)) secret_follows_ = true;
    if (text.starts_with('-')) option_ = text;
    return without_forms(without_user_password(without_parameters(text)), last);
  }

 private:
  static std::string fmt_pair(std::string_view name, std::string_view value) {
    return std::string(name) + '=' + std::string(value);
  }

  static std::string script(const std::string& text) {
    const auto pieces = pieces_of(text);
    // A word in quotes, as a whole: what they hold.
    if (pieces.size() == 1 && text.size() >= 2 && text.front() == text.back() &&
        (text.front() == '"' || text.front() == '\''))
      return text.front() + Redaction().word(text.substr(1, text.size() - 2)) + text.back();
    Redaction inner;
    std::string out;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const bool quoted = pieces.size() == 1;
      out += i % 2 == 1 || pieces[i].empty() ? pieces[i]
             : quoted                        ? without_forms(pieces[i], {})
                                             : inner.word(pieces[i]);
    }
    return out;
  }

  // "https://host/path?token=X&page=2"
  static std::string without_parameters(const std::string& text) {
    const auto question = text.find('?');
    if (question == std::string::npos) return text;
    std::string out = text.substr(0, question);
    for (std::size_t at = question; at < text.size();) {
      const auto end = std::min(text.find('&', at + 1), text.size());
      const auto parameter = text.substr(at + 1, end - at - 1);
      out += text[at];
      const auto equals = parameter.find('=');
      const bool secret =
          equals != std::string::npos && names_a_secret(parameter.substr(0, equals));
      out += secret ? fmt_pair(parameter.substr(0, equals), redacted_word) : parameter;
      at = end;
    }
    return out;
  }

  bool secret_follows_ = false;
  std::string option_;  // the word before, where it was one
};

}  // namespace

std::vector<std::string> without_secrets(std::span<const std::string> words) {
  Redaction redaction;
  std::vector<std::string> clean;
  clean.reserve(words.size());
  for (const auto& word : words) clean.push_back(redaction.word(word));
  return clean;
}

std::string without_secret(std::string_view name, std::string_view value) {
  if (names_a_secret(name) && !is_plain_setting(value)) return std::string(redacted_word);
  return Redaction().word(std::string(value));
}

}  // namespace rnnadvisor
