#include "tests/profiler/import/nsys_databases.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cstdio>

namespace rnnadvisor::import_trace::test {
namespace {

constexpr const char* common = R"(
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO StringIds VALUES
  (1, 'void elemWiseRNNcell<__half, float, (cudnnRNNMode_t)2>(int)'),
  (2, 'nvjet_sm90_hsh_128x64_64x8_1x2_h_bz_TNT'),
  (3, 'void LSTM_elementWise_bp1<__half, float>(int)'),
  (4, 'cudaLaunchKernel_v7000'), (5, 'cudaMemcpyAsync_v3020'), (6, 'cudnnRNNForward'),
  (7, 'cudnnRNNBackwardData_v8'), (8, 'training step'), (9, 'cuLaunchKernel'), (10, 'cudnnCreate');
CREATE TABLE TARGET_INFO_SYSTEM_ENV (globalVid INTEGER, devStateName TEXT NOT NULL, name TEXT NOT NULL,
  nameEnum INTEGER NOT NULL, value TEXT NOT NULL);
INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES (0, '', 'Hostname', 619, 'node7'),
  (0, '', 'CudaDriverVersion', 611, '12040'), (0, '', 'OsDescription', 605, 'Ubuntu 22.04');
CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);
INSERT INTO PROCESSES VALUES ({gpid}, 4242, '/usr/bin/python3'), (281474993487872, 1, 'systemd');
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL,
  eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL,
  returnValue INTEGER NOT NULL);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (500, 600, 0, {gtid}, 9, 5, 0),
  (1100, 1200, 0, {gtid}, 11, 4, 0), (1300, 1400, 1, {gtid}, 12, 9, 0), (2100, 2200, 0, {gtid}, 13, 4, 0),
  (2300, 2400, 0, {gtid}, 14, 4, 0);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
  bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, virtualAddress INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (700, 900, 0, 1, 7, 9, {gpid}, 4096, 1, NULL);
)";

constexpr const char* kernels = R"(
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL, {context} streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
  demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, {mangled} registersPerThread INTEGER NOT NULL,
  gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL,
  blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL,
  staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory INTEGER NOT NULL);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid,
  demangledName, shortName, registersPerThread, gridX, gridY, gridZ, blockX, blockY, blockZ,
  staticSharedMemory, dynamicSharedMemory) VALUES
  (3000, 3500, 0, 1, 7, 11, {gpid}, 2, 2, 168, 4, 2, 1, 384, 1, 1, 0, 196608),
  (3500, 3600, 0, 1, 7, 12, {gpid}, 1, 1, 40, 32, 1, 1, 256, 1, 1, 0, 0),
  (4000, 4500, 0, 1, 7, 13, {gpid}, 2, 2, 168, 4, 2, 1, 384, 1, 1, 0, 196608),
  (4500, 4600, 0, 1, 7, 14, {gpid}, 3, 3, 40, 32, 1, 1, 256, 1, 1, 0, 0);
)";

constexpr const char* gpus = R"(
CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, busLocation TEXT,
  l2CacheSize INTEGER, totalMemory INTEGER, clockRate INTEGER, smCount INTEGER, uuid TEXT, cuDevice INTEGER,
  computeMajor INTEGER, computeMinor INTEGER);
INSERT INTO TARGET_INFO_GPU VALUES
  (1, 0, 'NVIDIA A100-SXM4-80GB', '0000:c1:00.0', 41943040, 84990623744, 1410000000, 108, 'cf6b97c0', 1, 8, 0),
  (1, 1, 'NVIDIA H200', '0000:03:00.0', 62914560, 150109880320, 1980000000, 132, 'b17c6502', 0, 9, 0);
CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT, localTime TEXT);
INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES ({start}, '', '');
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER,
  category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER,
  domainId INTEGER, uint64Value INTEGER, int64Value INTEGER, doubleValue REAL, uint32Value INTEGER,
  int32Value INTEGER, floatValue REAL);
INSERT INTO NVTX_EVENTS (start, end, eventType, text, textId, globalTid, domainId, category, color, int64Value) VALUES
  (100, NULL, 75, 'loop', NULL, {gtid}, 3, NULL, NULL, NULL), (100, NULL, 33, 'phases', NULL, {gtid}, 3, 5, NULL, NULL),
  (100, NULL, 39, 'trainer', NULL, {gtid}, 0, NULL, NULL, NULL),
  (1000, 5000, 59, NULL, 8, {gtid}, 3, 5, 4278255360, 17), (1050, 1060, 59, 'inner', NULL, {gtid}, 0, NULL, NULL, NULL),
  (1070, NULL, 34, 'mark', NULL, {gtid}, 0, NULL, NULL, NULL), (1080, NULL, 59, 'open', NULL, {gtid}, 0, NULL, NULL, NULL);
)";

constexpr const char* gpus_2020 = R"(
CREATE TABLE TARGET_INFO_CUDA_GPU (deviceId INTEGER NOT NULL, name TEXT, computeCapabilityMajor INTEGER,
  computeCapabilityMinor INTEGER, numMultiprocessors INTEGER, coreClockRate INTEGER, globalMemorySize INTEGER,
  l2CacheSize INTEGER);
INSERT INTO TARGET_INFO_CUDA_GPU VALUES (0, 'Tesla V100-SXM2-16GB', 7, 0, 80, 1530000, 16945512448, 6291456);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, text TEXT, globalTid INTEGER);
INSERT INTO NVTX_EVENTS VALUES (1000, 5000, 59, 'training step', {gtid});
)";

constexpr const char* additions_2025 = R"(
CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PARAM_TIME_NORMALIZE', 'false');
CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER NOT NULL, pid INTEGER NOT NULL, uuid TEXT,
  numMultiprocessors INTEGER);
INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, 4242, 'cf6b97c0', 108), (1, 0, 5000, 'b17c6502', 132);
CREATE TABLE CUDNN_EVENTS (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL,
  globalTid INTEGER, nameId INTEGER NOT NULL);
INSERT INTO CUDNN_EVENTS VALUES (1000, 1500, 5, {gtid}, 6), (2000, 2500, 5, {gtid}, 7), (50, 80, 5, {gtid}, 10);
CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER NOT NULL, end INTEGER NOT NULL);
INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (6000, 7000), (8000, 9000);
)";

std::string filled(std::string sql, const std::string& name, const std::string& value) {
  for (auto at = sql.find(name); at != std::string::npos; at = sql.find(name, at))
    sql.replace(at, name.size(), value);
  return sql;
}

}  // namespace

bool write_nsys_database(const std::string& path, NsysSchema schema, const std::string& more) {
  std::string sql = std::string("BEGIN;") + common + kernels;
  sql += schema == NsysSchema::y2020 ? gpus_2020 : gpus;
  if (schema == NsysSchema::y2025) sql += additions_2025;
  sql = filled(sql, "{gpid}", std::to_string(global_pid));
  sql = filled(sql, "{gtid}", std::to_string(global_pid + tid));
  sql = filled(sql, "{start}", std::to_string(session_start_ns));
  sql = filled(sql, "{context}", schema == NsysSchema::y2025 ? "greenContextId INTEGER," : "");
  sql = filled(sql, "{mangled}", schema == NsysSchema::y2020 ? "" : "mangledName INTEGER,");
  sql += more + ";COMMIT;";
  sqlite3* database = nullptr;
  const bool ok =
      sqlite3_open(path.c_str(), &database) == SQLITE_OK &&
      sqlite3_exec(database, "PRAGMA page_size=1024", nullptr, nullptr, nullptr) == SQLITE_OK &&
      sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
  if (!ok) std::fprintf(stderr, "%s\n", sqlite3_errmsg(database));
  sqlite3_close(database);
  return ok;
}

}  // namespace rnnadvisor::import_trace::test
