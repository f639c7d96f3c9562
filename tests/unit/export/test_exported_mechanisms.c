// Exported C on random mechanisms, open and closed: every fifth, or with FLX_LONG all. Most of the
// time is the compiler's.
#include "exported.h"

#define TREES 100
#define MECHANISMS 330 // those from TREES on count only where they have loops

static int stride(void)
{
    return getenv("FLX_LONG") ? 1 : 5;
}

// Small ones, and not all: the text of a linearisation grows with the square of the freedoms.
static bool is_linearised(const subject *s)
{
    return s->number % 4 == 0 && s->nv <= 6;
}

static int mechanism_open(mechanism *k, subject *s, int number)
{
    int dimension = number % 3 == 0 ? 2 : 3;
    if (number > TREES) {
        random_loops(k, dimension, 3000 + (uint64_t)number);
    } else {
        random_tree(k, dimension, 3000 + (uint64_t)number);
    }
    if (number % 2 == 0) random_forces(k);
    return subject_open(s, &k->m, number);
}

static bool is_of_use(const subject *s)
{
    return s->nv > 0 && (s->number <= TREES || s->nrow > 0);
}

static int compare(subject *s)
{
    return forward_is_that_of_the_tree(s) || inverse_is_the_residual(s) ||
           closures_are_derivatives(s) || rates_are_those_of_the_tree(s) ||
           (is_linearised(s) && linearisation_is_a_derivative(s));
}

static int exported_code_is_the_tree(void)
{
    char folder[] = "exported_XXXXXX";
    int compared = 0, closed = 0, linearised = 0;
    CHECK(mkdtemp(folder));
    for (int i = stride(); i <= MECHANISMS; i += stride()) {
        mechanism k;
        subject s;
        CHECK(mechanism_open(&k, &s, i) == 0);
        const char *functions = is_linearised(&s) ? NULL : "forward,inverse,mass,closures,rates";
        if (is_of_use(&s)) CHECK(export_as(&k.m, i, folder, functions) == 0);
        subject_close(&s);
        mechanism_free(&k);
    }
    void *library = compile_all(folder);
    CHECK(library);
    for (int i = stride(); i <= MECHANISMS; i += stride()) {
        mechanism k;
        subject s;
        CHECK(mechanism_open(&k, &s, i) == 0);
        s.library = library;
        if (is_of_use(&s) && set_state(&s)) {
            int bad = compare(&s);
            if (bad) printf("mechanism %d\n", i);
            CHECK(!bad);
            compared++;
            closed += s.nrow > 0;
            linearised += is_linearised(&s);
        }
        subject_close(&s);
        mechanism_free(&k);
    }
    dlclose(library);
    CHECK(remove_folder(folder) == 0);
    printf("%d mechanisms, %d with loops, %d linearised\n", compared, closed, linearised);
    CHECK(compared * stride() >= 200 && closed * stride() >= 100 && linearised * stride() >= 20);
    return 0;
}

TEST_MAIN(TEST(exported_code_is_the_tree))
