// cuda_declarations.h - what the text of a batch takes from CUDA, for Clang without its toolkit.
#pragma once
#include "device_functions.h"
struct cuda_thread {
    struct x_of {
        __device__ operator int() const
        {
            return __nvvm_read_ptx_sreg_tid_x();
        }
    } x;
};
struct cuda_block {
    struct x_of {
        __device__ operator int() const
        {
            return __nvvm_read_ptx_sreg_ctaid_x();
        }
    } x;
};
struct cuda_size {
    struct x_of {
        __device__ operator int() const
        {
            return __nvvm_read_ptx_sreg_ntid_x();
        }
    } x;
};
extern __device__ const cuda_thread threadIdx;
extern __device__ const cuda_block blockIdx;
extern __device__ const cuda_size blockDim;
