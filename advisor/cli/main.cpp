#include "advisor/cli/cli.h"

int main(int argc, char** argv) { return rnnadvisor::cli::run_main(argc, argv); }
