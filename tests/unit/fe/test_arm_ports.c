// test_arm_ports.c - the arm of examples/elastic_arm.msh at its interfaces: reference case mor-arm-ports, by the calls of
// flexion/reduction.h; bodies turned and moved, and what is refused.
#include "check.h"
#include "flexion/flexion.h"

static const char text[] =
    "flexion: 1\n"
    "bodies:\n"
    "  arm:\n"
    "    type: flexible\n"
    "    fe: {mesh: " FLX_EXAMPLES "/elastic_arm.msh, material: {E: 7e10, nu: "
    "0.33, density: 2700}}\n"
    "    reduce: {%s%s}\n"
    "    damping: {ratio: 0.01}\n"
    "simulate: {until: 1}\n";

static flx_ctx *ctx;
static flx_model *model;
static char whole[2000];

static flx_status read_arm(const char *reduce)
{
    const char *faces = strstr(reduce, "interfaces") ? "" : ", interfaces: [hub, tip]";
    snprintf(whole, sizeof whole, text, reduce, faces);
    ctx = flx_ctx_create();
    return flx_model_read_text(ctx, "arm.yaml", whole, strlen(whole), 0, NULL, &model);
}

static void finish(void)
{
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
}

static double worst_of(const flx_reduction_report *p)
{
    double most = 0;
    for (int i = 0; i < p->ncondition; i++) most = fmax(most, p->conditions[i].error);
    return most;
}

static int port_of(const flx_reduction *r, const char *name)
{
    const char *p;
    for (int i = 0; (p = flx_reduction_port(r, i)) != NULL; i++) {
        if (strcmp(p, name) == 0) return i;
    }
    return -1;
}

typedef struct value {
    double hz;
    const char *held, *out, *in;
    double re, im;
} value;

static int check_value(const flx_reduction *r, const value *v)
{
    static double H[12 * 12 * 2];
    int i = port_of(r, v->out), j = port_of(r, v->in);
    CHECK(i >= 0 && j >= 0);
    CHECK(flx_reduction_response(r, 1, 1, &v->hz, v->held, H) == FLX_OK);
    double size = hypot(v->re, v->im);
    CHECK_NEAR(H[2 * (12 * i + j)], v->re, 1e-5 * size);
    CHECK_NEAR(H[2 * (12 * i + j) + 1], v->im, 1e-5 * size);
    return 0;
}

static int the_arm_has_the_responses_of_the_case(void)
{
    static const value values[] = {
        {100, "free", "tip.z", "tip.z", 8.061402608003129e-06, -2.3060729108410263e-07},
        {100, "free", "hub.z", "tip.z", 3.7671190462450104e-06, -1.1031233024739043e-07},
        {100, "free", "tip.rx", "tip.rx", 0.0016239759215013019, -3.270652810005884e-05},
        {100, "hub held", "tip.z", "tip.z", -3.548960414713973e-05, -2.575543890857076e-07},
        {100, "hub held", "tip.y", "tip.y", 1.0068276460997425e-05, -2.6395803070472044e-07},
        {500, "free", "tip.y", "tip.y", 6.713329506633434e-07, -2.4677196495473484e-08},
        {500, "hub held", "tip.z", "tip.z", -1.7734062111727899e-06, -1.7397304832355346e-08},
        {1000, "free", "tip.rx", "tip.rx", 0.006315851449935429, -0.0005313579846791081},
        {1000, "hub held", "tip.y", "tip.y", 2.5904413858777755e-06, -1.4373356038751272e-06},
    };
    flx_reduction *r = NULL;
    const flx_reduction_def def = {0};
    CHECK(read_arm("type: band, to: 2000") == FLX_OK);
    CHECK(flx_reduction_create(model, "arm", &def, &r) == FLX_OK);
    const flx_reduction_report *p = flx_reduction_get_report(r);
    CHECK(p->unknowns == 3258 && p->ports == 12 && p->ncondition == 4);
    CHECK(p->shapes <= 24 && p->met && worst_of(p) < 1e-3);
    CHECK(p->modes == 6 && p->counted == 6);
    CHECK(p->known < 1e-6 && p->proved >= p->known && p->proved < 1e-4);
    CHECK(p->factorisations == 1);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        CHECK(check_value(r, values + i) == 0);
    }
    // the model has the same report
    const flx_reduction_report *own = flx_model_elastic_report(model, 0);
    CHECK(own && own->shapes == p->shapes);
    flx_reduction_destroy(&r);
    finish();
    return 0;
}

static int the_arm_needs_as_few_shapes_as_the_case_says(void)
{
    static const int shapes[] = {20, 24};
    static const double marks[] = {0.005188027640935759, 0.0001419467568277411};
    for (int i = 0; i < 2; i++) {
        char reduce[80];
        snprintf(reduce, sizeof reduce, "type: band, to: 2000, shapes: %d", shapes[i]);
        CHECK(read_arm(reduce) == FLX_OK);
        const flx_reduction_report *p = flx_model_elastic_report(model, 0);
        CHECK(p && p->shapes == shapes[i]);
        CHECK(worst_of(p) <= marks[i]);
        finish();
    }
    CHECK(read_arm("type: band, to: 2000, conditions: [hub]") == FLX_OK);
    const flx_reduction_report *p = flx_model_elastic_report(model, 0);
    CHECK(p && p->ncondition == 1 && p->shapes <= 16 && worst_of(p) < 1e-3);
    CHECK(strcmp(p->conditions[0].name, "hub held") == 0);
    finish();
    return 0;
}

// What Craig and Bampton's shapes lack when the body is free.
static int shapes_of_held_interfaces_are_as_stiff_as_the_case_says(void)
{
    flx_reduction *r = NULL;
    const flx_reduction_def def = {.to = 2000};
    CHECK(read_arm("type: craig-bampton, modes: 4") == FLX_OK);
    CHECK(flx_reduction_create(model, NULL, &def, &r) == FLX_OK);
    const flx_reduction_report *p = flx_reduction_get_report(r);
    CHECK(p->shapes == 10);
    CHECK(fabs(p->hz[0] - 10) < 1e-9);
    CHECK_REL(p->conditions[0].errors[0], 0.07115, 0.01);
    flx_reduction_destroy(&r);
    finish();
    return 0;
}

static int wrong_words_are_refused(void)
{
    static const char *const wrong[][2] = {
        {"type: band", "'to'"},
        {"type: band, to: -5", "the end of the band"},
        {"type: band, to: 2000, from: 3000", "a band from 3000 to 2000 Hz"},
        {"type: band, to: 2000, tolerance: 2", "a tolerance of 2"},
        {"type: band, to: 2000, tolerance: 1e-3, shapes: 20", "one of both"},
        {"type: band, to: 2000, shapes: 0", "at least 1 shape"},
        {"type: band, to: 2000, conditions: [knee]", "'knee' is no interface"},
        {"type: band, to: 2000, statics: 3", "statics is 'exact'"},
        {"type: krylov, blocks: 0", "at least 1 block"},
        {"type: krylov, shifts: [0, -3]", "a shift is a frequency"},
        {"type: irka, to: 2000", "'shapes'"},
        {"type: modal, modes: 3, interfaces: [hub, hub]", "'hub' is there twice"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK(read_arm(wrong[i][0]) == FLX_ERR_MODEL);
        CHECK(flx_ctx_error(ctx, 0));
        CHECK_TEXT(flx_ctx_error(ctx, 0)->text, wrong[i][1]);
        CHECK(flx_ctx_error(ctx, 0)->loc.line > 0);
        finish();
    }
    flx_reduction *r = NULL;
    const flx_reduction_def none = {0}, named = {.to = 2000, .type = "fourier"};
    CHECK(read_arm("type: modal, modes: 3") == FLX_OK);
    CHECK(flx_reduction_create(model, "arm", &none, &r) != FLX_OK && !r);
    CHECK(flx_reduction_create(model, "leg", &(flx_reduction_def){.to = 99}, &r) ==
          FLX_ERR_ARGUMENT);
    CHECK(flx_reduction_create(model, "arm", &named, &r) == FLX_ERR_ARGUMENT && !r);
    flx_ctx_clear_messages(ctx);
    CHECK(flx_reduction_create(model, "arm", &(flx_reduction_def){.to = 1e200}, &r) != FLX_OK);
    CHECK(!r);
    CHECK(flx_ctx_error(ctx, 0));
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "far above all frequencies of the mesh");
    flx_ctx_clear_messages(ctx);
    CHECK(flx_reduction_create(model, "arm", &(flx_reduction_def){.to = 1e6}, &r) != FLX_OK && !r);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "modes of the 3258 unknowns lie below 1e+06 Hz");
    finish();
    return 0;
}

// What attachment shapes have beside many modes is small, and all of their use.
static int attachment_shapes_stay_beside_many_modes(void)
{
    flx_reduction *r = NULL;
    CHECK(read_arm("type: modal, modes: 20, attachment: true") == FLX_OK);
    CHECK(flx_reduction_create(model, "arm", &(flx_reduction_def){.to = 2000}, &r) == FLX_OK);
    const flx_reduction_report *p = flx_reduction_get_report(r);
    CHECK(p->shapes == 20 + 6); // the frame holds the hub: loads at the tip
    CHECK(p->conditions[1].error < 1e-5);
    flx_reduction_destroy(&r);
    finish();
    return 0;
}

// The shapes that the model has are measured up to another frequency; a tolerance makes new ones for it.
static int shapes_for_a_band_are_measured_beyond_it(void)
{
    flx_reduction *r = NULL;
    CHECK(read_arm("type: band, to: 1000, tolerance: 1e-3") == FLX_OK);
    int shapes = flx_model_elastic_report(model, 0)->shapes;
    CHECK(flx_reduction_create(model, "arm", &(flx_reduction_def){.to = 4000}, &r) == FLX_OK);
    const flx_reduction_report *p = flx_reduction_get_report(r);
    CHECK(p->to == 4000 && p->shapes == shapes && !p->met);
    CHECK(p->conditions[1].error > 0.1);
    flx_reduction_destroy(&r);
    CHECK(flx_reduction_create(model, "arm", &(flx_reduction_def){.to = 4000, .tolerance = 1e-3},
                               &r) == FLX_OK);
    p = flx_reduction_get_report(r);
    CHECK(p->shapes > shapes && p->met && p->conditions[1].error < 1e-3);
    flx_reduction_destroy(&r);
    finish();
    return 0;
}

static int a_band_below_the_first_mode_is_told(void)
{
    CHECK(read_arm("type: band, to: 50") == FLX_OK);
    CHECK(flx_ctx_warning(ctx, 0));
    CHECK_TEXT(flx_ctx_warning(ctx, 0)->text, "below the first mode");
    finish();
    return 0;
}

// In a body that rotates Coriolis and centrifugal forces act, too: nothing new at a standstill, 2.6e-4 with 24 shapes at 200 rad/s
// (a prototype), more shapes where the tolerance asks for them.
static int the_error_at_speed_is_measured_and_kept(void)
{
    const flx_reduction_report *p;
    CHECK(read_arm("type: band, to: 2000, angular_velocity: 1e-6") == FLX_OK);
    p = flx_model_elastic_report(model, 0);
    CHECK(p->ncondition == 7 && p->shapes == 23);
    CHECK_TEXT(p->conditions[4].name, "hub held, 1e-06 rad/s");
    for (int i = 4; i < 7; i++) {
        CHECK_REL(p->conditions[i].error, p->conditions[i - 3].error, 1e-6);
        CHECK(p->conditions[i].at == p->conditions[i - 3].at);
    }
    finish();
    CHECK(read_arm("type: band, to: 2000, shapes: 24, angular_velocity: [0, 0, 200]") == FLX_OK);
    p = flx_model_elastic_report(model, 0);
    CHECK(p->conditions[4].error > 2.2e-4 && p->conditions[4].error < 3e-4);
    CHECK(p->conditions[1].error < 1e-4);
    finish();
    CHECK(read_arm("type: band, to: 2000, tolerance: 1e-3, angular_velocity: [0, 400, 0]") ==
          FLX_OK);
    p = flx_model_elastic_report(model, 0);
    CHECK(p->met && p->shapes > 25 && p->shapes < 32);
    for (int i = 4; i < 7; i++) CHECK(p->conditions[i].error < 1e-3);
    CHECK(flx_ctx_warning(ctx, 0)); // it rotates faster than it can hold
    CHECK_TEXT(flx_ctx_warning(ctx, 0)->text, "centrifugal forces take more of the stiffness");
    finish();
    return 0;
}

static int more_shapes_than_there_are_is_told(void)
{
    CHECK(read_arm("type: band, to: 500, shapes: 1e6") == FLX_OK);
    CHECK(flx_ctx_warning(ctx, 0));
    CHECK_TEXT(flx_ctx_warning(ctx, 0)->text, "1000000 shapes are asked for");
    finish();
    return 0;
}

TEST_MAIN(TEST(the_arm_has_the_responses_of_the_case),
          TEST(the_arm_needs_as_few_shapes_as_the_case_says),
          TEST(shapes_of_held_interfaces_are_as_stiff_as_the_case_says),
          TEST(attachment_shapes_stay_beside_many_modes), TEST(wrong_words_are_refused),
          TEST(shapes_for_a_band_are_measured_beyond_it), TEST(a_band_below_the_first_mode_is_told),
          TEST(the_error_at_speed_is_measured_and_kept), TEST(more_shapes_than_there_are_is_told))
