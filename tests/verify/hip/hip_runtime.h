// hip_runtime.h - what the text of a batch takes from AMD's HIP, as hip_runtime_api.h of ROCm declares it, for Clang without that.
#pragma once
#include "../device_functions.h"
#include <stddef.h>
struct dim3 {
    unsigned x, y, z;
    __host__ __device__ dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c)
    {
    }
};
struct hip_thread {
    struct x_of {
        __device__ operator unsigned() const
        {
            return __builtin_amdgcn_workitem_id_x();
        }
    } x;
};
struct hip_block {
    struct x_of {
        __device__ operator unsigned() const
        {
            return __builtin_amdgcn_workgroup_id_x();
        }
    } x;
};
struct hip_size {
    struct x_of {
        __device__ operator unsigned() const
        {
            return __builtin_amdgcn_workgroup_size_x();
        }
    } x;
};
extern __device__ const __attribute__((weak)) hip_thread threadIdx;
extern __device__ const __attribute__((weak)) hip_block blockIdx;
extern __device__ const __attribute__((weak)) hip_size blockDim;
typedef enum hipError_t { hipSuccess, hipErrorOutOfMemory = 2 } hipError_t;
typedef struct ihipEvent_t *hipEvent_t;
typedef struct ihipStream_t *hipStream_t;
typedef enum hipMemcpyKind {
    hipMemcpyHostToHost,
    hipMemcpyHostToDevice,
    hipMemcpyDeviceToHost
} hipMemcpyKind;
typedef enum hipDeviceAttribute_t {
    hipDeviceAttributeSingleToDoublePrecisionPerfRatio
} hipDeviceAttribute_t;
typedef struct hipDeviceProp_t {
    char name[256];
    int multiProcessorCount;
} hipDeviceProp_t;
typedef struct hipFuncAttributes {
    size_t localSizeBytes;
    int numRegs;
} hipFuncAttributes;
extern "C" {
hipError_t hipDeviceGetAttribute(int *, hipDeviceAttribute_t, int);
hipError_t hipEventCreate(hipEvent_t *);
hipError_t hipEventDestroy(hipEvent_t);
hipError_t hipEventElapsedTime(float *, hipEvent_t, hipEvent_t);
hipError_t hipEventRecord(hipEvent_t, hipStream_t);
hipError_t hipEventSynchronize(hipEvent_t);
hipError_t hipFree(void *);
hipError_t hipFuncGetAttributes(hipFuncAttributes *, const void *);
hipError_t hipGetDeviceProperties(hipDeviceProp_t *, int);
const char *hipGetErrorString(hipError_t);
hipError_t hipGetLastError(void);
hipError_t hipLaunchKernel(const void *, dim3, dim3, void **, size_t, hipStream_t);
hipError_t hipMalloc(void **, size_t);
hipError_t hipMemGetInfo(size_t *, size_t *);
hipError_t hipMemcpy(void *, const void *, size_t, hipMemcpyKind);
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *, int, size_t);
}
