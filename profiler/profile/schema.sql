-- What a .rnnprof file has beside the tables of tables.h. docs/file-format.md explains it.

-- First, so that its one row ends page 2: SQLite's count of changes (4 bytes) when the file was written, and the XXH64 of the whole
-- file with these last 8 bytes zero (both big-endian).
CREATE TABLE checksum(id INTEGER PRIMARY KEY, xxh64 BLOB NOT NULL);

CREATE TABLE meta(key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;

CREATE TABLE environment(key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;

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
