// tiny.c - an FMU of FMI 2.0 for co-simulation, written by hand against the standard: y = gain*u at the end of each step, ends as `mode` says.
#include <stdlib.h>
#include <string.h>

typedef void *C;
typedef unsigned VR;
typedef const char *S;
typedef struct tiny {
    double u, y, gain;
    int mode; // 0: well; 1: fails after 0.1 s; 2: crashes then; 3: gives no number then; 4: ends then
    double t;
    void (*log)(void *, S, int, S, S, ...);
    void *environment;
} tiny;
typedef struct callbacks {
    void (*log)(void *, S, int, S, S, ...);
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void *finished, *environment;
} callbacks;

S fmi2GetTypesPlatform(void) { return "default"; }
S fmi2GetVersion(void) { return "2.0"; }
int fmi2SetDebugLogging(C c, int on, size_t n, const S x[]) { return (void)c, (void)on, (void)n, (void)x, 0; }
C fmi2Instantiate(S name, int type, S guid, S resources, const callbacks *calls, int visible, int logging)
{
    (void)name, (void)resources, (void)visible, (void)logging;
    if (type != 1 || strcmp(guid, "{tiny}") != 0) return NULL;
    tiny *f = calloc(1, sizeof *f);
    f->gain = 1;
    f->log = calls->log;
    f->environment = calls->environment;
    return f;
}
void fmi2FreeInstance(C c) { free(c); }
int fmi2SetupExperiment(C c, int d, double r, double start, int s, double stop)
{
    ((tiny *)c)->t = start;
    return (void)d, (void)r, (void)s, (void)stop, 0;
}
int fmi2EnterInitializationMode(C c) { return (void)c, 0; }
int fmi2ExitInitializationMode(C c)
{
    tiny *f = c;
    f->y = f->gain * f->u;
    return 0;
}
int fmi2Terminate(C c) { return (void)c, 0; }
int fmi2Reset(C c) { return (void)c, 3; }
int fmi2GetReal(C c, const VR r[], size_t n, double v[])
{
    for (size_t i = 0; i < n; i++) v[i] = r[i] == 1 ? ((tiny *)c)->y : ((tiny *)c)->u;
    return 0;
}
int fmi2SetReal(C c, const VR r[], size_t n, const double v[])
{
    for (size_t i = 0; i < n; i++) *(r[i] == 0 ? &((tiny *)c)->u : &((tiny *)c)->gain) = v[i];
    return 0;
}
int fmi2SetInteger(C c, const VR r[], size_t n, const int v[])
{
    for (size_t i = 0; i < n; i++) ((tiny *)c)->mode = v[i];
    return (void)r, 0;
}
int fmi2GetInteger(C c, const VR r[], size_t n, int v[]) { return (void)c, (void)r, (void)n, (void)v, 3; }
int fmi2GetBoolean(C c, const VR r[], size_t n, int v[]) { return (void)c, (void)r, (void)n, (void)v, 3; }
int fmi2SetBoolean(C c, const VR r[], size_t n, const int v[]) { return (void)c, (void)r, (void)n, (void)v, 3; }
int fmi2GetString(C c, const VR r[], size_t n, S v[]) { return (void)c, (void)r, (void)n, (void)v, 3; }
int fmi2SetString(C c, const VR r[], size_t n, const S v[]) { return (void)c, (void)r, (void)n, (void)v, 3; }
int fmi2GetFMUstate(C c, void **s) { return (void)c, (void)s, 3; }
int fmi2SetFMUstate(C c, void *s) { return (void)c, (void)s, 3; }
int fmi2FreeFMUstate(C c, void **s) { return (void)c, (void)s, 3; }
int fmi2SerializedFMUstateSize(C c, void *s, size_t *n) { return (void)c, (void)s, (void)n, 3; }
int fmi2SerializeFMUstate(C c, void *s, char b[], size_t n) { return (void)c, (void)s, (void)b, (void)n, 3; }
int fmi2DeSerializeFMUstate(C c, const char b[], size_t n, void **s) { return (void)c, (void)s, (void)b, (void)n, 3; }
int fmi2GetDirectionalDerivative(C c, const VR a[], size_t n, const VR b[], size_t m, const double s[], double v[])
{
    return (void)c, (void)a, (void)n, (void)b, (void)m, (void)s, (void)v, 3;
}
int fmi2SetRealInputDerivatives(C c, const VR r[], size_t n, const int o[], const double v[])
{
    return (void)c, (void)r, (void)n, (void)o, (void)v, 3;
}
int fmi2GetRealOutputDerivatives(C c, const VR r[], size_t n, const int o[], double v[])
{
    return (void)c, (void)r, (void)n, (void)o, (void)v, 3;
}
int fmi2DoStep(C c, double t, double h, int kept)
{
    tiny *f = c;
    (void)kept;
    if (t != f->t) {
        f->log(f->environment, "tiny", 3, "logStatusError", "the step begins at %g, not at %g", t, f->t);
        return 3;
    }
    f->t = t + h;
    f->y = f->gain * f->u;
    if (f->t < 0.1 || f->mode == 0) return 0;
    if (f->mode == 1) {
        f->log(f->environment, "tiny", 3, "logStatusError", "valve %d is stuck", 7);
        return 3;
    }
    if (f->mode == 2) abort();
    if (f->mode == 3) f->y = f->gain / (f->u - f->u);
    return f->mode == 4 ? 2 : 0;
}
int fmi2CancelStep(C c) { return (void)c, 3; }
int fmi2GetStatus(C c, int k, int *v) { return (void)c, (void)k, (void)v, 2; }
int fmi2GetRealStatus(C c, int k, double *v) { return (void)k, *v = ((tiny *)c)->t, 0; }
int fmi2GetIntegerStatus(C c, int k, int *v) { return (void)c, (void)k, (void)v, 2; }
int fmi2GetBooleanStatus(C c, int k, int *v) { return (void)c, (void)k, *v = 1, 0; }
int fmi2GetStringStatus(C c, int k, S *v) { return (void)c, (void)k, (void)v, 2; }
