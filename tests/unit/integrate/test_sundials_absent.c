// test_sundials_absent.c - a build without SUNDIALS: its methods are listed, and refused with what to
// install. Linked with the file that such a build has.
#include "check.h"
#include "rig.h"

static int the_methods_are_listed_and_refused(void)
{
    const char *const names[] = {"bdf", "adams"};
    for (int i = 0; i < 2; i++) {
        flx_ctx *ctx = flx_ctx_create();
        flx_system *s = rig_linear(ctx);
        flx_integrator_def def = flx_integrator_def_default();
        flx_integrator *it = NULL;
        def.method = names[i];
        CHECK(flx_integrator_create(s, &def, &it) == FLX_ERR_UNAVAILABLE);
        CHECK(it == NULL);
        CHECK_TEXT(flx_ctx_error(ctx, 0)->text, names[i]);
        CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "libsundials-dev");
        flx_system_destroy(&s);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

TEST_MAIN(TEST(the_methods_are_listed_and_refused))
