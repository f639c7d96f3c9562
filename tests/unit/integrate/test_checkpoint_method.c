// test_checkpoint_method.c - bytes of a checkpoint that are not those of this run are refused, and change nothing.
#include "check.h"
#include "flexion/flexion.h"
#include "rig.h"
#include "tiny_systems.h"

#include <stdlib.h>

#define ROOM 100000

typedef struct saved {
    size_t size;
    unsigned char bytes[ROOM];
} saved;

static saved first, second; // large

static int save_after(rig *r, int steps, saved *out)
{
    double taken;
    for (int i = 0; i < steps; i++) CHECK(flx_integrator_step(r->it, r->x, 1e-2, &taken) == FLX_OK);
    out->bytes[0] = 0;
    out->size = flx_integrator_save(r->it, r->x, NULL, 0);
    CHECK(out->size > 0 && out->size <= ROOM);
    CHECK(flx_integrator_save(r->it, r->x, out->bytes, out->size - 1) == out->size); // no room
    CHECK(out->bytes[0] == 0);
    CHECK(flx_integrator_save(r->it, r->x, out->bytes, out->size) == out->size);
    return 0;
}

static flx_integrator_def radau(double step)
{
    flx_integrator_def def = flx_integrator_def_default();
    def.method = "radau";
    def.step = step;
    return def;
}

static int refused(rig *r, const saved *s, size_t size, const char *why)
{
    int errors = flx_ctx_error_count(r->ctx);
    flx_state_copy(r->y, r->x);
    CHECK(flx_integrator_restore(r->it, r->x, s->bytes, size) == FLX_ERR_ARGUMENT);
    CHECK(r->x->t == r->y->t);
    CHECK(memcmp(r->x->block, r->y->block, r->x->size * sizeof(double)) == 0);
    CHECK_TEXT(flx_ctx_error(r->ctx, errors)->text, why);
    return 0;
}

static int foreign_and_damaged_bytes_change_nothing(void)
{
    rig r, other;
    flx_integrator_def def = radau(1e-2), finer = radau(5e-3);
    CHECK(rig_up(&r, rig_pendulum, &def) == 0);
    if (save_after(&r, 7, &first)) return 1;
    if (refused(&r, &first, 10, "is none")) return 1;
    if (refused(&r, &first, first.size - 1, "damaged")) return 1;
    for (size_t at = 8; at < first.size; at += 97) {
        second = first;
        second.bytes[at] ^= 4;
        CHECK(flx_integrator_restore(r.it, r.x, second.bytes, second.size) == FLX_ERR_ARGUMENT);
    }
    CHECK(rig_up(&other, rig_top, &def) == 0);
    if (refused(&other, &first, first.size, "another model")) return 1;
    rig_down(&other);
    CHECK(rig_up(&other, rig_pendulum, &finer) == 0);
    if (refused(&other, &first, first.size, "other settings")) return 1;
    rig_down(&other);
    CHECK(flx_integrator_restore(r.it, r.x, first.bytes, first.size) == FLX_OK);
    rig_down(&r);
    return 0;
}

// Factors that the system does not let go: the run begins anew at the state, and says so beforehand.
static int what_cannot_be_saved_begins_anew(void)
{
    rig r;
    flx_integrator_def def = radau(1e-2);
    CHECK(rig_up(&r, rig_top_own, &def) == 0);
    CHECK(!flx_integrator_remembers(r.it));
    if (save_after(&r, 3, &first)) return 1;
    flx_state_copy(r.y, r.x);
    CHECK(flx_integrator_step(r.it, r.x, 1e-2, NULL) == FLX_OK);
    CHECK(flx_integrator_restore(r.it, r.x, first.bytes, first.size) == FLX_OK);
    CHECK(memcmp(r.x->block, r.y->block, r.x->size * sizeof(double)) == 0);
    CHECK(flx_integrator_step(r.it, r.x, 1e-2, NULL) == FLX_OK);
    rig_down(&r);
    return 0;
}

// From one checkpoint the same motion, however often.
static int a_run_is_restored_twice(void)
{
    rig r;
    flx_integrator_def def = radau(0.0);
    CHECK(rig_up(&r, rig_mixed, &def) == 0);
    if (save_after(&r, 5, &first)) return 1;
    for (int k = 0; k < 2; k++) {
        CHECK(flx_integrator_restore(r.it, r.x, first.bytes, first.size) == FLX_OK);
        for (int i = 0; i < 6; i++) CHECK(flx_integrator_step(r.it, r.x, 1e-2, NULL) == FLX_OK);
        if (k) CHECK(memcmp(r.x->block, r.y->block, r.x->size * sizeof(double)) == 0);
        flx_state_copy(r.y, r.x);
    }
    rig_down(&r);
    return 0;
}

TEST_MAIN(TEST(foreign_and_damaged_bytes_change_nothing), TEST(what_cannot_be_saved_begins_anew),
          TEST(a_run_is_restored_twice))
