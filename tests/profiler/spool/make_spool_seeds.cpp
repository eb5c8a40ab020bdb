// Writes the seeds of tests/fuzz/corpus/spool; run it after a change of the layout.
#include <cstdio>
#include <string>

#include "tests/profiler/spool/sample_spools.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_spool_seeds FOLDER\n");
    return 2;
  }
  const std::string folder = argv[1];
  rnnadvisor::spool::sample_spool().write(folder + "/full");
  rnnadvisor::spool::SpoolWriter().write(folder + "/empty");
  // What the fuzz target puts a header of its own in front of.
  const std::string bytes = rnnadvisor::spool::sample_spool().bytes();
  std::ofstream(folder + "/records", std::ios::binary) << bytes.substr(
      rnnadvisor::spool::header_bytes + sizeof(rnnadvisor::spool::ChunkHeader), 3000);
  return 0;
}
