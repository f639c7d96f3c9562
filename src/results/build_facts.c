// build_facts.c - what this build is made of and where it runs: for `flexion info` and for every result
// file, since bits are promised for one binary on one type of processor.
#include "base/common.h"
#include "base/number.h"
#include "flexion/extend/sink_table.h"

#include <amd.h>
#include <cblas.h>
#include <klu.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <yaml.h>
#ifdef FLX_HDF5
#include <hdf5.h>
#endif

#define TEXT(x) TEXT_(x)
#define TEXT_(x) #x

static const char *compiler(char *out, size_t size)
{
#if defined(__clang__)
    flx_snprintf(out, size, "clang %s", TEXT(__clang_major__) "." TEXT(__clang_minor__));
#elif defined(__GNUC__)
    flx_snprintf(out, size, "gcc %s", __VERSION__);
#else
    flx_snprintf(out, size, "unknown");
#endif
    return out;
}

static const char *build_kind(char *out, size_t size)
{
    const char *optimised = "no optimisation", *sanitized = "", *debug = "";
#if defined(__OPTIMIZE__)
    optimised = "optimised";
#endif
#if defined(__SANITIZE_ADDRESS__)
    sanitized = ", address sanitizer";
#endif
#if defined(FLX_DEBUG)
    debug = ", assertions";
#endif
    flx_snprintf(out, size, "%s%s%s", optimised, debug, sanitized);
    return out;
}

static const char *yaml(char *out, size_t size)
{
    flx_snprintf(out, size, "%s", yaml_get_version_string());
    return out;
}

static const char *hdf5(char *out, size_t size)
{
#ifdef FLX_HDF5
    unsigned major = 0, minor = 0, release = 0;
    H5get_libversion(&major, &minor, &release);
    flx_snprintf(out, size, "%u.%u.%u", major, minor, release);
#else
    flx_snprintf(out, size, "not in this build");
#endif
    return out;
}

static const char *openblas(char *out, size_t size)
{
    flx_snprintf(out, size, "%s", openblas_get_config());
    return out;
}

static const char *suitesparse(char *out, size_t size)
{
    char klu[64] = "LU of our own";
#ifdef FLX_KLU
    flx_snprintf(klu, sizeof klu, "KLU %d.%d.%d", KLU_MAIN_VERSION, KLU_SUB_VERSION,
                 KLU_SUBSUB_VERSION);
#endif
    flx_snprintf(out, size, "AMD %d.%d.%d, %s", AMD_MAIN_VERSION, AMD_SUB_VERSION,
                 AMD_SUBSUB_VERSION, klu);
    return out;
}

static const char *sundials(char *out, size_t size)
{
#if defined(FLX_SUNDIALS_VERSION)
    flx_snprintf(out, size, "%s", FLX_SUNDIALS_VERSION);
#else
    flx_snprintf(out, size, "not in this build");
#endif
    return out;
}

static const char *processor(char *out, size_t size)
{
    char line[256];
    flx_snprintf(out, size, "unknown");
    FILE *f = fopen("/proc/cpuinfo", "r");
    if (!f) return out;
    while (fgets(line, (int)sizeof line, f)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon) continue;
        colon[strcspn(colon, "\n")] = '\0';
        flx_snprintf(out, size, "%s", colon + 1 + strspn(colon + 1, " \t"));
        break;
    }
    fclose(f);
    return out;
}

static const char *machine(char *out, size_t size)
{
    struct utsname u;
    flx_snprintf(out, size, "unknown");
    if (uname(&u) >= 0) flx_snprintf(out, size, "%s %s %s", u.sysname, u.release, u.machine);
    return out;
}

static const char *version(char *out, size_t size)
{
    flx_snprintf(out, size, "%s", flx_version());
    return out;
}

static const struct fact {
    const char *name;
    const char *(*value)(char *out, size_t size);
} facts[] = {
    {"flexion", version},
    {"compiler", compiler},
    {"build", build_kind},
    {"libyaml", yaml},
    {"HDF5", hdf5},
    {"OpenBLAS", openblas},
    {"SuiteSparse", suitesparse},
    {"SUNDIALS", sundials},
    {"processor", processor},
    {"system", machine},
};
#define N_FACTS ((int)(sizeof facts / sizeof facts[0]))

const char *flx_build_fact(int i, const char **value)
{
    static _Thread_local char texts[N_FACTS][256]; // runs of several threads write results
    if (i < 0 || i >= N_FACTS) return NULL;
    const char *text = facts[i].value(texts[i], sizeof texts[i]);
    if (value) *value = text;
    return facts[i].name;
}
