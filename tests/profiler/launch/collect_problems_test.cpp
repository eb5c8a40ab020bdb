// From hand-written spools to a profile: what is odd, refused, damaged or missing.
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>

#include "profiler/profile/file.h"
#include "tests/profiler/launch/collect_fixture.h"

namespace rnnadvisor::launch {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(Collect, OneGpuSeenByTwoProcessesIsOneDevice) {
  for (const int pid : {1, 2}) {
    SpoolWriter w;
    w.header.pid = pid;
    w.add(sample_device(pid, 10));  // under different numbers
    add(w);
  }
  EXPECT_THAT(collect().profile.devices, SizeIs(1));
}

// A long text that thousands of records name is not written thousands of times.
TEST_F(Collect, TextsAreNotCopiedForEveryRecordThatNamesThem) {
  SpoolWriter w;
  const auto value = w.text(std::string(30'000, 'v')), name = w.text("VARIABLE");
  spool::Environment variable{};
  variable.name = name;
  variable.value = value;
  for (int i = 0; i < 50'000; ++i) w.add(variable);
  variable.value = name;
  for (std::uint32_t i = 0; i < 5'000; ++i) {
    variable.name = w.text("V" + std::to_string(i));
    w.add(variable);
  }
  const Profile p = profile_of(w);
  ASSERT_THAT(p.processes, SizeIs(1));
  EXPECT_LE(p.processes[0].variables.size(), 4096U);
  std::size_t bytes = 0;
  for (const auto& [set, to] : p.processes[0].variables) bytes += set.size() + to.size();
  EXPECT_LT(bytes, std::size_t{1} << 18);
}

TEST_F(Collect, RangesThatNestWithoutEndTakeNoQuadraticTime) {
  SpoolWriter w;
  w.add(sample_device(0, 1));
  w.add_configuration(sample_configuration(1));
  const auto name = w.text("step");
  constexpr int many = 100'000;
  for (int i = 0; i < many; ++i) {
    spool::Nvtx push{};
    push.time_ns = 2'000 + i;
    push.thread = 12;
    push.name = name;
    w.add(push, spool::Type::nvtx_push, {});
  }
  const auto start = std::chrono::steady_clock::now();
  const Profile p = profile_of(w);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  EXPECT_LE(p.nvtx.size(), static_cast<std::size_t>(many));
}

TEST_F(Collect, LengthsOfBatchesAreArgumentsNotConfigurations) {
  SpoolWriter w;
  w.add(sample_device(0, 1));
  auto configuration = sample_configuration(1);
  configuration.layout = 1;
  w.add_configuration(configuration, {4, 3, 1});
  configuration.id = 2;
  w.add_configuration(configuration, {4, 4, 2});
  configuration.id = 3;
  w.add_configuration(configuration);  // all of full length
  configuration.id = 4;
  configuration.max_seq_length = 9;  // this is another configuration
  w.add_configuration(configuration, {9, 1, 1});
  for (std::uint32_t id = 1; id <= 4; ++id) {
    auto call = sample_call(id, spool::Entry::forward, 10'000 * id, 10'000 * id + 5);
    call.configuration = id;
    w.add(call);
  }
  const Profile p = profile_of(w);
  ASSERT_THAT(p.configurations, SizeIs(2));
  EXPECT_THAT(p.configurations[0].config.seq_lengths, ElementsAre(4, 3, 1));
  EXPECT_EQ(p.configurations[1].config.seq_length, 9);
  const auto lengths = [&](std::size_t call) {
    return p.call_arguments[static_cast<std::size_t>(p.calls[call].arguments)].seq_lengths;
  };
  EXPECT_THAT(lengths(0), IsEmpty());
  EXPECT_THAT(lengths(1), ElementsAre(4, 4, 2));
  EXPECT_THAT(lengths(2), ElementsAre(4, 4, 4));
  EXPECT_THAT(lengths(3), IsEmpty());
}

TEST_F(Collect, CallsThatWereTimedWithoutTracingAreTimings) {
  SpoolWriter w;
  w.header.mode = w.header.asked_mode = spool::Mode::calls;
  w.add(sample_device(0, 1));
  w.add_configuration(sample_configuration(1));
  for (std::uint64_t id = 1; id <= 3; ++id) {
    w.add(sample_call(id, spool::Entry::forward, static_cast<std::int64_t>(10'000 * id),
                      static_cast<std::int64_t>(10'000 * id + 500)));
    w.add(spool::CallTime{{}, id, static_cast<std::int64_t>(id * 1'000'000)});
  }
  const Profile p = profile_of(w);
  ASSERT_THAT(p.configurations, SizeIs(1));
  ASSERT_THAT(p.configurations[0].timings, SizeIs(1));
  const auto& timing = p.configurations[0].timings[0];
  EXPECT_EQ(timing.phase, Phase::forward_training);
  EXPECT_THAT(timing.samples_ms, ElementsAre(1.0, 2.0, 3.0));
  EXPECT_DOUBLE_EQ(timing.ms.median, 2.0);
  EXPECT_FALSE(p.environment.tracing);
}

TEST_F(Collect, RefusalsAreOutcomesWithReasons) {
  SpoolWriter w;
  w.add(sample_device(0, 1));
  w.add_configuration(sample_configuration(1));
  auto refused = sample_call(1, spool::Entry::forward, 10'000, 12'000);
  refused.status = 3000;
  refused.reason = w.text("hiddenSize is odd");
  w.add(refused);
  auto asked = sample_configuration(2);
  asked.known = spool::known_descriptor;
  asked.max_seq_length = asked.batch = 0;
  w.add_configuration(asked);
  auto setup = sample_call(2, spool::Entry::set_rnn_descriptor, 5'000, 5'500);
  setup.configuration = 2;
  setup.status = 2000;
  setup.reason = w.text("no such algorithm");
  w.add(setup);
  auto built = sample_call(3, spool::Entry::build_dynamic, 6'000, 6'500);
  w.add(built);
  const Profile p = profile_of(w);
  ASSERT_THAT(p.configurations, SizeIs(1));
  EXPECT_EQ(p.configurations[0].outcome, Outcome::refused);
  EXPECT_EQ(p.configurations[0].message, "CUDNN_STATUS_NOT_SUPPORTED: hiddenSize is odd");
  ASSERT_THAT(p.configurations[0].stages, SizeIs(1));
  EXPECT_EQ(p.configurations[0].stages[0].stage, model::Stage::forward_training);
  ASSERT_THAT(p.calls, SizeIs(1));
  EXPECT_EQ(p.text(p.calls[0].reason), "hiddenSize is odd");
  ASSERT_THAT(p.setup_calls, SizeIs(2));
  EXPECT_EQ(p.text(p.setup_calls[0].function), "cudnnSetRNNDescriptor_v8");
  EXPECT_EQ(p.setup_calls[0].status, 2000);
  EXPECT_EQ(p.setup_calls[0].configuration, -1);
  EXPECT_EQ(p.setup_calls[1].configuration, 0);
  ASSERT_NE(find_note(p, "descriptor-refused"), nullptr);
  EXPECT_EQ(find_note(p, "descriptor-refused")->text,
            "cudnnSetRNNDescriptor_v8 answered CUDNN_STATUS_BAD_PARAM, no such algorithm to lstm, "
            "standard, num_layers 2, hidden_size 512, input_size 256, proj_size 512, half, "
            "tensor_op math");
}

TEST_F(Collect, ARefusalBeforeAnythingRanIsAnOutcomeToo) {
  SpoolWriter w;
  w.add(sample_device(0, 1));
  w.add_configuration(sample_configuration(1));
  auto sizes = sample_call(1, spool::Entry::get_temp_space_sizes, 5'000, 5'500);
  sizes.status = 3000;
  w.add(sizes);
  auto data = sample_configuration(0);
  data.known = spool::known_data;
  for (std::uint32_t id = 2; id < 40; ++id) {  // a program that tries one length after another
    data.id = id;
    data.max_seq_length = static_cast<std::int32_t>(id);
    w.add_configuration(data);
    auto refused = sample_call(id, spool::Entry::set_rnn_data_descriptor, 6'000 + id, 6'500);
    refused.configuration = id;
    refused.status = 2000;
    w.add(refused);
  }
  const Profile p = profile_of(w);
  ASSERT_THAT(p.configurations, SizeIs(1));
  EXPECT_EQ(p.configurations[0].outcome, Outcome::refused);
  ASSERT_THAT(p.configurations[0].stages, SizeIs(1));
  EXPECT_EQ(p.configurations[0].stages[0].stage, model::Stage::temp_space);
  EXPECT_THAT(p.setup_calls, SizeIs(39));
  EXPECT_EQ(find_note(p, "descriptor-refused")->text,
            "cudnnSetRNNDataDescriptor answered CUDNN_STATUS_BAD_PARAM to seq_major_unpacked, "
            "seq_length 2, batch_size 3, 256 values a step");
  EXPECT_EQ(std::count_if(p.notes.begin(), p.notes.end(),
                          [](const Note& n) { return n.code == "descriptor-refused"; }),
            21);  // twenty, and one for the rest
}

TEST_F(Collect, WhatIsMissingIsReported) {
  SpoolWriter w;
  w.header.mode = spool::Mode::calls;
  w.header.asked_mode = spool::Mode::full;
  w.header.calls = 10;
  w.header.lost[static_cast<std::size_t>(spool::Loss::calls)] = 3;
  w.header.lost[static_cast<std::size_t>(spool::Loss::cupti)] = 40;
  w.add(sample_call(1, spool::Entry::forward, 10'000, 12'000));  // of no configuration
  const Profile p = profile_of(w);
  EXPECT_THAT(codes(p), ElementsAre("configuration-unknown", "records-dropped", "records-dropped",
                                    "mode-reduced", "calls-outside"));
  EXPECT_EQ(p.notes[1].count, 3);
  EXPECT_EQ(p.notes[2].count, 40);
  EXPECT_EQ(find_note(p, "calls-outside")->count, 6);
  ASSERT_THAT(p.calls, SizeIs(1));
  EXPECT_EQ(p.calls[0].configuration, -1);
}

TEST_F(Collect, WhatWasLostIsReportedWithItsReason) {
  using spool::Loss;
  using spool::Step;
  const auto text = [&](std::vector<spool::Failure> failures, Loss loss) {
    fs::remove_all(folder_);
    fs::create_directory(folder_);
    SpoolWriter w;
    w.header.max_bytes = 123'000;
    w.header.failures = std::move(failures);
    w.header.lost[static_cast<std::size_t>(loss)] = 3;
    const Profile p = profile_of(w);
    const auto* note = find_note(p, "records-dropped");
    return note == nullptr ? "" : note->text;
  };
  EXPECT_THAT(text({{Step::allocate, ENOSPC, 1}}, Loss::nvtx),
              AllOf(HasSubstr("NVTX"), HasSubstr(std::strerror(ENOSPC))));
  EXPECT_THAT(text({{Step::open, EMFILE, 1}, {Step::map, ENOMEM, 2}}, Loss::calls),
              AllOf(HasSubstr(std::strerror(EMFILE)), HasSubstr(std::strerror(ENOMEM))));
  EXPECT_THAT(text({{Step::limit, 0, 1}}, Loss::kernels), HasSubstr("123000 bytes"));
  EXPECT_THAT(text({{Step::truncated, 0, 1}}, Loss::kernels), HasSubstr("cut off"));
  // The disk is not blamed for what it did not do.
  for (const auto loss : {Loss::calls, Loss::kernels, Loss::strings, Loss::other, Loss::cupti}) {
    EXPECT_THAT(text({}, loss), AllOf(Not(IsEmpty()), Not(HasSubstr("disk"))));
    EXPECT_THAT(text({{Step::allocate, ENOSPC, 1}}, Loss::cupti),
                Not(HasSubstr(std::strerror(ENOSPC))));
  }
}

// Left behind by the program, and not yet at its first call.
TEST_F(Collect, AProcessThatMayStillBeginIsReported) {
  const std::string variable = "RNNADVISOR_SPOOL=" + folder_ + "/.";
  std::vector<pid_t> started;
  for (const std::string& entry : {variable, std::string("RNNADVISOR_SPOOL=/somewhere/else")}) {
    std::string entry_of_child = entry;
    char program[] = "/bin/sleep", seconds[] = "60";
    char* words[] = {program, seconds, nullptr};
    char* variables[] = {entry_of_child.data(), nullptr};
    pid_t pid = 0;
    ASSERT_EQ(posix_spawn(&pid, program, nullptr, nullptr, words, variables), 0);
    started.push_back(pid);
  }
  // The kernel shows its environment a moment after it has begun.
  for (int tries = 0; tries < 500 && count_waiting(folder_) == 0; ++tries) usleep(10'000);
  EXPECT_EQ(count_waiting(folder_), 1);
  const auto collected = collect();
  EXPECT_EQ(collected.waiting, 1);
  EXPECT_EQ(find_note(collected.profile, "process-waiting")->count, 1);
  EXPECT_THAT(find_note(collected.profile, "no-rnn-calls")->text, HasSubstr("by the time"));
  SpoolWriter own;  // now it has begun
  own.header.pid = started[0];
  add(own);
  EXPECT_EQ(count_waiting(folder_), 0);
  for (const auto pid : started) {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  EXPECT_EQ(collect().waiting, 0);
}

TEST_F(Collect, AFolderThatOtherUsersCannotReachIsReported) {
  if (geteuid() != 0) GTEST_SKIP() << "NOT TESTED: only programs of root become other users";
  fs::create_directory(folder_ + "/spools");
  fs::permissions(folder_, fs::perms::owner_all);
  folder_ += "/spools";
  fs::permissions(folder_, fs::perms::all);
  EXPECT_THAT(
      find_note(collect().profile, "no-rnn-calls")->text,
      HasSubstr(fs::path(folder_).parent_path().filename().string() + "' is closed to others"));
  folder_ = fs::path(folder_).parent_path();
}

TEST_F(Collect, KernelsOfRnnsThatNoHookSawAreANote) {
  SpoolWriter w;
  w.add(sample_device(0, 1));
  spool::Kernel kernel{};
  kernel.start_ns = 5'000;
  kernel.end_ns = 6'000;
  kernel.name = w.text("void RNN_blockPersist_fp_LSTM<__half, __half, float, 1, 1, 1>()");
  w.add(kernel);
  const Profile p = profile_of(w);
  ASSERT_NE(find_note(p, "rnn-kernels-without-calls"), nullptr);
  EXPECT_EQ(find_note(p, "rnn-kernels-without-calls")->count, 1);
  EXPECT_NE(find_note(p, "no-rnn-calls"), nullptr);
  ASSERT_THAT(p.calls, SizeIs(1));
  EXPECT_EQ(p.calls[0].source, CallSource::kernels);
  EXPECT_EQ(p.calls[0].phase, Phase::forward_inference);
  EXPECT_EQ(p.kernels.call[0], 0);
  EXPECT_FALSE(p.configurations[0].described());
}

TEST_F(Collect, TimesThatCannotBeAreLeftOutAndCounted) {
  SpoolWriter w;
  spool::Kernel kernel{};
  w.add(kernel);  // CUPTI's word for a time it could not get
  kernel.start_ns = 1;
  kernel.end_ns = std::numeric_limits<std::int64_t>::max();
  w.add(kernel);
  kernel.end_ns = latest_time_ns;
  w.add(kernel);
  w.add(kernel);  // the sum would not fit
  kernel.start_ns = -5;
  w.add(kernel);
  const Profile p = profile_of(w);
  EXPECT_EQ(p.kernels.size(), 1u);
  EXPECT_EQ(find_note(p, "records-implausible")->count, 4);
}

TEST_F(Collect, ADamagedSpoolGivesTheRest) {
  std::string bytes = sample_spool().bytes();
  std::ofstream(folder_ + "/a.rnnspool", std::ios::binary) << bytes.substr(0, bytes.size() - 2500);
  std::ofstream(folder_ + "/b.rnnspool") << "no spool at all";
  std::ofstream(folder_ + "/c.rnnspool");
  std::ofstream(folder_ + "/other.txt") << "nobody's business";
  const auto collected = collect();
  EXPECT_EQ(collected.spools, 1);
  EXPECT_THAT(collected.unreadable, SizeIs(2));
  EXPECT_NE(find_note(collected.profile, "recording-damaged"), nullptr);
  EXPECT_EQ(find_note(collected.profile, "recording-unreadable")->count, 2);
  EXPECT_THAT(collected.profile.processes, SizeIs(1));
}

TEST_F(Collect, ThreadsOfMoreNamesThanAnyoneReads) {
  SpoolWriter w;
  spool::ThreadName named{};
  for (std::uint32_t i = 0; i < 5000; ++i) {
    named.thread = i;
    named.name = w.text("worker " + std::to_string(i));
    w.add(named);
    w.next_chunk();
  }
  named.name = w.text("named again");
  named.thread = 7;
  w.add(named);
  const Profile p = profile_of(w);
  ASSERT_THAT(p.thread_names, SizeIs(4096));
  EXPECT_EQ(p.text(p.thread_names[7].name), "named again");
  EXPECT_EQ(find_note(p, "thread-names")->count, 5000 - 4096);
}

TEST_F(Collect, NamesOfResourcesThatCannotBeAreLeftOut) {
  SpoolWriter w = sample_spool();
  const auto name = [&](spool::Resource resource, std::int32_t device, std::uint32_t stream,
                        const std::string& text) {
    spool::ResourceName named{};
    named.resource = resource;
    named.device = device;
    named.stream = stream;
    named.name = w.text(text);
    w.add(named);
    w.next_chunk();
  };
  using spool::Resource;
  name(Resource::device, 0, 12, std::string("a\xffz\0hidden", 10));  // no stream of it
  name(Resource::device, 99, 0, "a GPU that nothing ran on");
  name(Resource::device, -1, 0, "none");
  name(static_cast<Resource>(77), 0, 0, "what is it?");
  name(Resource::stream, 0, 7, "");  // is called nothing any more
  for (std::uint32_t i = 100; i < 5100; ++i)
    name(Resource::stream, 0, i, "stream " + std::to_string(i));
  name(Resource::stream, 0, 0xffffffffU, "the last there can be");
  const Profile p = profile_of(w);
  EXPECT_EQ(p.device_name(0, 0), "a\ufffdz");
  EXPECT_EQ(p.stream_name(0, 0, 7), "");
  EXPECT_EQ(p.stream_name(0, 0, 100), "stream 100");
  EXPECT_THAT(p.resource_names, SizeIs(4096));
  EXPECT_EQ(find_note(p, "resource-names")->count, 1 + 5000 + 1 - 4096);
}

TEST_F(Collect, ARecordingOfAnEarlierVersionIsAnErrorThatSaysWhatToDo) {
  std::string bytes = SpoolWriter().bytes();
  bytes[offsetof(spool::FileHeader, version)] = 1;
  std::ofstream(folder_ + "/a.rnnspool", std::ios::binary) << bytes;
  const auto error = collect_spools(folder_, {}).error();
  EXPECT_EQ(error.code, ErrorCode::unsupported);
  EXPECT_THAT(error.remedy, HasSubstr("the rnnadvisor that its plugin belongs to"));
}

TEST_F(Collect, ARecordingOfALaterVersionIsAnError) {
  std::string bytes = SpoolWriter().bytes();
  bytes[offsetof(spool::FileHeader, version)] = 99;
  std::ofstream(folder_ + "/a.rnnspool", std::ios::binary) << bytes;
  EXPECT_EQ(collect_spools(folder_, {}).error().code, ErrorCode::newer_version);
  EXPECT_EQ(collect_spools(folder_ + "/none", {}).error().code, ErrorCode::not_found);
}

TEST_F(Collect, CanBeInterrupted) {
  add(sample_spool());
  const std::atomic<bool> stop = true;
  CollectOptions options;
  options.stop = &stop;
  EXPECT_EQ(collect_spools(folder_, options).error().code, ErrorCode::interrupted);
}

Process started_program(std::int64_t pid) {
  Process process;
  process.pid = pid;
  process.host = "node1";
  process.command_line = "python3 train.py";
  process.start_ns = 500;
  process.end_ns = 8'000'000;
  process.end = ProcessEnd::signalled;
  process.signal = 9;
  return process;
}

TEST_F(Collect, TheEndOfTheProgramIsTheLaunchersToTell) {
  SpoolWriter shell;  // exec() kept its process id
  shell.header.start_ns = 600;
  shell.header.end_ns = 0;
  shell.header.exit_status = -1;
  add(shell);
  SpoolWriter killed;
  killed.header.start_ns = 2'000;
  killed.header.end_ns = 0;
  killed.header.exit_status = -1;
  add(killed);
  CollectOptions options;
  options.program = started_program(100);
  const Profile p = collect(options).profile;
  ASSERT_THAT(p.processes, SizeIs(2));
  EXPECT_EQ(p.processes[0].end, ProcessEnd::unknown);
  EXPECT_EQ(p.processes[1].end, ProcessEnd::signalled);
  EXPECT_EQ(p.processes[1].signal, 9);
  EXPECT_EQ(p.processes[1].end_ns, 8'000'000);
  EXPECT_EQ(find_note(p, "process-without-end"), nullptr);
}

TEST_F(Collect, AProgramThatRecordedNothingIsStillThere) {
  CollectOptions options;
  options.program = started_program(4711);
  const auto collected = collect(options);
  EXPECT_EQ(collected.spools, 0);
  ASSERT_THAT(collected.profile.processes, SizeIs(1));
  EXPECT_EQ(collected.profile.processes[0].pid, 4711);
  EXPECT_THAT(find_note(collected.profile, "no-rnn-calls")->text, HasSubstr("CUDA"));
}

TEST_F(Collect, AProcessThatStillRunsIsReported) {
  SpoolWriter w;
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  w.header.host = host;
  w.header.pid = getpid();
  w.header.executable = fs::read_symlink("/proc/self/exe").string();
  w.header.end_ns = 0;
  w.header.exit_status = -1;
  add(w);
  const auto collected = collect();
  EXPECT_EQ(collected.running, 1);
  EXPECT_EQ(collected.profile.processes[0].end, ProcessEnd::running);
}

TEST_F(Collect, WhatIsCollectedCanBeStored) {
  add(sample_spool());
  const auto collected = collect();
  const std::string path = folder_ + "/x.rnnprof";
  const auto written = write_profile(collected.profile, path);
  ASSERT_TRUE(written) << to_text(written.error());
  const auto read = read_profile(path);
  ASSERT_TRUE(read) << to_text(read.error());
  EXPECT_EQ(read->calls.size(), collected.profile.calls.size());
}

}  // namespace
}  // namespace rnnadvisor::launch
