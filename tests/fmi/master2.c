// master2.c - a master of FMI 2.0 co-simulation, written against the text of the standard alone: it knows nothing of Flexion,
// and shares no line with what writes FMUs. It drives an unpacked FMU, and holds it to tables of `flexion run`.
//     master2 FOLDER RUN.csv WIND.csv LENGTH.csv COUNT.csv LOADS
// Tables: as it is; with the input wind along a straight line of slope 1; with L = 0.7; with n = 3.
#include "check.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>

// ---- FMI 2.0: types and the functions that are used here ----------------------------------------------

typedef void *component;
typedef enum { ok, warning, discard, error, fatal, pending } status;
typedef struct {
    void (*logger)(void *, const char *, status, const char *, const char *, ...);
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*finished)(void *, status);
    void *environment;
} callbacks;

static struct {
    const char *(*GetTypesPlatform)(void);
    const char *(*GetVersion)(void);
    component (*Instantiate)(const char *, int, const char *, const char *, const callbacks *, int,
                             int);
    void (*FreeInstance)(component);
    status (*SetupExperiment)(component, int, double, double, int, double);
    status (*EnterInitializationMode)(component);
    status (*ExitInitializationMode)(component);
    status (*Terminate)(component);
    status (*Reset)(component);
    status (*GetReal)(component, const unsigned *, size_t, double *);
    status (*SetReal)(component, const unsigned *, size_t, const double *);
    status (*SetInteger)(component, const unsigned *, size_t, const int *);
    status (*GetFMUstate)(component, void **);
    status (*SetFMUstate)(component, void *);
    status (*FreeFMUstate)(component, void **);
    status (*SerializedFMUstateSize)(component, void *, size_t *);
    status (*SerializeFMUstate)(component, void *, char *, size_t);
    status (*DeSerializeFMUstate)(component, const char *, size_t, void **);
    status (*GetDirectionalDerivative)(component, const unsigned *, size_t, const unsigned *,
                                       size_t, const double *, double *);
    status (*SetRealInputDerivatives)(component, const unsigned *, size_t, const int *,
                                      const double *);
    status (*GetRealOutputDerivatives)(component, const unsigned *, size_t, const int *, double *);
    status (*DoStep)(component, double, double, int);
    status (*GetRealStatus)(component, int, double *);
    status (*GetBooleanStatus)(component, int, int *);
} fmi;

static void *library;
static const char *folder;
static char description[1 << 20], guid[64], file[4096];
static char said[4096]; // the last message

static void *find(const char *name)
{
    char full[100];
    snprintf(full, sizeof full, "fmi2%s", name);
    return dlsym(library, full);
}

static int load(void)
{
    library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library) printf("%s\n", dlerror());
    CHECK(library);
#define TAKE(name) CHECK((*(void **)&fmi.name = find(#name)) != NULL)
    TAKE(GetTypesPlatform);
    TAKE(GetVersion);
    TAKE(Instantiate);
    TAKE(FreeInstance);
    TAKE(SetupExperiment);
    TAKE(EnterInitializationMode);
    TAKE(ExitInitializationMode);
    TAKE(Terminate);
    TAKE(Reset);
    TAKE(GetReal);
    TAKE(SetReal);
    TAKE(SetInteger);
    TAKE(GetFMUstate);
    TAKE(SetFMUstate);
    TAKE(FreeFMUstate);
    TAKE(SerializedFMUstateSize);
    TAKE(SerializeFMUstate);
    TAKE(DeSerializeFMUstate);
    TAKE(GetDirectionalDerivative);
    TAKE(SetRealInputDerivatives);
    TAKE(GetRealOutputDerivatives);
    TAKE(DoStep);
    TAKE(GetRealStatus);
    TAKE(GetBooleanStatus);
    return 0;
}

// ---- what the description says ---------------------------------------------------------------------------

static int read_text(const char *path, char *to, size_t room)
{
    FILE *f = fopen(path, "rb");
    CHECK(f);
    size_t n = fread(to, 1, room - 1, f);
    to[n] = 0;
    fclose(f);
    return 0;
}

// The value of an attribute in the text from `from` on.
static void attribute(const char *from, const char *name, char *to, size_t room)
{
    char key[64];
    snprintf(key, sizeof key, " %s=\"", name);
    const char *at = strstr(from, key);
    size_t n = 0;
    to[0] = 0;
    if (!at) return;
    for (at += strlen(key); *at && *at != '"' && n + 1 < room; at++) to[n++] = *at;
    to[n] = 0;
}

static unsigned reference(const char *name)
{
    char key[128], number[32];
    snprintf(key, sizeof key, "<ScalarVariable name=\"%s\"", name);
    const char *at = strstr(description, key);
    if (!at) {
        printf("no variable %s\n", name);
        return 99999999;
    }
    attribute(at, "valueReference", number, sizeof number);
    return (unsigned)strtoul(number, NULL, 10);
}

static double start_of(const char *name)
{
    char key[128], number[32];
    snprintf(key, sizeof key, "<ScalarVariable name=\"%s\"", name);
    const char *at = strstr(description, key);
    attribute(at ? at : "", "start", number, sizeof number);
    return strtod(number, NULL);
}

static int open_fmu(void)
{
    char path[4096], id[100];
    snprintf(path, sizeof path, "%s/modelDescription.xml", folder);
    CHECK(read_text(path, description, sizeof description) == 0);
    attribute(description, "guid", guid, sizeof guid);
    attribute(strstr(description, "<CoSimulation"), "modelIdentifier", id, sizeof id);
    snprintf(file, sizeof file, "%s/binaries/linux64/%s.so", folder, id);
    return load();
}

// ---- instances -----------------------------------------------------------------------------------------

static void write_log(void *environment, const char *name, status s, const char *category,
                      const char *message, ...)
{
    va_list args;
    (void)environment, (void)name, (void)s, (void)category;
    va_start(args, message);
    vsnprintf(said, sizeof said, message, args);
    va_end(args);
}

static const callbacks calls = {write_log, NULL, NULL, NULL, NULL}; // memory functions may be NULL

// The folder of resources as a URI: style 0 file:///a%20b, 1 file:/a b, 2 file:///a b.
static component instance_of(const char *with, int style)
{
    char uri[3 * 4096], *to = uri + sprintf(uri, style == 1 ? "file:" : "file://");
    for (const char *c = folder; *c; c++) {
        if (style == 0 && *c == ' ') {
            to += sprintf(to, "%%20");
        } else {
            *to++ = *c;
        }
    }
    sprintf(to, "/resources");
    return fmi.Instantiate("one", 1, with, uri, &calls, 0, 0);
}

static int start(component c)
{
    CHECK(fmi.SetupExperiment(c, 0, 0, 0, 1, 1.0) == ok);
    CHECK(fmi.EnterInitializationMode(c) == ok);
    CHECK(fmi.ExitInitializationMode(c) == ok);
    return 0;
}

#define ROWS 21
#define COLUMNS 5
#define STEP 0.05
static const char *const outputs[COLUMNS] = {"rail.displacement", "hinge.angle",
                                             "track(1).displacement", "output.wind",
                                             "cart.acceleration.x"};
static unsigned out[COLUMNS], wind;

static int read_table(const char *path, double rows[ROWS][COLUMNS])
{
    static char text[1 << 16];
    CHECK(read_text(path, text, sizeof text) == 0);
    char *at = strchr(text, '\n');
    for (int i = 0; i < ROWS; i++) {
        CHECK(at);
        strtod(at + 1, &at); // the time
        for (int k = 0; k < COLUMNS; k++) {
            CHECK(*at == ',');
            rows[i][k] = strtod(at + 1, &at);
        }
    }
    return 0;
}

static int compare(component c, const double expected[COLUMNS], double tolerance)
{
    double y[COLUMNS];
    CHECK(fmi.GetReal(c, out, COLUMNS, y) == ok);
    for (int k = 0; k < COLUMNS; k++) CHECK_NEAR(y[k], expected[k], tolerance);
    return 0;
}

// ---- claims ---------------------------------------------------------------------------------------------

static char **arguments;

static int says_what_it_is(void)
{
    CHECK(strcmp(fmi.GetVersion(), "2.0") == 0);
    CHECK(strcmp(fmi.GetTypesPlatform(), "default") == 0);
    CHECK_NEAR(start_of("L"), 0.6, 0);
    CHECK_NEAR(start_of("n"), 2, 0);
    CHECK_NEAR(start_of("stiff(2)"), 1200, 0);
    CHECK(!strstr(description, "name=\"half\"")); // it follows from L
    CHECK_TEXT(description, "modelName=\"Cart &amp; pole &quot;with&quot; weights\"");
    for (int k = 0; k < COLUMNS; k++) out[k] = reference(outputs[k]);
    wind = reference("wind");
    return 0;
}

static int equals_a_run(void)
{
    double rows[ROWS][COLUMNS];
    CHECK(read_table(arguments[2], rows) == 0);
    for (int style = 0; style < 3; style++) {
        component c = instance_of(guid, style);
        if (!c) printf("%s\n", said);
        CHECK(c);
        CHECK(start(c) == 0);
        for (int i = 0; i < (style ? 3 : ROWS); i++) {
            CHECK(compare(c, rows[i], 1e-8) == 0);
            if (i < ROWS - 1) CHECK(fmi.DoStep(c, i * STEP, STEP, 1) == ok);
        }
        CHECK(fmi.Terminate(c) == ok);
        fmi.FreeInstance(c);
    }
    return 0;
}

// Slopes of inputs: a straight line, not stairs.
static int follows_inputs(void)
{
    double rows[ROWS][COLUMNS];
    const double slope = 1.0;
    const int order = 1;
    CHECK(read_table(arguments[3], rows) == 0);
    component c = instance_of(guid, 0);
    CHECK(c && start(c) == 0);
    for (int i = 0; i < ROWS; i++) {
        double u = i * STEP;
        CHECK(fmi.SetReal(c, &wind, 1, &u) == ok);
        CHECK(compare(c, rows[i], 1e-8) == 0);
        CHECK(fmi.SetRealInputDerivatives(c, &wind, 1, &order, &slope) == ok);
        if (i < ROWS - 1) CHECK(fmi.DoStep(c, i * STEP, STEP, 0) == ok);
    }
    fmi.FreeInstance(c);
    return 0;
}

static int takes_parameters(void)
{
    static const char *const names[] = {"L", "n"};
    const double values[] = {0.7, 3};
    for (int k = 0; k < 2; k++) {
        double rows[ROWS][COLUMNS];
        unsigned p = reference(names[k]);
        CHECK(read_table(arguments[4 + k], rows) == 0);
        component c = instance_of(guid, 0);
        CHECK(c);
        CHECK(fmi.SetReal(c, &p, 1, values + k) == ok);
        CHECK(start(c) == 0);
        for (int i = 0; i < ROWS; i++) {
            CHECK(compare(c, rows[i], 1e-8) == 0);
            if (i < ROWS - 1) CHECK(fmi.DoStep(c, i * STEP, STEP, 1) == ok);
        }
        CHECK(fmi.SetReal(c, &p, 1, values + k) == error); // fixed
        // from the start again, as if nothing had been set
        double first[COLUMNS];
        component other = instance_of(guid, 0);
        CHECK(other && fmi.Reset(c) == ok);
        CHECK(start(c) == 0 && start(other) == 0);
        CHECK(fmi.DoStep(c, 0, STEP, 1) == ok && fmi.DoStep(other, 0, STEP, 1) == ok);
        CHECK(fmi.GetReal(other, out, COLUMNS, first) == ok);
        CHECK(compare(c, first, 0) == 0);
        fmi.FreeInstance(other);
        fmi.FreeInstance(c);
    }
    return 0;
}

static int go(component c, double from, int steps, double y[COLUMNS])
{
    for (int i = 0; i < steps; i++) CHECK(fmi.DoStep(c, from + i * STEP, STEP, 0) == ok);
    CHECK(fmi.GetReal(c, out, COLUMNS, y) == ok);
    return 0;
}

static int saves_and_restores(void)
{
    double before[COLUMNS], after[COLUMNS], again[COLUMNS], gust = 2.0;
    size_t size;
    component c = instance_of(guid, 0), other = instance_of(guid, 0);
    void *state = NULL, *copy = NULL;
    CHECK(c && other && start(c) == 0);
    CHECK(fmi.SetReal(c, &wind, 1, &gust) == ok);
    CHECK(go(c, 0, 5, before) == 0);
    CHECK(fmi.GetFMUstate(c, &state) == ok && state);
    CHECK(go(c, 5 * STEP, 5, after) == 0);
    CHECK(fmi.SetFMUstate(c, state) == ok);
    CHECK(compare(c, before, 0) == 0);
    CHECK(go(c, 5 * STEP, 5, again) == 0);
    CHECK(memcmp(after, again, sizeof after) == 0);
    // as bytes, to another instance
    CHECK(fmi.SerializedFMUstateSize(c, state, &size) == ok);
    char *bytes = malloc(size);
    CHECK(fmi.SerializeFMUstate(c, state, bytes, size) == ok);
    CHECK(fmi.SerializeFMUstate(c, state, bytes, size - 1) == error);
    CHECK(fmi.DeSerializeFMUstate(other, bytes, size, &copy) == ok);
    CHECK(fmi.SetFMUstate(other, copy) == ok);
    CHECK(go(other, 5 * STEP, 5, again) == 0);
    CHECK(memcmp(after, again, sizeof after) == 0);
    CHECK(fmi.FreeFMUstate(other, &copy) == ok && !copy);
    CHECK(fmi.DeSerializeFMUstate(other, bytes, size - 8, &copy) == error);
    free(bytes);
    CHECK(fmi.FreeFMUstate(c, &state) == ok);
    fmi.FreeInstance(other);
    fmi.FreeInstance(c);
    return 0;
}

static int derives(void)
{
    double d[COLUMNS], seed = 1.0, low[COLUMNS], high[COLUMNS], u = -0.5;
    component c = instance_of(guid, 0);
    CHECK(c && start(c) == 0);
    CHECK(fmi.DoStep(c, 0, STEP, 1) == ok);
    CHECK(fmi.GetDirectionalDerivative(c, out, COLUMNS, &wind, 1, &seed, d) == ok);
    CHECK(fmi.SetReal(c, &wind, 1, &u) == ok && fmi.GetReal(c, out, COLUMNS, low) == ok);
    u = 0.5;
    CHECK(fmi.SetReal(c, &wind, 1, &u) == ok && fmi.GetReal(c, out, COLUMNS, high) == ok);
    for (int k = 0; k < COLUMNS; k++) CHECK_NEAR(d[k], high[k] - low[k], 1e-7);
    CHECK_NEAR(d[3], 1.0, 1e-9);
    CHECK(fabs(d[4]) > 0.1); // the rod pulls at its hinge
    fmi.FreeInstance(c);
    return 0;
}

// Beside outputs a little before and after; the input rises evenly, and a force of the joint is among the outputs. What was
// asked changes nothing of what follows.
static int gives_rates(void)
{
    const double h = 1e-4, at = 6 * STEP;
    const int first[COLUMNS] = {1, 1, 1, 1, 1}, second = 2;
    double y[3][COLUMNS], rate[COLUMNS], far[2][COLUMNS], slope = 3.0;
    CHECK(strstr(description, "maxOutputDerivativeOrder=\"1\""));
    for (int k = 0; k < 2; k++) {
        double gust = 0.5;
        component c = instance_of(guid, 0);
        CHECK(c && start(c) == 0 && go(c, 0, 6, y[0]) == 0);
        CHECK(fmi.SetReal(c, &wind, 1, &gust) == ok);
        CHECK(fmi.SetRealInputDerivatives(c, &wind, 1, first, &slope) == ok);
        for (int i = 0; i < 3; i++) {
            CHECK(fmi.DoStep(c, at + i * h, h, 1) == ok);
            if (i == 1 && k == 0)
                CHECK(fmi.GetRealOutputDerivatives(c, out, COLUMNS, first, rate) == ok);
            CHECK(fmi.GetReal(c, out, COLUMNS, y[i]) == ok);
            gust += slope * h;
            CHECK(fmi.SetReal(c, &wind, 1, &gust) == ok);
            CHECK(fmi.SetRealInputDerivatives(c, &wind, 1, first, &slope) == ok);
        }
        CHECK(fmi.DoStep(c, at + 3 * h, STEP, 1) == ok);
        CHECK(fmi.GetReal(c, out, COLUMNS, far[k]) == ok);
        CHECK(fmi.GetRealOutputDerivatives(c, out, 1, &second, rate + 1) == error);
        CHECK(fmi.GetRealOutputDerivatives(c, &wind, 1, first, rate + 1) == error);
        fmi.FreeInstance(c);
    }
    for (int i = 0; i < COLUMNS; i++) {
        double difference = (y[2][i] - y[0][i]) / (2 * h);
        CHECK_NEAR(rate[i], difference, 1e-5 * fmax(1.0, fabs(difference)));
    }
    CHECK_NEAR(rate[3], slope, 1e-7);
    CHECK(fabs(rate[1]) > 1e-2 && fabs(rate[4]) > 0.1); // there is something to see
    CHECK(memcmp(far[0], far[1], sizeof far[0]) == 0);
    return 0;
}

static int refuses(void)
{
    double x = 0, nan_value = (double)NAN;
    unsigned none = 4000000000u, near[] = {1, 12345, wind + 2, *out + 900};
    int whole = 1, ended = 1;
    CHECK(!instance_of("{another}", 0));
    CHECK_TEXT(said, "GUID");
    CHECK(!fmi.Instantiate("one", 1, guid, "file:///nowhere", &calls, 0, 0));
    CHECK_TEXT(said, "/nowhere");
    CHECK(!fmi.Instantiate("", 1, guid, "file:///nowhere", &calls, 0, 0));
    component c = instance_of(guid, 0);
    CHECK(c);
    CHECK(fmi.DoStep(c, 0, STEP, 1) == error);
    CHECK_TEXT(said, "DoStep");
    CHECK(fmi.SetupExperiment(c, 0, 0, 1.5, 0, 0) == error);
    CHECK_TEXT(said, "t = 0");
    CHECK(start(c) == 0);
    CHECK(fmi.GetReal(c, &none, 1, &x) == error);
    CHECK(fmi.SetReal(c, &none, 1, &x) == error);
    for (size_t i = 0; i < sizeof near / sizeof near[0]; i++) {
        CHECK(fmi.GetReal(c, near + i, 1, &x) == error && fmi.SetReal(c, near + i, 1, &x) == error);
    }
    CHECK(fmi.SetReal(c, out, 1, &x) == error); // an output
    CHECK(fmi.SetReal(c, &wind, 1, &nan_value) == error);
    CHECK(fmi.SetInteger(c, &wind, 1, &whole) == error);
    CHECK(fmi.DoStep(c, 0.3, STEP, 1) == error);
    CHECK_TEXT(said, "begins at t = 0.3");
    CHECK(fmi.DoStep(c, 0, -STEP, 1) == error);
    CHECK(fmi.DoStep(c, 0, STEP, 1) == ok); // nothing has happened
    CHECK(fmi.GetBooleanStatus(c, 3, &ended) == ok && !ended);
    CHECK(fmi.GetReal(NULL, out, 1, &x) == error);
    fmi.FreeInstance(NULL);
    fmi.FreeInstance(c);
    return 0;
}

// An event of the model that ends it.
static int ends_by_an_event(void)
{
    double gust = 400.0, t = 0.0;
    int ended = 0;
    status s = ok;
    component c = instance_of(guid, 0);
    CHECK(c && start(c) == 0);
    CHECK(fmi.SetReal(c, &wind, 1, &gust) == ok);
    for (int i = 0; i < 200 && s == ok; i++) s = fmi.DoStep(c, i * STEP, STEP, 1);
    CHECK(s == discard);
    CHECK(fmi.GetBooleanStatus(c, 3, &ended) == ok && ended);
    CHECK(fmi.GetRealStatus(c, 2, &t) == ok && t > 0.0 && t < 200 * STEP);
    CHECK(fmi.GetReal(c, out, 1, &t) == ok);
    CHECK_NEAR(t, 5.0, 1e-6);
    fmi.FreeInstance(c);
    return 0;
}

static void *run_alone(void *result)
{
    double *y = result;
    for (int repeat = 0; repeat < 3; repeat++) {
        component c = instance_of(guid, 0);
        y[0] = (double)NAN;
        if (!c || start(c) || go(c, 0, 10, y)) return NULL;
        fmi.FreeInstance(c);
    }
    return NULL;
}

static int runs_in_threads(void)
{
    double y[3][COLUMNS];
    pthread_t thread[2];
    run_alone(y[2]);
    for (int i = 0; i < 2; i++) CHECK(pthread_create(thread + i, NULL, run_alone, y[i]) == 0);
    for (int i = 0; i < 2; i++) CHECK(pthread_join(thread[i], NULL) == 0);
    CHECK(memcmp(y[0], y[2], sizeof y[0]) == 0 && memcmp(y[1], y[2], sizeof y[0]) == 0);
    return 0;
}

static int is_loaded_again(void)
{
    int loads = atoi(arguments[6]);
    for (int i = 0; i < loads; i++) {
        component c = instance_of(guid, 0);
        CHECK(c && start(c) == 0);
        CHECK(fmi.DoStep(c, 0, STEP, 1) == ok);
        fmi.FreeInstance(c);
        CHECK(dlclose(library) == 0);
        CHECK(!dlopen(file, RTLD_NOW | RTLD_NOLOAD)); // it is gone
        CHECK(load() == 0);
    }
    return 0;
}

int main(int argc, char **argv)
{
    static const test_entry tests[] = {
        TEST(says_what_it_is),    TEST(equals_a_run),
        TEST(follows_inputs),     TEST(takes_parameters),
        TEST(saves_and_restores), TEST(derives),
        TEST(gives_rates),        TEST(refuses),
        TEST(ends_by_an_event),   TEST(runs_in_threads),
        TEST(is_loaded_again),
    };
    if (argc != 7) return 2;
    folder = argv[1];
    arguments = argv;
    if (open_fmu()) return 1;
    int failed = 0;
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        int bad = tests[i].run();
        if (bad) printf("%s: failed; last message: %s\n", tests[i].name, said);
        failed += bad;
    }
    dlclose(library);
    return failed > 0;
}
