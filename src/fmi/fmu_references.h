// fmu_references.h - value references of the FMUs that Flexion writes: a kind and a number. The exporter writes them, the
// run-time library inside the FMU reads them.
#pragma once

#define FLX_FMU_KIND (1u << 24)
enum {
    FLX_FMU_TIME,
    FLX_FMU_INPUT,
    FLX_FMU_PARAMETER,
    FLX_FMU_OUTPUT,
    FLX_FMU_STATE,
    FLX_FMU_DERIVATIVE,
    FLX_FMU_INDICATOR,
};
static inline unsigned flx_fmu_reference(int kind, int i)
{
    return (unsigned)kind * FLX_FMU_KIND + (unsigned)i;
}
static inline int flx_fmu_kind(unsigned reference)
{
    return (int)(reference / FLX_FMU_KIND);
}
static inline int flx_fmu_number(unsigned reference)
{
    return (int)(reference % FLX_FMU_KIND);
}

// What the exporter leaves among the resources for the run-time library, line by line: a word, a blank, its value.
//     guid GUID       model PATH (in resources)       set NAME=VALUE (any number)
#define FLX_FMU_NOTE "flexion.txt"
