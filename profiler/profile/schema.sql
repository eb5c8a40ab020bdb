-- Schema of a .rnnprof file, version 7. docs/file-format.md explains it.
--
-- Times are integer nanoseconds since meta.time_origin_ns, which is on the clock of CUPTI (CLOCK_REALTIME); durations are
-- nanoseconds. Columns named *_ms are milliseconds. Sizes are bytes. Indices count from 0 and are the `id` of the table they
-- name; -1 is none. Enumerations are stored as their words.

-- First, so that its one row ends page 2: SQLite's count of changes (4 bytes) when the file was written, and the XXH64 of the whole
-- file with these last 8 bytes zero (both big-endian).
CREATE TABLE checksum(id INTEGER PRIMARY KEY, xxh64 BLOB NOT NULL);

CREATE TABLE meta(key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;

CREATE TABLE environment(key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;

CREATE TABLE clocks(
  id INTEGER PRIMARY KEY, "when" TEXT NOT NULL, device INTEGER NOT NULL, sm_mhz INTEGER NOT NULL,
  memory_mhz INTEGER NOT NULL, temperature_c INTEGER NOT NULL, power_mw INTEGER NOT NULL);

CREATE TABLE devices(
  id INTEGER PRIMARY KEY, device_id TEXT NOT NULL, name TEXT NOT NULL, architecture TEXT NOT NULL,
  compute_major INTEGER NOT NULL, compute_minor INTEGER NOT NULL, sm_count INTEGER NOT NULL,
  memory_bytes INTEGER NOT NULL, l2_bytes INTEGER NOT NULL, shared_memory_per_sm INTEGER NOT NULL,
  shared_memory_per_block INTEGER NOT NULL, registers_per_sm INTEGER NOT NULL, memory_bandwidth REAL NOT NULL,
  fp64_flops REAL NOT NULL, fp32_flops REAL NOT NULL, tf32_tensor_flops REAL NOT NULL, fp16_flops REAL NOT NULL,
  fp16_tensor_flops REAL NOT NULL, bf16_tensor_flops REAL NOT NULL, boost_clock_hz REAL NOT NULL, source TEXT NOT NULL,
  measured_bandwidth REAL, measured_bandwidth_source TEXT,
  measured_fp16_tensor_flops REAL, measured_fp16_tensor_flops_source TEXT,
  kernel_launch_seconds REAL, kernel_launch_seconds_source TEXT,
  grid_sync_seconds REAL, grid_sync_seconds_source TEXT,
  persist_backward_hidden REAL, persist_backward_hidden_source TEXT,
  cudnn_version TEXT NOT NULL, live INTEGER NOT NULL, uuid TEXT NOT NULL);

CREATE TABLE device_hidden_limits(
  id INTEGER PRIMARY KEY, device INTEGER NOT NULL, algo TEXT NOT NULL, cell TEXT NOT NULL, backward INTEGER NOT NULL,
  accepted INTEGER NOT NULL, rejected INTEGER NOT NULL, source TEXT NOT NULL);

CREATE TABLE device_crossovers(
  id INTEGER PRIMARY KEY, device INTEGER NOT NULL, cell TEXT NOT NULL, data_type TEXT NOT NULL,
  hidden_size INTEGER NOT NULL, batch_forward REAL NOT NULL, batch_training REAL NOT NULL, source TEXT NOT NULL);

-- `json` is the whole configuration with the program around it; the columns up to `mode` repeat its most used fields.
-- `written`: the keys that the user gave, as a JSON object; NULL: not known.
CREATE TABLE configurations(
  id INTEGER PRIMARY KEY, json TEXT NOT NULL, written TEXT, name TEXT, cell TEXT, algo TEXT, direction TEXT, data_type TEXT,
  math_precision TEXT, math_type TEXT, input_size INTEGER, hidden_size INTEGER, proj_size INTEGER, num_layers INTEGER,
  dropout REAL, layout TEXT, seq_length INTEGER, batch_size INTEGER, mode TEXT,
  origin TEXT NOT NULL, outcome TEXT NOT NULL, message TEXT NOT NULL, device INTEGER NOT NULL,
  weights_bytes INTEGER NOT NULL, weights_exactness TEXT NOT NULL,
  workspace_inference_bytes INTEGER NOT NULL, workspace_inference_exactness TEXT NOT NULL,
  workspace_training_bytes INTEGER NOT NULL, workspace_training_exactness TEXT NOT NULL,
  reserve_training_bytes INTEGER NOT NULL, reserve_training_exactness TEXT NOT NULL,
  sizes_from_cudnn INTEGER NOT NULL, memory_free_before INTEGER NOT NULL, memory_peak_used INTEGER NOT NULL,
  memory_predicted INTEGER NOT NULL, outputs_finite INTEGER NOT NULL);

CREATE TABLE configuration_stages(
  id INTEGER PRIMARY KEY, configuration INTEGER NOT NULL, stage TEXT NOT NULL, attempted INTEGER NOT NULL,
  status INTEGER NOT NULL, status_name TEXT NOT NULL, reason TEXT NOT NULL);

-- Timed without tracing. `samples_ms` is a JSON array in the order of measurement.
CREATE TABLE configuration_timings(
  id INTEGER PRIMARY KEY, configuration INTEGER NOT NULL, phase TEXT NOT NULL, median_ms REAL NOT NULL,
  low_ms REAL NOT NULL, high_ms REAL NOT NULL, confidence REAL NOT NULL, count INTEGER NOT NULL, warmup INTEGER NOT NULL,
  converged INTEGER NOT NULL, samples_ms TEXT NOT NULL);

-- NULL: not a number.
CREATE TABLE counters(
  id INTEGER PRIMARY KEY, configuration INTEGER NOT NULL, phase TEXT NOT NULL, metric TEXT NOT NULL, value REAL);

CREATE TABLE correctness(
  id INTEGER PRIMARY KEY, configuration INTEGER NOT NULL, tensor TEXT NOT NULL, relative_error REAL, tolerance REAL,
  passed INTEGER NOT NULL);

CREATE TABLE strings(id INTEGER PRIMARY KEY, text TEXT NOT NULL);

-- NULL in start_ns and end_ns: not known. start_ns may be negative: a process begins before its first record.
CREATE TABLE processes(
  id INTEGER PRIMARY KEY, pid INTEGER NOT NULL, parent_pid INTEGER NOT NULL, host TEXT NOT NULL,
  executable TEXT NOT NULL, command_line TEXT NOT NULL, cudnn_version TEXT NOT NULL, framework TEXT NOT NULL, framework_version TEXT NOT NULL,
  rank INTEGER NOT NULL, local_rank INTEGER NOT NULL, world_size INTEGER NOT NULL, mode TEXT NOT NULL,
  start_ns INTEGER, end_ns INTEGER, ended TEXT NOT NULL, exit_status INTEGER NOT NULL, signal INTEGER NOT NULL);

CREATE TABLE process_variables(
  id INTEGER PRIMARY KEY, process INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL);

-- What calls were given beyond their configuration, and the lines of the program that made them. `seq_lengths` is a JSON array,
-- empty where the configuration says it; NULL in `contiguous`: not known.
CREATE TABLE call_arguments(
  id INTEGER PRIMARY KEY, contiguous INTEGER, seq_lengths TEXT NOT NULL);

-- alignment: the largest power of two that divides the address, in bytes; 0 is a null pointer.
CREATE TABLE call_pointers(
  id INTEGER PRIMARY KEY, arguments INTEGER NOT NULL, pointer TEXT NOT NULL, alignment INTEGER NOT NULL);

CREATE TABLE call_sites(
  id INTEGER PRIMARY KEY, file INTEGER NOT NULL, line INTEGER NOT NULL, function INTEGER NOT NULL,
  inner_site INTEGER NOT NULL);

-- NULL in device_start_ns and device_duration_ns: not measured.
CREATE TABLE calls(
  id INTEGER PRIMARY KEY, configuration INTEGER NOT NULL, phase TEXT NOT NULL, process INTEGER NOT NULL,
  thread INTEGER NOT NULL, device INTEGER NOT NULL, stream INTEGER NOT NULL, host_start_ns INTEGER NOT NULL,
  host_duration_ns INTEGER NOT NULL, status INTEGER NOT NULL, workspace_bytes INTEGER NOT NULL,
  reserve_bytes INTEGER NOT NULL, repetition INTEGER NOT NULL, weights_bytes INTEGER NOT NULL,
  device_start_ns INTEGER, device_duration_ns INTEGER, source TEXT NOT NULL, graph TEXT NOT NULL,
  reason INTEGER NOT NULL, arguments INTEGER NOT NULL, site INTEGER NOT NULL, nvtx_path INTEGER NOT NULL,
  forward INTEGER NOT NULL);

-- Calls that describe, ask for sizes or build, as far as they were kept: those that failed, and cudnnBuildRNNDynamic.
CREATE TABLE setup_calls(
  id INTEGER PRIMARY KEY, configuration INTEGER NOT NULL, function INTEGER NOT NULL, process INTEGER NOT NULL,
  thread INTEGER NOT NULL, host_start_ns INTEGER NOT NULL, host_duration_ns INTEGER NOT NULL, status INTEGER NOT NULL,
  reason INTEGER NOT NULL);

-- What repeated launches share; a run has few of these and many kernel_records.
CREATE TABLE kernel_kinds(
  id INTEGER PRIMARY KEY, name INTEGER NOT NULL, device INTEGER NOT NULL, stream INTEGER NOT NULL,
  process INTEGER NOT NULL, grid_x INTEGER NOT NULL, grid_y INTEGER NOT NULL, grid_z INTEGER NOT NULL,
  block_x INTEGER NOT NULL, block_y INTEGER NOT NULL, block_z INTEGER NOT NULL, registers INTEGER NOT NULL,
  shared_static INTEGER NOT NULL, shared_dynamic INTEGER NOT NULL, family TEXT NOT NULL, role TEXT NOT NULL);

CREATE TABLE kernel_records(
  id INTEGER PRIMARY KEY, start_ns INTEGER NOT NULL, duration_ns INTEGER NOT NULL, kind INTEGER NOT NULL,
  call INTEGER NOT NULL, correlation INTEGER NOT NULL);

-- kind: CUpti_ActivityMemcpyKind for copies, 0 for sets.
CREATE TABLE transfers(
  id INTEGER PRIMARY KEY, start_ns INTEGER NOT NULL, duration_ns INTEGER NOT NULL, bytes INTEGER NOT NULL,
  correlation INTEGER NOT NULL, operation TEXT NOT NULL, kind INTEGER NOT NULL, call INTEGER NOT NULL,
  device INTEGER NOT NULL, stream INTEGER NOT NULL, process INTEGER NOT NULL);

CREATE TABLE api_kinds(
  id INTEGER PRIMARY KEY, name INTEGER NOT NULL, driver INTEGER NOT NULL, result INTEGER NOT NULL,
  process INTEGER NOT NULL, thread INTEGER NOT NULL);

CREATE TABLE api_records(
  id INTEGER PRIMARY KEY, start_ns INTEGER NOT NULL, duration_ns INTEGER NOT NULL, kind INTEGER NOT NULL,
  call INTEGER NOT NULL, correlation INTEGER NOT NULL);

CREATE TABLE allocations(
  id INTEGER PRIMARY KEY, time_ns INTEGER NOT NULL, bytes INTEGER NOT NULL, address INTEGER NOT NULL,
  release INTEGER NOT NULL, device INTEGER NOT NULL, process INTEGER NOT NULL, call INTEGER NOT NULL,
  correlation INTEGER NOT NULL);

-- payload: NULL is none; an integer or a number; a text for what SQLite has no number for, "nan" and integers above 2^63-1.
CREATE TABLE nvtx_ranges(
  id INTEGER PRIMARY KEY, start_ns INTEGER NOT NULL, duration_ns INTEGER NOT NULL, name INTEGER NOT NULL,
  domain INTEGER NOT NULL, color INTEGER NOT NULL, depth INTEGER NOT NULL, process INTEGER NOT NULL,
  thread INTEGER NOT NULL, category INTEGER NOT NULL, payload);

CREATE TABLE overhead(
  id INTEGER PRIMARY KEY, start_ns INTEGER NOT NULL, duration_ns INTEGER NOT NULL, kind INTEGER NOT NULL,
  process INTEGER NOT NULL);

-- Hardware counters of a device over short intervals.
CREATE TABLE counter_samples(
  id INTEGER PRIMARY KEY, start_ns INTEGER NOT NULL, duration_ns INTEGER NOT NULL, device INTEGER NOT NULL,
  process INTEGER NOT NULL, metric INTEGER NOT NULL, value REAL NOT NULL);

CREATE TABLE thread_names(
  id INTEGER PRIMARY KEY, process INTEGER NOT NULL, thread INTEGER NOT NULL, name INTEGER NOT NULL);

-- The names that a program gave its GPUs and their streams (NVTX); -1 in stream: the GPU itself.
CREATE TABLE resource_names(
  id INTEGER PRIMARY KEY, process INTEGER NOT NULL, device INTEGER NOT NULL, stream INTEGER NOT NULL,
  name INTEGER NOT NULL);

CREATE TABLE notes(
  id INTEGER PRIMARY KEY, severity TEXT NOT NULL, code TEXT NOT NULL, text TEXT NOT NULL, count INTEGER NOT NULL);

CREATE TABLE figures(
  id INTEGER PRIMARY KEY, figure_id TEXT NOT NULL, title TEXT NOT NULL, x_key TEXT NOT NULL, series_key TEXT NOT NULL,
  measure TEXT NOT NULL, statement TEXT NOT NULL, source TEXT NOT NULL);

CREATE TABLE figure_configurations(
  id INTEGER PRIMARY KEY, figure INTEGER NOT NULL, configuration_name TEXT NOT NULL);

-- A suggestion, tried and measured. `transforms` is a JSON array; memory_* are bytes, -1: not known.
CREATE TABLE experiments(
  id INTEGER PRIMARY KEY, configuration INTEGER NOT NULL, "where" TEXT NOT NULL, rule TEXT NOT NULL,
  transforms TEXT NOT NULL, meaning TEXT NOT NULL, verdict TEXT NOT NULL, message TEXT NOT NULL, device INTEGER NOT NULL,
  memory_before INTEGER NOT NULL, memory_after INTEGER NOT NULL, seconds REAL NOT NULL);

CREATE TABLE experiment_changed(
  id INTEGER PRIMARY KEY, experiment INTEGER NOT NULL, configuration INTEGER NOT NULL);

-- speedup is the median over rounds of before / after; control_* is the same of the original against itself. Samples are JSON
-- arrays; what stands at the same place belongs to the same round.
CREATE TABLE experiment_timings(
  id INTEGER PRIMARY KEY, experiment INTEGER NOT NULL, scope TEXT NOT NULL,
  before_ms REAL NOT NULL, before_low_ms REAL NOT NULL, before_high_ms REAL NOT NULL,
  after_ms REAL NOT NULL, after_low_ms REAL NOT NULL, after_high_ms REAL NOT NULL,
  confidence REAL NOT NULL, count INTEGER NOT NULL,
  speedup REAL NOT NULL, speedup_low REAL NOT NULL, speedup_high REAL NOT NULL,
  control_low REAL NOT NULL, control_high REAL NOT NULL,
  before_samples_ms TEXT NOT NULL, after_samples_ms TEXT NOT NULL, control_samples_ms TEXT NOT NULL);

-- Relative differences || a - b || / || b ||; -1: not compared.
CREATE TABLE experiment_shifts(
  id INTEGER PRIMARY KEY, experiment INTEGER NOT NULL, tensor TEXT NOT NULL, from_before REAL NOT NULL,
  before_error REAL NOT NULL, after_error REAL NOT NULL);

-- What NVML said of the GPU when the samples of an experiment began and when they had been taken ("before", "after"). NULL: not
-- known. event_reasons: bits of NVML's clocks event reasons.
CREATE TABLE experiment_clocks(
  id INTEGER PRIMARY KEY, experiment INTEGER NOT NULL, "when" TEXT NOT NULL, sm_mhz INTEGER, memory_mhz INTEGER,
  temperature_c INTEGER, power_mw INTEGER, event_reasons INTEGER);

CREATE TABLE experiment_code(
  id INTEGER PRIMARY KEY, experiment INTEGER NOT NULL, name TEXT NOT NULL, language TEXT NOT NULL, text TEXT NOT NULL);

-- What a judgement said when it was last stored here. Not part of the measurement: readers judge anew.
CREATE TABLE finding_records(
  id INTEGER PRIMARY KEY, configuration INTEGER NOT NULL, rule TEXT NOT NULL, severity TEXT NOT NULL,
  confidence TEXT NOT NULL, title TEXT NOT NULL, message TEXT NOT NULL, suggestion TEXT NOT NULL, speedup REAL,
  speedup_basis TEXT NOT NULL);

-- Views for people ----------------------------------------------------------------------------------------------------

CREATE VIEW kernels AS
  SELECT r.id AS id, r.start_ns AS start_ns, r.duration_ns AS duration_ns, s.text AS name, k.family AS family,
         k.role AS role, r.call AS call, c.phase AS phase, f.name AS configuration, k.process AS process,
         k.device AS device, k.stream AS stream, k.grid_x AS grid_x, k.grid_y AS grid_y, k.grid_z AS grid_z,
         k.block_x AS block_x, k.block_y AS block_y, k.block_z AS block_z, k.registers AS registers,
         k.shared_static AS shared_static, k.shared_dynamic AS shared_dynamic, r.correlation AS correlation
  FROM kernel_records r JOIN kernel_kinds k ON k.id = r.kind JOIN strings s ON s.id = k.name
       LEFT JOIN calls c ON c.id = r.call LEFT JOIN configurations f ON f.id = c.configuration
  ORDER BY r.id;

CREATE VIEW rnn_calls AS
  SELECT c.id AS id, f.name AS configuration, c.phase AS phase, f.cell AS cell, f.algo AS algo,
         f.direction AS direction, f.data_type AS data_type, f.math_type AS math_type, f.input_size AS input_size,
         f.hidden_size AS hidden_size, f.num_layers AS num_layers, f.batch_size AS batch_size,
         f.seq_length AS seq_length, c.repetition AS repetition, c.host_start_ns AS host_start_ns,
         c.host_duration_ns / 1e6 AS host_ms, k.kernels AS kernels, k.kernel_ns / 1e6 AS kernel_ms,
         (k.last_ns - k.first_ns) / 1e6 AS gpu_ms, c.device_duration_ns / 1e6 AS device_ms, c.status AS status,
         r.text AS reason, c.workspace_bytes AS workspace_bytes, c.reserve_bytes AS reserve_bytes,
         c.weights_bytes AS weights_bytes, a.alignment AS alignment, g.contiguous AS contiguous,
         g.seq_lengths AS seq_lengths, c.process AS process, p.pid AS pid, p.rank AS rank, c.thread AS thread,
         c.device AS device, c.stream AS stream, c.source AS source, c.graph AS graph, n.text AS nvtx_path,
         sf.text AS file, s.line AS line, sn.text AS function
  FROM calls c LEFT JOIN configurations f ON f.id = c.configuration
       LEFT JOIN processes p ON p.id = c.process LEFT JOIN strings r ON r.id = c.reason
       LEFT JOIN strings n ON n.id = c.nvtx_path LEFT JOIN call_arguments g ON g.id = c.arguments
       LEFT JOIN (SELECT arguments, min(nullif(alignment, 0)) AS alignment FROM call_pointers GROUP BY arguments) a
         ON a.arguments = c.arguments
       LEFT JOIN call_sites s ON s.id = c.site LEFT JOIN strings sf ON sf.id = s.file
       LEFT JOIN strings sn ON sn.id = s.function
       LEFT JOIN (SELECT call, count(*) AS kernels, sum(duration_ns) AS kernel_ns, min(start_ns) AS first_ns,
                         max(start_ns + duration_ns) AS last_ns
                  FROM kernel_records GROUP BY call) k ON k.call = c.id
  ORDER BY c.id;

CREATE VIEW kernel_summary AS
  SELECT f.name AS configuration, c.phase AS phase, s.text AS name, k.family AS family, k.role AS role,
         count(*) AS count, sum(r.duration_ns) / 1e3 AS total_us, avg(r.duration_ns) / 1e3 AS mean_us,
         min(r.duration_ns) / 1e3 AS shortest_us, max(r.duration_ns) / 1e3 AS longest_us
  FROM kernel_records r JOIN kernel_kinds k ON k.id = r.kind JOIN strings s ON s.id = k.name
       LEFT JOIN calls c ON c.id = r.call LEFT JOIN configurations f ON f.id = c.configuration
  GROUP BY c.configuration, c.phase, k.name, k.family, k.role
  ORDER BY total_us DESC;

CREATE VIEW timings AS
  SELECT f.name AS configuration, f.cell AS cell, f.algo AS algo, f.data_type AS data_type, f.hidden_size AS hidden_size,
         f.batch_size AS batch_size, f.seq_length AS seq_length, t.phase AS phase, t.median_ms AS median_ms,
         t.low_ms AS low_ms, t.high_ms AS high_ms, t.confidence AS confidence, t.count AS count,
         t.converged AS converged
  FROM configuration_timings t JOIN configurations f ON f.id = t.configuration
  ORDER BY t.id;

CREATE VIEW stages AS
  SELECT f.name AS configuration, f.algo AS algo, s.stage AS stage, s.attempted AS attempted, s.status AS status,
         s.status_name AS status_name, s.reason AS reason
  FROM configuration_stages s JOIN configurations f ON f.id = s.configuration
  ORDER BY s.id;

CREATE VIEW api AS
  SELECT r.id AS id, r.start_ns AS start_ns, r.duration_ns AS duration_ns, s.text AS name, k.driver AS driver,
         k.result AS result, r.call AS call, k.process AS process, k.thread AS thread, r.correlation AS correlation
  FROM api_records r JOIN api_kinds k ON k.id = r.kind LEFT JOIN strings s ON s.id = k.name
  ORDER BY r.id;

CREATE VIEW nvtx AS
  SELECT r.id AS id, r.start_ns AS start_ns, r.duration_ns AS duration_ns, s.text AS name, d.text AS domain,
         c.text AS category, CASE r.color WHEN 0 THEN NULL ELSE printf('#%08X', r.color & 0xFFFFFFFF) END AS argb,
         r.payload AS payload, r.depth AS depth, r.process AS process, r.thread AS thread
  FROM nvtx_ranges r LEFT JOIN strings s ON s.id = r.name LEFT JOIN strings d ON d.id = r.domain
       LEFT JOIN strings c ON c.id = r.category
  ORDER BY r.id;

CREATE VIEW verdicts AS
  SELECT f.name AS configuration, e."where" AS "where", e.rule AS rule, e.transforms AS transforms, e.meaning AS meaning,
         e.verdict AS verdict, t.scope AS scope, t.before_ms AS before_ms, t.after_ms AS after_ms, t.speedup AS speedup,
         t.speedup_low AS speedup_low, t.speedup_high AS speedup_high, e.message AS message
  FROM experiments e LEFT JOIN configurations f ON f.id = e.configuration
       LEFT JOIN experiment_timings t ON t.experiment = e.id
  ORDER BY e.id, t.id;

CREATE VIEW findings AS
  SELECT f.name AS configuration, r.rule AS rule, r.severity AS severity, r.confidence AS confidence, r.title AS title,
         r.message AS message, r.suggestion AS suggestion, r.speedup AS speedup, r.speedup_basis AS speedup_basis
  FROM finding_records r LEFT JOIN configurations f ON f.id = r.configuration
  ORDER BY r.id;
