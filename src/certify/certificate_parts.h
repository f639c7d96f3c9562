// certificate_parts.h - the inside of a certificate: what its files share.
#pragma once

#include "certify/pilot.h"
#include "flexion/certificate.h"

#define FLX_CERTIFICATE_CONDITIONS 7

struct flx_certificate {
    flx_ctx *ctx;                   // borrowed
    flx_arena *arena;               // owned: texts
    flx_model *core;                // held
    flx_model full_model;           // the model as if it had no `reduce`
    flx_simulation *reduced, *full; // owned
    flx_pilot pilot;                // owned
    flx_course_split split;
    flx_certificate_numbers numbers;
    int ncondition;
    flx_condition conditions[FLX_CERTIFICATE_CONDITIONS];
    // courses of the errors, as parts of the sizes of coordinates
    int nsample;
    double *times, *expected, *met; // (nsample) owned; the largest of all but J
    const char *error_reason;       // why there are none; NULL: there are
    double expected_part; // the largest first-order term of the rest, as a part of its size
};

// certificate_errors.c: the first-order term along the reduced motion (CERT-7) and the error met.
flx_status flx_certificate_find_errors(flx_certificate *c, const flx_certificate_def *def);
// The first-order term alone, from a quick run of the reduced model.
flx_status flx_certificate_expect(flx_certificate *c, double window);
