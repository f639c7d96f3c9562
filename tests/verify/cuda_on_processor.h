// cuda_on_processor.h - what the text of a batch takes from CUDA, done by the processor, thread after thread: so the whole way of
// 'flexion sweep --device cuda' runs where there is no GPU.
#pragma once
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#define __CUDACC__ 1
#define __host__
#define __device__
#define __global__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
using std::size_t;
struct dim3 {
    unsigned x;
    dim3(unsigned n) : x(n) {}
};
static dim3 blockIdx(0), threadIdx(0), blockDim(1);
typedef int cudaError_t;
typedef double *cudaEvent_t;
enum { cudaSuccess, cudaErrorMemoryAllocation = 2 };
enum { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
enum { cudaDevAttrSingleToDoublePrecisionPerfRatio };
struct cudaDeviceProp {
    char name[256];
    int multiProcessorCount;
};
struct cudaFuncAttributes {
    int numRegs;
    size_t localSizeBytes;
};
static const char *cudaGetErrorString(cudaError_t) { return "out of memory"; }
static cudaError_t cudaGetLastError() { return cudaSuccess; }
static cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int)
{
    strcpy(p->name, "no card");
    p->multiProcessorCount = 1;
    return cudaSuccess;
}
static cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *, const void *) { return cudaSuccess; }
static cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n, const void *, int, size_t)
{
    *n = 1;
    return cudaSuccess;
}
static cudaError_t cudaMemGetInfo(size_t *left, size_t *all)
{
    *left = *all = 1 << 28;
    return cudaSuccess;
}
static cudaError_t cudaDeviceGetAttribute(int *value, int, int)
{
    *value = 64;
    return cudaSuccess;
}
static cudaError_t cudaMalloc(void **at, size_t n)
{
    *at = getenv("NO_CARD_MEMORY") ? nullptr : malloc(n);
    return *at ? cudaSuccess : cudaErrorMemoryAllocation;
}
static cudaError_t cudaFree(void *at)
{
    free(at);
    return cudaSuccess;
}
static cudaError_t cudaMemcpy(void *to, const void *from, size_t n, int)
{
    memcpy(to, from, n);
    return cudaSuccess;
}
static cudaError_t cudaEventCreate(cudaEvent_t *e)
{
    *e = new double(0);
    return cudaSuccess;
}
static cudaError_t cudaEventDestroy(cudaEvent_t e)
{
    delete e;
    return cudaSuccess;
}
static cudaError_t cudaEventRecord(cudaEvent_t e, int)
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    *e = 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
    return cudaSuccess;
}
static cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
static cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t a, cudaEvent_t b)
{
    *ms = (float)(*b - *a);
    return cudaSuccess;
}
// The only kernel there is.
typedef void kernel(long, long, long, double, double, double, long, const double *, double *, double *, double *);
static cudaError_t cudaLaunchKernel(const void *f, dim3 blocks, dim3 threads, void **a, size_t, int)
{
    blockDim = threads;
    for (blockIdx.x = 0; blockIdx.x < blocks.x; blockIdx.x++)
        for (threadIdx.x = 0; threadIdx.x < threads.x; threadIdx.x++)
            ((kernel *)f)(*(long *)a[0], *(long *)a[1], *(long *)a[2], *(double *)a[3], *(double *)a[4],
                          *(double *)a[5], *(long *)a[6], *(double **)a[7], *(double **)a[8],
                          *(double **)a[9], *(double **)a[10]);
    return cudaSuccess;
}
