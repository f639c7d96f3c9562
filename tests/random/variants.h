// variants.h - the ways in which one model is computed: forms of the equations, methods, copies.
#pragma once

#include "table.h"

typedef struct variant {
    const char *name;
    method m;
    unsigned kinds; // of signals that are compared
    // NULL: the model itself
    void (*copy)(const spec *s, uint64_t seed, spec *out, view *v);
    bool later;       // the run begins in the middle of the original's
    double tolerance; // of fixed steps beyond what halving the step changes; 0: error control
    int one_in;       // of so many models: what costs much is done less often
#define NEVER 0       // only where it is asked for
} variant;

extern const variant variants[];
extern const int variant_count;
#define FORMS 2
extern const method references[FORMS]; // the first that can, is what all others are compared with

typedef enum verdict {
    AGREES,
    SENSITIVE, // the difference is that of the tolerances
    ROUNDING,  // ... that of data that differ by rounding: nobody can know it better
    REFUSED,   // by the variant, before the run
    FAILED,    // the variant's run
    UNKNOWN,   // no reference
    DISAGREES
} verdict;

typedef struct finding {
    verdict verdict;
    double difference;
    char where[32];
    char message[256];
} finding;

// a: a run of the model by a reference.
finding judge(const spec *s, const variant *v, int form, const table *a);
// Eigenvalues of a copy at rest (rest.c).
finding judge_rest(const spec *s, const variant *v);
// Without such a run.
finding judge_alone(const spec *s, const variant *v);
// The same data, but for rounding.
void shake(const spec *s, uint64_t seed, spec *out);
// The first reference that can, with its run in *a; -1: none.
int refer(const spec *s, double rtol, table *a);
char *variant_text(const spec *s, const variant *v); // to be freed
void write_variant_meshes(const spec *s, const variant *v, const char *folder);

// ---- shrink.c -----------------------------------------------------------------------------------
// The smallest model found for which the variant still disagrees.
void shrink(const variant *v, spec *s, finding *found);
