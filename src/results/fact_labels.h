// fact_labels.h - what a result says of itself, in words for a person.
#pragma once

typedef struct flx_fact_label {
    const char *name; // "ledger/energy_drift"
    const char *text; // "energy drift"
    const char *unit; // "": none
} flx_fact_label;

// NULL: it has none, and is not shown.
const flx_fact_label *flx_fact_label_find(const char *name);
