// master3.c - a master of FMI 3.0 co-simulation, written against the text of the standard alone: it knows nothing of Flexion,
// and shares no line with what writes FMUs. It drives an unpacked FMU, and holds it to tables of `flexion run`.
//     master3 FOLDER RUN.csv DROP.csv
// Tables: as it is; with high = 0.7.
#include "check.h"

#include <dlfcn.h>
#include <stdint.h>

typedef void *instance;
typedef enum { ok, warning, discard, error, fatal } status;
typedef void (*logger)(void *, status, const char *, const char *);

static struct {
    const char *(*GetVersion)(void);
    instance (*InstantiateCoSimulation)(const char *, const char *, const char *, bool, bool, bool,
                                        bool, const uint32_t *, size_t, void *, logger, void *);
    void (*FreeInstance)(instance);
    status (*EnterInitializationMode)(instance, bool, double, double, bool, double);
    status (*ExitInitializationMode)(instance);
    status (*EnterEventMode)(instance);
    status (*EnterStepMode)(instance);
    status (*UpdateDiscreteStates)(instance, bool *, bool *, bool *, bool *, bool *, double *);
    status (*Terminate)(instance);
    status (*Reset)(instance);
    status (*GetFloat64)(instance, const uint32_t *, size_t, double *, size_t);
    status (*SetFloat64)(instance, const uint32_t *, size_t, const double *, size_t);
    status (*GetInt32)(instance, const uint32_t *, size_t, int32_t *, size_t);
    status (*GetFMUState)(instance, void **);
    status (*SetFMUState)(instance, void *);
    status (*FreeFMUState)(instance, void **);
    status (*SerializedFMUStateSize)(instance, void *, size_t *);
    status (*SerializeFMUState)(instance, void *, uint8_t *, size_t);
    status (*DeserializeFMUState)(instance, const uint8_t *, size_t, void **);
    status (*GetDirectionalDerivative)(instance, const uint32_t *, size_t, const uint32_t *, size_t,
                                       const double *, size_t, double *, size_t);
    status (*GetAdjointDerivative)(instance, const uint32_t *, size_t, const uint32_t *, size_t,
                                   const double *, size_t, double *, size_t);
    status (*GetOutputDerivatives)(instance, const uint32_t *, size_t, const int32_t *, double *,
                                   size_t);
    status (*DoStep)(instance, double, double, bool, bool *, bool *, bool *, double *);
    status (*EnterConfigurationMode)(instance);
} fmi;

static void *library;
static char description[1 << 20], token[64], resources[4096], said[4096];
static uint32_t position, velocity, push, seen;
static char **arguments;

static int load(const char *file)
{
    library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library) printf("%s\n", dlerror());
    CHECK(library);
#define TAKE(name) CHECK((*(void **)&fmi.name = dlsym(library, "fmi3" #name)) != NULL)
    TAKE(GetVersion);
    TAKE(InstantiateCoSimulation);
    TAKE(FreeInstance);
    TAKE(EnterInitializationMode);
    TAKE(ExitInitializationMode);
    TAKE(EnterEventMode);
    TAKE(EnterStepMode);
    TAKE(UpdateDiscreteStates);
    TAKE(Terminate);
    TAKE(Reset);
    TAKE(GetFloat64);
    TAKE(SetFloat64);
    TAKE(GetInt32);
    TAKE(GetFMUState);
    TAKE(SetFMUState);
    TAKE(FreeFMUState);
    TAKE(SerializedFMUStateSize);
    TAKE(SerializeFMUState);
    TAKE(DeserializeFMUState);
    TAKE(GetDirectionalDerivative);
    TAKE(GetAdjointDerivative);
    TAKE(GetOutputDerivatives);
    TAKE(DoStep);
    TAKE(EnterConfigurationMode);
    CHECK(!dlsym(library, "flx_run_create")); // nothing else is seen
    return 0;
}

static void attribute(const char *from, const char *name, char *to, size_t room)
{
    char key[64];
    snprintf(key, sizeof key, " %s=\"", name);
    const char *at = from ? strstr(from, key) : NULL;
    size_t n = 0;
    for (at = at ? at + strlen(key) : ""; *at && *at != '"' && n + 1 < room; at++) to[n++] = *at;
    to[n] = 0;
}

static uint32_t reference(const char *name)
{
    char key[128], number[32];
    snprintf(key, sizeof key, "<Float64 name=\"%s\"", name);
    attribute(strstr(description, key), "valueReference", number, sizeof number);
    return *number ? (uint32_t)strtoul(number, NULL, 10) : 99999999;
}

static int open_fmu(const char *folder)
{
    char path[5000], id[100];
    snprintf(path, sizeof path, "%s/modelDescription.xml", folder);
    FILE *f = fopen(path, "rb");
    CHECK(f);
    description[fread(description, 1, sizeof description - 1, f)] = 0;
    fclose(f);
    attribute(description, "instantiationToken", token, sizeof token);
    attribute(strstr(description, "<CoSimulation"), "modelIdentifier", id, sizeof id);
    snprintf(resources, sizeof resources, "%s/resources/", folder); // a path, with its stroke
    snprintf(path, sizeof path, "%s/binaries/x86_64-linux/%s.so", folder, id);
    return load(path);
}

static void write_log(void *environment, status s, const char *category, const char *message)
{
    (void)environment, (void)s, (void)category;
    snprintf(said, sizeof said, "%s", message);
}

static instance make(bool events, bool early)
{
    return fmi.InstantiateCoSimulation("one", token, resources, false, false, events, early, NULL,
                                       0, NULL, write_log, NULL);
}

static int start(instance c)
{
    CHECK(fmi.EnterInitializationMode(c, false, 0, 0, true, 1.0) == ok);
    CHECK(fmi.ExitInitializationMode(c) == ok);
    return 0;
}

#define ROWS 21
#define COLUMNS 5
#define STEP 0.05

static int read_table(const char *path, double rows[ROWS][COLUMNS])
{
    static char text[1 << 16];
    FILE *f = fopen(path, "rb");
    CHECK(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    char *at = strchr(text, '\n');
    for (int i = 0; i < ROWS;) {
        CHECK(at);
        double t = strtod(at + 1, &at), row[COLUMNS];
        for (int k = 0; k < COLUMNS; k++) {
            CHECK(*at == ',');
            row[k] = strtod(at + 1, &at);
        }
        if (fabs(t - i * STEP) < 1e-9) memcpy(rows[i++], row, sizeof row); // others are of events
    }
    return 0;
}

// Vectors in one call, with a number between them.
static int compare(instance c, const double expected[COLUMNS], double tolerance)
{
    const uint32_t vr[] = {position, velocity, seen};
    double y[COLUMNS];
    CHECK(fmi.GetFloat64(c, vr, 3, y, COLUMNS) == ok);
    for (int k = 0; k < COLUMNS; k++) CHECK_NEAR(y[k], expected[k], tolerance);
    return 0;
}

static status step(instance c, double t, double h, bool *event, bool *early, double *reached)
{
    bool ends;
    status s = fmi.DoStep(c, t, h, true, event, &ends, early, reached);
    return ends ? discard : s;
}

// ---- claims ---------------------------------------------------------------------------------------------

static int says_what_it_is(void)
{
    CHECK(strcmp(fmi.GetVersion(), "3.0") == 0);
    CHECK_TEXT(description, "<Dimension start=\"2\"/>");
    position = reference("ball.position");
    velocity = reference("ball.velocity");
    push = reference("push");
    seen = reference("output.push");
    return 0;
}

static int equals_a_run(void)
{
    double rows[ROWS][COLUMNS], high = 0.7, t;
    uint32_t p = reference("high");
    bool event, early;
    for (int k = 0; k < 2; k++) {
        CHECK(read_table(arguments[2 + k], rows) == 0);
        instance c = make(false, false);
        if (!c) printf("%s\n", said);
        CHECK(c);
        if (k) CHECK(fmi.SetFloat64(c, &p, 1, &high, 1) == ok);
        CHECK(start(c) == 0);
        for (int i = 0; i < ROWS; i++) {
            CHECK(compare(c, rows[i], 1e-8) == 0);
            if (i == ROWS - 1) break;
            CHECK(step(c, i * STEP, STEP, &event, &early, &t) == ok);
            CHECK(!early && !event);
            CHECK_NEAR(t, (i + 1) * STEP, 1e-15);
        }
        CHECK(fmi.Terminate(c) == ok);
        fmi.FreeInstance(c);
    }
    return 0;
}

// The step ends where the ball meets the floor: at sqrt(2 high / g), and there it has turned round.
static int returns_at_events(void)
{
    bool event, early, flags[5];
    double t, next, y[2];
    instance c = make(true, true);
    CHECK(c && start(c) == 0);
    CHECK(fmi.DoStep(c, 0, 1, true, &event, flags, &early, &t) == error); // event mode comes first
    CHECK(fmi.UpdateDiscreteStates(c, flags, flags + 1, flags + 2, flags + 3, flags + 4, &next) ==
          ok);
    CHECK(!flags[0] && !flags[1]);
    CHECK(fmi.EnterStepMode(c) == ok);
    CHECK(step(c, 0, 1, &event, &early, &t) == ok);
    CHECK(event && early);
    CHECK_NEAR(t, sqrt(2 * 0.5 / 9.81), 1e-9);
    CHECK(fmi.GetFloat64(c, &velocity, 1, y, 2) == ok);
    CHECK_NEAR(y[1], 0.8 * sqrt(2 * 0.5 * 9.81), 1e-8);
    CHECK(fmi.EnterEventMode(c) == ok && fmi.EnterStepMode(c) == ok);
    double from = t;
    CHECK(step(c, from, 1 - from, &event, &early, &t) == ok && early);
    CHECK_NEAR(t, from + 2 * 0.8 * sqrt(2 * 0.5 * 9.81) / 9.81, 1e-9);
    fmi.FreeInstance(c);
    return 0;
}

static int saves_and_restores(void)
{
    instance c = make(false, false), other = make(false, false);
    void *state = NULL, *copy = NULL;
    double after[COLUMNS], t, u = 1.5;
    const uint32_t vr[] = {position, velocity, seen};
    bool event, early;
    size_t size;
    CHECK(c && other && start(c) == 0);
    CHECK(fmi.SetFloat64(c, &push, 1, &u, 1) == ok);
    CHECK(step(c, 0, 0.3, &event, &early, &t) == ok);
    CHECK(fmi.GetFMUState(c, &state) == ok);
    CHECK(step(c, 0.3, 0.4, &event, &early, &t) == ok);
    CHECK(fmi.GetFloat64(c, vr, 3, after, COLUMNS) == ok);
    CHECK(fmi.SetFMUState(c, state) == ok && step(c, 0.3, 0.4, &event, &early, &t) == ok);
    CHECK(compare(c, after, 0) == 0);
    CHECK(fmi.SerializedFMUStateSize(c, state, &size) == ok);
    uint8_t *bytes = malloc(size);
    CHECK(fmi.SerializeFMUState(c, state, bytes, size) == ok);
    CHECK(fmi.DeserializeFMUState(other, bytes, size, &copy) == ok);
    CHECK(fmi.SetFMUState(other, copy) == ok && step(other, 0.3, 0.4, &event, &early, &t) == ok);
    CHECK(compare(other, after, 0) == 0);
    bytes[0] ^= 1;
    CHECK(fmi.FreeFMUState(other, &copy) == ok);
    CHECK(fmi.DeserializeFMUState(other, bytes, size, &copy) == error);
    free(bytes);
    CHECK(fmi.FreeFMUState(c, &state) == ok && !state);
    fmi.FreeInstance(c);
    fmi.FreeInstance(other);
    return 0;
}

static int derives(void)
{
    const uint32_t vr[] = {position, seen};
    double seed = 2.0, out[3], weights[3] = {1, 1, 3}, back;
    instance c = make(false, false);
    CHECK(c && start(c) == 0);
    CHECK(fmi.GetDirectionalDerivative(c, vr, 2, &push, 1, &seed, 1, out, 3) == ok);
    CHECK_NEAR(out[0], 0, 1e-9); // places do not follow at once
    CHECK_NEAR(out[2], 2, 1e-9);
    CHECK(fmi.GetAdjointDerivative(c, vr, 2, &push, 1, weights, 3, &back, 1) == ok);
    CHECK_NEAR(back, 3, 1e-9);
    CHECK(fmi.GetDirectionalDerivative(c, vr, 2, &push, 1, &seed, 1, out, 2) == error);
    fmi.FreeInstance(c);
    return 0;
}

// Of places the velocities, of velocities the acceleration of the fall.
static int gives_rates(void)
{
    const uint32_t vr[] = {position, velocity};
    const int32_t first[] = {1, 1}, second[] = {1, 2};
    double rate[4], v[2], t;
    bool event, early;
    CHECK(strstr(description, "maxOutputDerivativeOrder=\"1\""));
    instance c = make(false, false);
    CHECK(c && start(c) == 0);
    CHECK(step(c, 0, STEP, &event, &early, &t) == ok);
    CHECK(fmi.GetOutputDerivatives(c, vr, 2, first, rate, 4) == ok);
    CHECK(fmi.GetFloat64(c, &velocity, 1, v, 2) == ok);
    CHECK_NEAR(rate[0], v[0], 1e-9);
    CHECK_NEAR(rate[1], v[1], 1e-9);
    CHECK_NEAR(rate[2], 0.3 / 0.2, 1e-8);
    CHECK_NEAR(rate[3], -9.81, 1e-8);
    CHECK(fmi.GetOutputDerivatives(c, vr, 2, first, rate, 3) == error);
    CHECK(fmi.GetOutputDerivatives(c, vr, 2, second, rate, 4) == error);
    CHECK_TEXT(said, "order 1");
    fmi.FreeInstance(c);
    return 0;
}

static int refuses(void)
{
    double y[3], t;
    unsigned near = 12345;
    int32_t whole;
    bool event, early, ends;
    CHECK(!fmi.InstantiateCoSimulation("one", "{other}", resources, false, false, false, false,
                                       NULL, 0, NULL, write_log, NULL));
    CHECK_TEXT(said, "GUID");
    instance c = make(false, false);
    CHECK(c);
    CHECK(fmi.DoStep(c, 0, STEP, true, &event, &ends, &early, &t) == error);
    CHECK(start(c) == 0);
    CHECK(fmi.GetFloat64(c, &position, 1, y, 1) == error); // two numbers
    CHECK(fmi.GetFloat64(c, &position, 1, y, 3) == error);
    CHECK(fmi.GetFloat64(c, &near, 1, y, 1) == error);
    CHECK(fmi.GetInt32(c, &position, 1, &whole, 1) == error);
    CHECK(fmi.EnterEventMode(c) == error); // the master has none
    CHECK(fmi.EnterConfigurationMode(c) == error);
    CHECK(fmi.DoStep(c, 0, STEP, true, &event, &ends, &early, &t) == ok);
    fmi.FreeInstance(c);
    return 0;
}

int main(int argc, char **argv)
{
    static const test_entry tests[] = {
        TEST(says_what_it_is),   TEST(equals_a_run),
        TEST(returns_at_events), TEST(saves_and_restores),
        TEST(derives),           TEST(gives_rates),
        TEST(refuses),
    };
    if (argc != 4) return 2;
    arguments = argv;
    if (open_fmu(argv[1])) return 1;
    int failed = 0;
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        int bad = tests[i].run();
        if (bad) printf("%s: failed; last message: %s\n", tests[i].name, said);
        failed += bad;
    }
    dlclose(library);
    return failed > 0;
}
