// decay.c - an FMU of FMI 2.0 for model exchange, written by hand against the standard: x' = u - rate*x, where the rate is 4 below 0.7 and 1 above;
// every 0.25 s x jumps by 0.5.
#include <stdlib.h>
#include <string.h>

typedef void *C;
typedef unsigned VR;
typedef const char *S;
typedef struct decay {
    double t, x, u, rate, next;
    int mode, events; // mode 0: well; 1: fails from 0.4 s on; 2: crashes then; 3: ends the simulation at the first jump
    void (*log)(void *, S, int, S, S, ...);
    void *environment;
} decay;
typedef struct callbacks {
    void (*log)(void *, S, int, S, S, ...);
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void *finished, *environment;
} callbacks;
typedef struct event_info {
    int again, ends, nominals, values, timed;
    double next;
} event_info;

S fmi2GetTypesPlatform(void) { return "default"; }
S fmi2GetVersion(void) { return "2.0"; }
int fmi2SetDebugLogging(C c, int on, size_t n, const S x[]) { return (void)c, (void)on, (void)n, (void)x, 0; }
C fmi2Instantiate(S name, int type, S guid, S resources, const callbacks *calls, int visible, int logging)
{
    (void)name, (void)resources, (void)visible, (void)logging;
    if (type != 0 || strcmp(guid, "{decay}") != 0) return NULL;
    decay *f = calloc(1, sizeof *f);
    f->x = 1;
    f->rate = 1;
    f->next = 0.25;
    f->log = calls->log;
    f->environment = calls->environment;
    return f;
}
void fmi2FreeInstance(C c) { free(c); }
int fmi2SetupExperiment(C c, int d, double r, double start, int s, double stop)
{
    ((decay *)c)->t = start;
    return (void)d, (void)r, (void)s, (void)stop, 0;
}
int fmi2EnterInitializationMode(C c) { return (void)c, 0; }
int fmi2ExitInitializationMode(C c) { return (void)c, 0; }
int fmi2Terminate(C c) { return (void)c, 0; }
int fmi2Reset(C c) { return (void)c, 3; }
static int fails(decay *f)
{
    if (f->t < 0.4 || f->mode == 0 || f->mode == 3) return 0;
    if (f->mode == 2) abort();
    f->log(f->environment, "decay", 3, "", "the valve is stuck");
    return 3;
}
// 0: u, 1: x, 2: x', 3: y = 2 x + u, 4: mode
int fmi2GetReal(C c, const VR r[], size_t n, double v[])
{
    decay *f = c;
    for (size_t i = 0; i < n; i++)
        v[i] = r[i] == 0 ? f->u : r[i] == 1 ? f->x : r[i] == 2 ? f->u - f->rate * f->x : 2 * f->x + f->u;
    return fails(f);
}
int fmi2SetReal(C c, const VR r[], size_t n, const double v[])
{
    for (size_t i = 0; i < n; i++) *(r[i] == 0 ? &((decay *)c)->u : &((decay *)c)->x) = v[i];
    return 0;
}
int fmi2SetInteger(C c, const VR r[], size_t n, const int v[])
{
    for (size_t i = 0; i < n; i++) ((decay *)c)->mode = v[i];
    return (void)r, 0;
}
int fmi2EnterEventMode(C c) { return (void)c, 0; }
int fmi2NewDiscreteStates(C c, event_info *info)
{
    decay *f = c;
    memset(info, 0, sizeof *info);
    if (f->t >= f->next) {
        f->x += 0.5;
        f->next += 0.25;
        info->values = 1;
        info->ends = f->mode == 3;
    }
    f->rate = f->x < 0.7 ? 4 : 1;
    info->timed = 1;
    info->next = f->next;
    return 0;
}
int fmi2EnterContinuousTimeMode(C c) { return (void)c, 0; }
int fmi2CompletedIntegratorStep(C c, int no, int *event, int *ends) { return (void)c, (void)no, *event = *ends = 0; }
int fmi2SetTime(C c, double t) { return ((decay *)c)->t = t, 0; }
int fmi2SetContinuousStates(C c, const double x[], size_t n) { return (void)n, ((decay *)c)->x = x[0], 0; }
int fmi2GetDerivatives(C c, double dx[], size_t n)
{
    decay *f = c;
    dx[0] = f->u - f->rate * f->x;
    return (void)n, fails(f);
}
int fmi2GetEventIndicators(C c, double z[], size_t n) { return (void)n, z[0] = ((decay *)c)->x - 0.7, 0; }
int fmi2GetContinuousStates(C c, double x[], size_t n) { return (void)n, x[0] = ((decay *)c)->x, 0; }
int fmi2GetNominalsOfContinuousStates(C c, double x[], size_t n) { return (void)c, (void)n, x[0] = 1, 0; }
#define NOT(name, arguments) int name arguments { return 3; }
NOT(fmi2GetInteger, (C c, const VR r[], size_t n, int v[]))
NOT(fmi2GetBoolean, (C c, const VR r[], size_t n, int v[]))
NOT(fmi2GetString, (C c, const VR r[], size_t n, S v[]))
NOT(fmi2SetBoolean, (C c, const VR r[], size_t n, const int v[]))
NOT(fmi2SetString, (C c, const VR r[], size_t n, const S v[]))
int fmi2GetFMUstate(C c, void **s)
{
    if (!*s) *s = malloc(sizeof(decay));
    memcpy(*s, c, sizeof(decay));
    return 0;
}
int fmi2FreeFMUstate(C c, void **s) { return (void)c, free(*s), *s = NULL, 0; }
int fmi2SetFMUstate(C c, void *s)
{
    decay *f = c, own = *f;
    memcpy(f, s, sizeof *f);
    f->log = own.log;
    f->environment = own.environment;
    return 0;
}
int fmi2SerializedFMUstateSize(C c, void *s, size_t *n) { return (void)c, (void)s, *n = sizeof(decay), 0; }
int fmi2SerializeFMUstate(C c, void *s, char b[], size_t n) { return (void)c, memcpy(b, s, n), 0; }
int fmi2DeSerializeFMUstate(C c, const char b[], size_t n, void **s)
{
    (void)c, *s = malloc(n);
    return memcpy(*s, b, n), 0;
}
NOT(fmi2GetDirectionalDerivative, (C c, const VR a[], size_t n, const VR b[], size_t m, const double d[], double e[]))
