// The spool: what the plugin writes inside a stranger's process, one file per process, and what the
// launcher turns into a profile. Plain data of fixed layout, little-endian, 8-byte aligned.
//
// A file is the header and then, from `chunks_begin` to `chunks_end`, chunks one behind the other,
// each as large as its own header says. The process maps a chunk with MAP_SHARED after its blocks
// were allocated, so that a full disk is an error at that moment and never a signal later, and so
// that everything committed survives the end of the process, kill -9 included.
//
// A chunk belongs to one thread at a time, which appends records. It first reserves the room: the
// first 8 bytes of the record become Type::unfinished and its size. When all the rest is written
// they become the record's type and size, and `committed` is raised behind the record. A signal
// handler that comes in between appends behind what is reserved; where it does not come back
// (siglongjmp), the record stays unfinished and is skipped. Readers believe nothing behind
// `committed`.
//
// Times are nanoseconds of CLOCK_REALTIME. Ids of strings, configurations and call sites count from
// 1 within a file; 0 is none.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace rnnadvisor::spool {

inline constexpr std::uint64_t magic = 0x314c4f4f50534e52;  // "RNSPOOL1"
inline constexpr std::uint32_t format_version = 6;
inline constexpr std::size_t header_bytes = 4096;
inline constexpr std::uint32_t chunk_magic = 0x4b4e4843;  // "CHNK"
// A chunk starts at a multiple of this and has as many bytes as a multiple of it, `chunks_begin`
// included. Where the kernel's pages are larger, the writer uses multiples of those.
inline constexpr std::uint32_t chunk_unit = 4096;
inline constexpr std::uint32_t most_chunk_bytes = 64U << 20;  // what a reader accepts
// The end of a spool's file name; what comes before is the writer's choice.
inline constexpr char file_suffix[] = ".rnnspool";

enum class Mode : std::uint32_t { calls = 0, kernels = 1, full = 2 };

// What was lost, by kind: the disk was full or the limit of the spool was reached, a table was
// full, CUPTI dropped records, a call could not be read back.
enum class Loss : std::uint32_t {
  calls,
  kernels,
  transfers,
  api,
  memory,
  nvtx,
  strings,
  other,
  cupti,  // records that CUPTI itself dropped
  count
};

// How often each entry point was called, whatever became of it; compared with cuDNN's own log. A
// call of cuDNN 8's older functions counts as `legacy` alone, whatever it ran.
enum class Entry : std::uint32_t {
  set_rnn_descriptor,
  set_rnn_data_descriptor,
  get_temp_space_sizes,
  build_dynamic,
  forward,
  backward_data,
  backward_weights,
  set_clip,
  legacy,  // RNN entry points of cuDNN 8 that cuDNN 9 has no more
  set_dropout,
  restore_dropout,
  destroy_dropout,
  destroy_rnn_descriptor,
  destroy_rnn_data_descriptor,
  count
};

// Why the file could not grow, and how often it was tried in vain. `error` is an errno.
enum class Step : std::uint32_t {
  none,
  limit,      // max_bytes was reached; no errno
  open,       // the file could not be opened again
  allocate,   // no blocks for it
  map,        // no room in the process
  truncated,  // another process cut the file off; nothing is recorded from there on
  threads     // more threads at a time than the writer has room for; no errno
};
struct Failure {
  Step step;
  std::int32_t error;
  std::uint64_t count;
};
inline constexpr std::size_t most_failures = 6;  // different ones; the first of them

struct FileHeader {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t chunks_begin;
  std::uint64_t max_bytes;  // the file grows no further
  std::int64_t start_ns;
  std::atomic<std::int64_t> end_ns;  // 0: the process did not come to its end in order
  std::int32_t pid, parent_pid;
  std::int32_t rank, local_rank, world_size;  // -1: not in the environment
  std::atomic<std::int32_t> exited;           // the status as wait() tells it, plus 1; 0: not known
  std::atomic<std::uint32_t> mode;            // Mode in force; it can step down
  std::uint32_t asked_mode;
  std::atomic<std::uint64_t> chunks_end;  // raised when the next chunk has its header
  Failure failures[most_failures];        // written in order; step none: not used
  std::atomic<std::uint64_t> lost[static_cast<std::size_t>(Loss::count)];
  std::atomic<std::uint64_t> entries[static_cast<std::size_t>(Entry::count)];
  std::atomic<std::uint64_t> calls;  // RNN execution calls seen, recorded or outside the range
  char host[256];
  char executable[1024];
  char command_line[2048];  // words separated by NUL, cut off at the end
};
static_assert(sizeof(FileHeader) <= header_bytes);

struct ChunkHeader {
  std::uint32_t magic;
  std::uint32_t bytes;                   // of the chunk, with this header
  std::uint32_t thread;                  // operating system's thread id of the last owner
  std::atomic<std::uint32_t> committed;  // bytes of records behind this header that are whole
};
static_assert(sizeof(ChunkHeader) == 16);

enum class Type : std::uint32_t {
  unfinished = 0,  // reserved, and not written to its end
  string = 1,
  configuration,
  call,
  call_time,
  call_site,
  kernel,
  transfer,
  api,
  memory,
  nvtx_push,
  nvtx_pop,
  nvtx_start,
  nvtx_end,
  nvtx_mark,
  correlation_range,
  graph_node,
  device,
  library,
  environment,
  note,
  overhead,
  thread_name,
  counter_metrics,
  counter_sample,
  counter_clock,
  resource_name,
  acceleration,
  step_block,
  step_time,
};

// In front of every record; `bytes` counts this header and is a multiple of 8.
struct RecordHeader {
  Type type;
  std::uint32_t bytes;
};

// Followed by `length` bytes.
struct String {
  static constexpr Type type = Type::string;
  RecordHeader header;
  std::uint32_t id;
  std::uint32_t length;
};

// What cuDNN's own getters answered for the descriptors of a call; enumerators as in cudnn.h.
// Followed by `lengths` sequence lengths (int32), none when all are equal to max_seq_length.
struct Configuration {
  static constexpr Type type = Type::configuration;
  RecordHeader header;
  std::uint32_t id;
  std::int32_t algo, cell, bias, direction, input_mode, data_type, math_precision, math_type;
  std::int32_t input_size, hidden_size, projection_size, layers;
  std::uint32_t aux_flags;
  float dropout;
  std::uint64_t dropout_seed;
  std::int32_t clip_mode, clip_nan;
  double clip_low, clip_high;
  std::int32_t layout, max_seq_length, batch, vector_size, x_data_type;
  std::int32_t training;  // forward mode: 0 inference, 1 training
  std::uint32_t lengths;
  std::uint32_t known;  // bits: what could be read back, see Known
};
enum Known : std::uint32_t {
  known_descriptor = 1,
  known_data = 2,
  known_clip = 4,
  known_dropout = 8,
  known_lengths = 16
};

// Pointers whose alignment is kept, in this order.
enum class Pointer : std::uint32_t {
  x,
  y,
  hx,
  hy,
  cx,
  cy,
  weights,
  workspace,
  reserve,
  dy,
  dx,
  dw,
  count
};

enum CallFlags : std::uint32_t {
  call_captured_in_graph = 1,  // the stream was capturing
  call_h_not_packed = 2,       // strides of hDesc are not those of a packed tensor
  call_c_not_packed = 4,
  call_dev_lengths = 8,  // devSeqLengths was given
  call_wgrad_set = 16,
  call_timed = 32,   // a call_time record follows when the device has finished
  call_legacy = 64,  // by an entry point of Entry::legacy; `entry` says what it ran
  // It searched for an algorithm (cudnnFindRNN…AlgorithmEx): what it launched is no call's.
  call_search = 128,
  call_begins_step = 256,  // of the program: StepSource
  call_untraced = 512,     // CUPTI was not in the process
};

// One call of an RNN entry point. Calls that only describe (set_rnn_descriptor and so on) are kept
// when they fail, and those that build (cudnnBuildRNNDynamic, cudnnCreatePersistentRNNPlan) or
// search (call_search) always. `entry` of an older function that ran something is the one that took
// its place, of one that only described Entry::legacy.
struct Call {
  static constexpr Type type = Type::call;
  RecordHeader header;
  std::uint64_t id;  // from 1, unique in the process
  std::int64_t start_ns, end_ns;
  Entry entry;
  std::uint32_t configuration;
  std::int32_t status;   // cudnnStatus_t
  std::uint32_t reason;  // string: what cuDNN said of a refusal
  std::uint32_t thread;
  std::int32_t device;       // CUDA ordinal, -1: unknown
  std::uint64_t stream;      // CUstream as a number
  std::uint64_t handle;      // cudnnHandle_t as a number
  std::uint64_t capture_id;  // of the stream capture, 0: none
  std::uint64_t weight_bytes, workspace_bytes, reserve_bytes;
  std::uint64_t reserve_address;  // joins a backward call to its forward call
  std::uint32_t flags;            // CallFlags
  std::uint32_t call_site;
  std::uint32_t library;  // index of the cuDNN library in the process, from 1
  std::uint32_t training;
  std::uint8_t alignment[static_cast<std::size_t>(
      Pointer::count)];    // log2, at most 12; 255: null or no such argument
  std::uint32_t function;  // string: the name of an older function; 0 with every other
  std::uint64_t
      free_bytes;  // of the GPU's memory after a call that failed, at least 1; 0: not known
};

struct CallTime {  // by CUDA events around the call
  static constexpr Type type = Type::call_time;
  RecordHeader header;
  std::uint64_t call;
  std::int64_t device_ns;
};

// A whole step of the program while CUPTI was not in the process, by CUDA events: from the call
// that began it to the one that began the next.
struct StepTime {
  static constexpr Type type = Type::step_time;
  RecordHeader header;
  std::uint64_t call;
  std::int64_t device_ns;
};

struct CallSite {  // the Python frame that led to a call, innermost outside the framework first
  static constexpr Type type = Type::call_site;
  RecordHeader header;
  std::uint32_t id;
  std::uint32_t file, function;  // strings
  std::int32_t line;
  std::uint32_t framework_file, framework_function;  // strings: the innermost frame of all
  std::int32_t framework_line;
  std::uint32_t reserved;
};

struct Kernel {
  static constexpr Type type = Type::kernel;
  RecordHeader header;
  std::int64_t start_ns, end_ns;
  std::uint32_t name, correlation;
  std::uint32_t device, stream, context, registers;
  std::int32_t grid[3], block[3];
  std::uint32_t shared_static, shared_dynamic;
  std::uint64_t graph_node;  // 0: not launched by a graph
};

struct Transfer {
  static constexpr Type type = Type::transfer;
  RecordHeader header;
  std::int64_t start_ns, end_ns;
  std::uint64_t bytes;
  std::uint32_t correlation, device, stream, context;
  std::uint32_t copy_kind;  // CUpti_ActivityMemcpyKind; 0: memset
  std::uint32_t reserved;
  std::uint64_t graph_node;
};

struct Api {  // `thread`: the system's id; 0: not known
  static constexpr Type type = Type::api;
  RecordHeader header;
  std::int64_t start_ns, end_ns;
  std::uint32_t name, correlation, thread, driver;
  std::int32_t result;
  std::uint32_t reserved;
};

struct Memory {
  static constexpr Type type = Type::memory;
  RecordHeader header;
  std::int64_t time_ns;
  std::uint64_t address, bytes;
  std::uint32_t device, release;
};

enum class Payload : std::uint32_t { none, unsigned64, signed64, real };
// A range or mark. `thread` is in the chunk header only as the last owner, so it stands here.
struct Nvtx {
  RecordHeader header;
  std::int64_t time_ns;
  std::uint64_t range;  // of nvtx_start and nvtx_end: joins the two
  std::uint32_t thread;
  std::uint32_t name, domain, category;  // strings
  std::uint32_t color;                   // ARGB, 0: none
  Payload payload_type;
  std::uint64_t payload;  // bits
};
struct NvtxPop {
  static constexpr Type type = Type::nvtx_pop;
  RecordHeader header;
  std::int64_t time_ns;
  std::uint32_t thread, domain;
};

// The CUDA calls that an RNN call made, as CUPTI numbers them: those between the two. A call of
// another thread at the same time lies between them too; `stream` tells its kernels apart.
struct CorrelationRange {
  static constexpr Type type = Type::correlation_range;
  RecordHeader header;
  std::uint64_t call;
  std::uint32_t first, last;  // neither of them is one of its own
  std::uint32_t stream;       // the RNN call's, as in Kernel; 0xffffffff: not known
  std::uint32_t thread;
};

struct GraphNode {  // a node of a CUDA graph: made by an RNN call, or copied from another node
  static constexpr Type type = Type::graph_node;
  RecordHeader header;
  std::uint64_t node, original, call;
};

struct Device {
  static constexpr Type type = Type::device;
  RecordHeader header;
  std::int32_t ordinal;
  std::int32_t major, minor, multiprocessors, sm_clock_khz, memory_clock_khz, bus_bits, l2_bytes;
  std::uint64_t memory_bytes;
  std::uint32_t shared_per_sm, shared_per_block, registers_per_sm, threads_per_sm;
  std::uint8_t uuid[16];
  char name[128];
};

enum class LibraryKind : std::uint32_t { cudnn, cupti, framework };
struct Library {
  static constexpr Type type = Type::library;
  RecordHeader header;
  LibraryKind kind;
  std::uint32_t index;  // of cuDNN libraries, from 1
  std::uint64_t version;
  std::uint32_t path;  // string
  std::uint32_t reserved;
};

// A variable of the process that decides something, or, in lower case, a version that was read
// there as text: "driver_version", "cuda_driver_version", "cuda_runtime_version".
struct Environment {
  static constexpr Type type = Type::environment;
  RecordHeader header;
  std::uint32_t name, value;  // strings
};

struct Note {
  static constexpr Type type = Type::note;
  RecordHeader header;
  std::int64_t time_ns;
  std::uint32_t code, text;  // strings
};
// The code of the note that says what forbids to choose algorithms by timing.
inline constexpr char acceleration_off[] = "acceleration-off";
// The code of the note that is an exception of a Python program, as Python prints it: of several
// the last counts. Its text has at most so many bytes, the last ones.
inline constexpr char program_exception[] = "program-exception";
inline constexpr std::size_t exception_bytes = 8192;
// The code of the note that follows it: the free memory of that thread's GPU then, in bytes, 0
// where it is not known, a blank, and what the CUDA driver answered (CUresult).
inline constexpr char gpu_at_exception[] = "gpu-at-exception";

struct ThreadName {
  static constexpr Type type = Type::thread_name;
  RecordHeader header;
  std::uint32_t thread, name;  // name: string
};

enum class Resource : std::uint32_t { device, stream };
struct ResourceName {
  static constexpr Type type = Type::resource_name;
  RecordHeader header;
  Resource resource;
  std::int32_t device;   // CUDA ordinal
  std::uint32_t stream;  // as in Kernel; of Resource::stream alone
  std::uint32_t name;    // string
};

// What the samples of a device hold, in their order.
inline constexpr std::size_t most_counters = 6;
struct CounterMetrics {
  static constexpr Type type = Type::counter_metrics;
  RecordHeader header;
  std::uint32_t device, count;
  std::uint32_t names[most_counters];  // strings: metrics of CUPTI
};

// Hardware counters of a whole device over an interval, on the device's clock.
struct CounterSample {
  static constexpr Type type = Type::counter_sample;
  RecordHeader header;
  std::int64_t start_ns, end_ns;
  std::uint32_t device, count;
  double values[most_counters];
};

// How that clock stands: at host_ns the device's last whole sample had ended at device_ns.
struct CounterClock {
  static constexpr Type type = Type::counter_clock;
  RecordHeader header;
  std::int64_t host_ns, device_ns;
  std::uint32_t device, reserved;
};

// A choice between algorithms for calls of one kind: one configuration, but for its algorithm, and
// sequences of about one length (profiler/plugin/acceleration.h). Written when the choice falls and
// at the end of the process: of several with one id the last counts.
enum class ChoiceState : std::uint32_t {
  waiting,    // too few calls so far
  comparing,  // results of a candidate are compared with those of the program's own algorithm
  measuring,  // calls alternate between what is left
  decided
};
enum class VariantState : std::uint32_t {
  absent,
  original,   // as the program asks
  candidate,  // not compared yet
  measured,   // its results are right: it is, or was, in use
  slower,     // right, and slower than another
  refused,    // cuDNN does not take it for this call; `status`
  different,  // its results differ by more than `limit`
  layout,     // it would lay out the weights otherwise, or needs another size of reserve
  memory,     // no room for its workspace or for the comparison
  unseen,     // no call could be compared before the program ended
  drifted,    // was in use; on a later call its results differed by more than `limit`
  costly      // comparing it was predicted to take more than what was left of the budget
};
// Why a call ran the program's own algorithm while another was chosen or tried.
enum class Kept : std::uint32_t {
  tuning,           // it was measured, or compared
  unequal_lengths,  // persistent kernels take sequences of one length only
  alignment,        // a pointer below 16 bytes, or states that are not packed
  small_workspace,  // the program gave less than the candidate needs
  unknown_reserve,  // a reserve of another size than we reported: not known who wrote it
  captured,         // in a CUDA graph before the choice fell
  refused,          // cuDNN refused the chosen algorithm; the program's own ran in its place
  whole_step,       // in steps with the program's own algorithms, to compare whole steps
  only_tried,       // after `try` had measured
  count
};
// Forward, backward of data, backward of weights.
inline constexpr std::size_t choice_phases = 3;
// What another algorithm must save of the time to be chosen: less is within what times differ from
// run to run.
inline constexpr float least_saving = 0.05F;
// Where a choice comes from, once it is made.
enum class ChoiceOrigin : std::uint32_t {
  measured,
  limited,    // the budget or the limit of memory ended measuring before all was known
  planned,    // the plan has it
  unplanned,  // the plan has none, and nothing else is to be measured
  shared,     // the first rank of the job on this host measured it
  neighbour,  // measured for about as large a batch; results were compared for this one, too
  forced
};
struct ChoiceVariant {
  std::int32_t algo;  // cudnnRNNAlgo_t; -1: not used
  VariantState state;
  std::int32_t status;  // cudnnStatus_t of a refusal
  float error;          // largest relative difference of a tensor, L2; negative: not compared
  float limit;
  std::uint32_t tensor;  // string: the one with that difference
  std::uint32_t samples[choice_phases];
  // 1: with CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION in place of the program's math type.
  std::uint32_t converts;
  // Of one call, scaled to `steps` steps: median and its 95 % interval, device time.
  std::int64_t median_ns[choice_phases], low_ns[choice_phases], high_ns[choice_phases];
  std::uint64_t workspace_bytes;
};
inline constexpr std::size_t most_variants = 6;
struct Acceleration {
  static constexpr Type type = Type::acceleration;
  RecordHeader header;
  std::uint32_t id;
  std::uint32_t configuration, call_site;  // of the first such call
  std::int32_t device, steps;              // CUDA ordinal; sequence length of that call
  ChoiceState state;
  std::uint32_t chosen;  // index into variants; 0: the program's own
  std::uint32_t checks;  // comparisons of results after the choice
  ChoiceOrigin origin;
  std::uint32_t with_change;  // 1: most of these calls are of a layer with our change (StepArm)
  std::uint64_t calls[choice_phases];        // of the program
  std::uint64_t substituted[choice_phases];  // of these, with another algorithm
  std::uint64_t kept[static_cast<std::size_t>(Kept::count)];
  std::uint64_t key;           // of this kind of calls, the same in every process
  std::int64_t tuning_ns;      // that comparing took, on the device
  std::uint64_t tuning_bytes;  // the most that it held at a time
  ChoiceVariant variants[most_variants];
};

// Steps of the program that followed each other, all of them alike (profiler/plugin/steps.h). Of
// several with one number the last counts.
enum class StepSource : std::uint32_t {
  training,   // from the first forward call after a backward pass to the next such
  inference,  // from a forward call to the next of its kind
  range       // from the first call in a range that the user named to that in the next
};
enum class StepArm : std::uint32_t {
  own,         // as the program is
  algorithms,  // with the chosen algorithms
  change,      // with a change of the program's layers, and cuDNN called as they ask
  both,
  count
};
struct StepBlock {
  static constexpr Type type = Type::step_block;
  RecordHeader header;
  std::uint32_t block;  // from 0
  StepSource source;
  StepArm arm;
  std::uint32_t steps;  // that were timed
  std::int64_t median_ns;
  std::uint32_t withdrawn;  // 1: whole steps were slower, so that nothing is replaced any more
  std::uint32_t reserved;
};

struct Overhead {
  static constexpr Type type = Type::overhead;
  RecordHeader header;
  std::int64_t start_ns, end_ns;
  std::uint32_t kind;  // string
  std::uint32_t reserved;
};

}  // namespace rnnadvisor::spool
