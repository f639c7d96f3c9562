// device_functions.h - what CUDA and HIP have in common, for Clang without their headers.
#pragma once
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __global__ __attribute__((global))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define HUGE_VAL __builtin_huge_val()
#define DECLARE(name) extern "C" __device__ double name(double);
DECLARE(sin)
DECLARE(cos)
DECLARE(tan)
DECLARE(asin)
DECLARE(acos)
DECLARE(atan)
DECLARE(sinh)
DECLARE(cosh)
DECLARE(tanh)
DECLARE(exp)
DECLARE(log)
DECLARE(log10)
DECLARE(sqrt)
DECLARE(fabs)
DECLARE(floor)
DECLARE(ceil)
extern "C" __device__ double pow(double, double);
extern "C" __device__ double atan2(double, double);
