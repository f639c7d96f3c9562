// test_beam.c - the inextensible cantilever of forty links, stiff and oscillating: the end of the
// motion is that of the reference (case ivp-beam-inextensible), and methods with error control bring
// the angles as near to it as their tolerance asks.
#include "beam_text.h"
#include "case_table.h"
#include "check.h"

#include <stdlib.h>

#define LINKS 40
#define PLACES 5
#define AMPLIFICATION                                                                              \
    1.2 // of errors made on the way, as test_delivery.c measures it on fewer links

static const int link[PLACES] = {1, 10, 20, 30, 40};
static const double angle[PLACES] = {-5.7923665912947182549e-03, -9.1191346546441991223e-02,
                                     -1.4835954724625723899e-01, -1.7258218474621264506e-01,
                                     -1.7672017610751567726e-01};
static const double rate[PLACES] = {3.7473626805813734598e-02, 5.9876097023425733027e-01,
                                    9.868747821355163e-01, 1.1567921319599948, 1.186724615121738};

// Largest errors of the angles and of their rates at t = 5.
static bool errors(const char *method, double *of_angle, double *of_rate)
{
    char simulate[120], name[16];
    snprintf(simulate, sizeof simulate, "until: 5, method: %s", method);
    char *text = beam_text(LINKS, simulate);
    case_table table = {0};
    bool ok = text && case_run(text, NULL, &table, NULL, NULL);
    *of_angle = *of_rate = 0.0;
    for (int i = 0; ok && i < PLACES; i++) {
        double b = 0.0, db = 0.0;
        snprintf(name, sizeof name, "b(%d)", link[i]);
        ok = case_table_value(&table, name, 5.0, &b);
        snprintf(name, sizeof name, "b(%d)'", link[i]);
        ok = ok && case_table_value(&table, name, 5.0, &db);
        *of_angle = fmax(*of_angle, fabs(b - angle[i]));
        *of_rate = fmax(*of_rate, fabs(db - rate[i]));
    }
    case_table_clear(&table);
    free(text);
    printf("    %-32s angles %.1e, rates %.1e\n", method, *of_angle, *of_rate);
    return ok;
}

static int end_is_that_of_the_reference(void)
{
    double a, r;
    CHECK(errors("radau, rtol: 1e-9, atol: 1e-11", &a, &r));
    CHECK(a < 1e-8);
    CHECK(r < 1e-7);
    return 0;
}

static int tolerances_are_delivered(void)
{
    static const char *const methods[] = {"radau", "radau, stages: 3", "gauss"};
    static const double tolerances[] = {1e-3, 1e-5, 1e-6};
    for (int m = 0; m < 3; m++) {
        for (int k = 0; k < 3; k++) {
            char method[80];
            double a, r, t = tolerances[k];
            snprintf(method, sizeof method, "%s, rtol: %.0e, atol: %.0e", methods[m], t, t);
            CHECK(errors(method, &a, &r));
            CHECK(a < 30.0 * AMPLIFICATION * t);
        }
    }
    return 0;
}

TEST_MAIN(TEST(end_is_that_of_the_reference), TEST(tolerances_are_delivered))
