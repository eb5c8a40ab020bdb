// main() for fuzz targets where there is no libFuzzer: replays every seed, then a fixed sequence of
// mutations of them. The sequence depends on nothing but the seeds and the count, so that a failure
// on one machine fails on all.
//
//   fuzz_x [--mutations N] [--artifact FILE] DIRECTORY…
//
// When an input ends the program, the input is written to FILE; running the target on a folder with
// that file shows the failure again.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" void __sanitizer_set_death_callback(void (*callback)()) __attribute__((weak));

namespace {

std::string current_input;
std::string artifact_path = "fuzz.crash";

// Only async-signal-safe calls: it runs in signal handlers and when a sanitizer gives up.
void save_current_input() {
  const int file = ::open(artifact_path.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0644);
  if (file < 0) return;
  std::size_t done = 0;
  while (done < current_input.size()) {
    const auto count = ::write(file, current_input.data() + done, current_input.size() - done);
    if (count <= 0) break;
    done += static_cast<std::size_t>(count);
  }
  ::close(file);
  constexpr std::string_view note = "the input that failed is in the --artifact file\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, note.data(), note.size());
}

void on_signal(int number) {
  save_current_input();
  std::signal(number, SIG_DFL);
  std::raise(number);
}

void run(std::string input) {
  current_input = std::move(input);
  // An exact copy on the heap, so that a read past the end is one past an allocation.
  const std::vector<std::uint8_t> bytes(current_input.begin(), current_input.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

// xorshift64*: the same numbers on every platform, which <random>'s distributions do not promise.
class Random {
 public:
  std::size_t below(std::size_t bound) {
    state_ ^= state_ >> 12U;
    state_ ^= state_ << 25U;
    state_ ^= state_ >> 27U;
    return bound == 0 ? 0
                      : static_cast<std::size_t>((state_ * 0x2545F4914F6CDD1DULL) >> 33U) % bound;
  }

 private:
  std::uint64_t state_ = 0x9E3779B97F4A7C15ULL;
};

// Pieces at which readers of text and of binary files go wrong.
constexpr auto tokens = std::to_array<std::string_view>({"{",
                                                         "}",
                                                         "[",
                                                         "]",
                                                         "\"",
                                                         "'",
                                                         "\"\"\"",
                                                         ":",
                                                         ",",
                                                         "=",
                                                         ".",
                                                         "#",
                                                         "\n",
                                                         "\r\n",
                                                         "\\",
                                                         "\\u0000",
                                                         "\\ud800",
                                                         "null",
                                                         "true",
                                                         "nan",
                                                         "inf",
                                                         "-",
                                                         "1e999",
                                                         "-1",
                                                         "0",
                                                         "2147483648",
                                                         "18446744073709551616",
                                                         "0x",
                                                         "1.5",
                                                         std::string_view("\0", 1),
                                                         "\xFF",
                                                         "\xEF\xBB\xBF",
                                                         "\xF0\x9F\x98\x80"});

std::string mutate(const std::vector<std::string>& seeds, Random& random) {
  std::string text = seeds[random.below(seeds.size())];
  const std::size_t steps = 1 + random.below(4);
  for (std::size_t step = 0; step < steps; ++step) {
    const std::size_t at = random.below(text.size() + 1);
    const std::size_t length = std::min(text.size() - at, random.below(24));
    switch (random.below(7)) {
      case 0:
        if (at < text.size()) {
          text[at] =
              static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1U << random.below(8)));
        }
        break;
      case 1:
        if (at < text.size()) text[at] = static_cast<char>(random.below(256));
        break;
      case 2:
        text.erase(at, length);
        break;
      case 3:
        text.insert(at, text.substr(at, length));
        break;
      case 4:
        text.insert(at, tokens[random.below(tokens.size())]);
        break;
      case 5: {  // the head of one seed and the tail of another
        const auto& other = seeds[random.below(seeds.size())];
        text = text.substr(0, at) + other.substr(random.below(other.size() + 1));
        break;
      }
      default:
        text.resize(at);
        break;
    }
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t mutations = 5000;
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--mutations" && i + 1 < argc) {
      mutations = std::strtoull(argv[++i], nullptr, 10);
    } else if (argument == "--artifact" && i + 1 < argc) {
      artifact_path = argv[++i];
    } else if (std::filesystem::is_directory(argument)) {
      for (const auto& entry : std::filesystem::directory_iterator(argument)) {
        if (entry.is_regular_file()) files.push_back(entry.path());
      }
    } else {
      std::cerr << "not a folder: " << argument << "\n";
      return 2;
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> seeds;
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  if (seeds.empty()) {
    std::cerr << "no seeds: a fuzz target without a corpus tests nothing\n";
    return 2;
  }

  for (const int number : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL})
    std::signal(number, on_signal);
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(save_current_input);

  run({});
  for (const auto& seed : seeds) run(seed);
  Random random;
  for (std::size_t i = 0; i < mutations; ++i) run(mutate(seeds, random));
  std::cout << seeds.size() << " seeds and " << mutations << " mutations passed\n";
  return 0;
}
