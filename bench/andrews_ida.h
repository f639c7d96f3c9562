// andrews_ida.h - Andrews' squeezing mechanism solved by SUNDIALS' IDA directly.
#pragma once

#include <stdbool.h>

typedef struct andrews_ida_result {
    double angle[7];
    double seconds;
    long steps, rejected, residuals, factors;
} andrews_ida_result;

// 0.03 s with rtol = atol; true: it got there.
bool andrews_ida(double rtol, andrews_ida_result *r);
