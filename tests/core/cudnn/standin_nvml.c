/* NVML as core/cudnn/driver.cpp calls it, of one GPU. standin_reasons and standin_fails are set by
 * the test. */
#include <stddef.h>
#include <string.h>

unsigned long long standin_reasons = 0;
int standin_fails = 0; /* everything but the clocks */

static int gpu;

int nvmlInit_v2(void) { return 0; }
int nvmlSystemGetDriverVersion(char* version, unsigned length) {
  strncpy(version, "580.0", length);
  return 0;
}
int nvmlDeviceGetHandleByUUID(const char* uuid, void** handle) {
  *handle = &gpu;
  return strcmp(uuid, "GPU-known") == 0 ? 0 : 6;
}
int nvmlDeviceGetClockInfo(void* handle, int type, unsigned* mhz) {
  *mhz = type == 1 ? 1980 : 3201;
  return handle == &gpu && (type == 1 || type == 2) ? 0 : 2;
}
int nvmlDeviceGetTemperature(void* handle, int sensor, unsigned* celsius) {
  *celsius = 41;
  return handle == &gpu && sensor == 0 && !standin_fails ? 0 : 3;
}
int nvmlDeviceGetPowerUsage(void* handle, unsigned* milliwatts) {
  *milliwatts = 118000;
  return handle == &gpu && !standin_fails ? 0 : 3;
}
int nvmlDeviceGetMemoryInfo(void* handle, void* memory) {
  memset(memory, 0, 3 * sizeof(unsigned long long));
  return handle == &gpu ? 0 : 2;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void* handle, unsigned long long* reasons) {
  *reasons = standin_reasons;
  return handle == &gpu && !standin_fails ? 0 : 3;
}
