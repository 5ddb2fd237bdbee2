/* A stand-in for NVIDIA's library: two cards, the second of which has fallen off its bus. Only the
   functions that are asked for, in the form that nvml.h gives them. */
#include <string.h>

typedef int nvmlReturn_t;
enum { SUCCESS = 0, NOT_SUPPORTED = 3, INSUFFICIENT_SIZE = 7, GPU_IS_LOST = 15 };
typedef struct card { int lost; } *nvmlDevice_t;
static struct card cards[2] = {{0}, {1}};

nvmlReturn_t nvmlInit_v2(void) { return SUCCESS; }
nvmlReturn_t nvmlShutdown(void) { return SUCCESS; }
const char *nvmlErrorString(nvmlReturn_t result) { (void)result; return "an error"; }

nvmlReturn_t nvmlSystemGetDriverVersion(char *text, unsigned length) {
    strncpy(text, "550.127.05", length);
    return SUCCESS;
}
nvmlReturn_t nvmlSystemGetProcessName(unsigned pid, char *text, unsigned length) {
    strncpy(text, pid == 1379 ? "/usr/lib/xorg/Xorg" : "python3", length);
    return SUCCESS;
}
nvmlReturn_t nvmlDeviceGetCount_v2(unsigned *count) { *count = 2; return SUCCESS; }
nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t *device) {
    *device = &cards[index];
    return cards[index].lost ? GPU_IS_LOST : SUCCESS;
}
nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *text, unsigned length) {
    (void)device;
    strncpy(text, "NVIDIA H100 80GB HBM3", length);
    return SUCCESS;
}
nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *text, unsigned length) {
    (void)device;
    strncpy(text, "GPU-11111111-0000-4000-8000-000000000001", length);
    return SUCCESS;
}
nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned *current, unsigned *pending) {
    (void)device;
    *current = *pending = 0;
    return SUCCESS;
}
typedef struct { unsigned version; unsigned long long total, reserved, free, used; } memory_t;
nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, memory_t *memory) {
    (void)device;
    memory->total = 80ULL << 30;
    memory->used = 20ULL << 30;
    memory->free = 60ULL << 30;
    memory->reserved = 0;
    return SUCCESS;
}
typedef struct { unsigned gpu, memory; } utilization_t;
nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t device, utilization_t *rates) {
    (void)device;
    rates->gpu = rates->memory = 0;
    return SUCCESS;
}
typedef struct { unsigned long long time; union { unsigned ui; unsigned long long ull; double d; } value; } sample_t;
nvmlReturn_t nvmlDeviceGetSamples(nvmlDevice_t device, int kind, unsigned long long after, int *type,
                                  unsigned *count, sample_t *samples) {
    (void)device;
    (void)kind;
    static const unsigned told[4] = {0, 60, 0, 0};
    unsigned from = after >= 40 ? 4 : (unsigned)(after / 10);
    *type = 1;
    *count = 4 - from;
    if (samples != 0)
        for (unsigned at = from; at < 4; at++) {
            samples[at - from].time = (at + 1) * 10;
            samples[at - from].value.ui = told[at];
        }
    return SUCCESS;
}
nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned *milliwatts) {
    (void)device;
    *milliwatts = 70000;
    return SUCCESS;
}
nvmlReturn_t nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t device, unsigned *milliwatts) {
    (void)device;
    *milliwatts = 700000;
    return SUCCESS;
}
typedef struct { unsigned pid; unsigned long long memory; unsigned gpu_instance, compute_instance; } process_t;
static nvmlReturn_t one(unsigned pid, unsigned *count, process_t *processes) {
    unsigned room = *count;
    *count = 1;
    if (processes == 0 || room == 0)
        return INSUFFICIENT_SIZE;
    memset(processes, 0, sizeof *processes);
    processes->pid = pid;
    processes->gpu_instance = processes->compute_instance = 0xFFFFFFFF;
    return SUCCESS;
}
nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned *count, process_t *processes) {
    (void)device;
    return one(4242, count, processes);
}
nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v3(nvmlDevice_t device, unsigned *count, process_t *processes) {
    (void)device;
    return one(1379, count, processes);
}

/* Hopper's own counters: active by 12.5 % between any two looks. */
typedef struct { unsigned version, supported; } gpm_support_t;
nvmlReturn_t nvmlGpmQueryDeviceSupport(nvmlDevice_t device, gpm_support_t *support) {
    (void)device;
    support->supported = 1;
    return SUCCESS;
}
nvmlReturn_t nvmlGpmSampleAlloc(void **sample) { static int held; *sample = &held; return SUCCESS; }
nvmlReturn_t nvmlGpmSampleFree(void *sample) { (void)sample; return SUCCESS; }
nvmlReturn_t nvmlGpmSampleGet(nvmlDevice_t device, void *sample) {
    (void)device;
    (void)sample;
    return SUCCESS;
}
typedef struct { unsigned id; nvmlReturn_t result; double value; const char *words[3]; } gpm_metric_t;
typedef struct { unsigned version, count; void *before, *after; gpm_metric_t metrics[1]; } gpm_metrics_t;
nvmlReturn_t nvmlGpmMetricsGet(gpm_metrics_t *wanted) {
    if (wanted->count != 1)
        return NOT_SUPPORTED;
    wanted->metrics[0].result = SUCCESS;
    wanted->metrics[0].value = 12.5;
    return SUCCESS;
}
