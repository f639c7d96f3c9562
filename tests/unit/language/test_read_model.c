// test_read_model.c - models from files and texts: parts and tables lie beside the file that names
// them, messages name the file at fault, and reading fails whole or not at all.
#include "flexion/flexion.h"

#include "check.h"

#include "model/model_data.h"

#define MODELS FLX_TESTS "/unit/read/models/"

static flx_ctx *ctx;
static flx_model *model;

static void end(void)
{
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
}

static int files_are_found_beside_the_file_that_names_them(void)
{
    ctx = flx_ctx_create();
    flx_status status = flx_model_read(ctx, MODELS "cart.yaml", 0, NULL, &model);
    if (status != FLX_OK) printf("%s\n", flx_ctx_error(ctx, 0)->text);
    CHECK(status == FLX_OK);
    CHECK(strcmp(flx_model_title(model), "A cart of parts in other files") == 0);
    CHECK(model->nbody == 5);
    CHECK(strcmp(model->bodies[2].name, "left.below.foot") == 0);
    CHECK_NEAR(model->bodies[2].mass, 2, 1e-12); // from the table of a part of a part
    CHECK_NEAR(model->bodies[2].position[0], -1, 1e-12);
    CHECK_NEAR(model->bodies[2].position[1], -0.6, 1e-12);
    CHECK_NEAR(model->bodies[3].mass, 2, 0);
    end();
    return 0;
}

static int text_in_memory_reads_like_its_file(void)
{
    static char text[4000];
    FILE *f = fopen(MODELS "cart.yaml", "rb");
    CHECK(f);
    size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    memcpy(text + n, "}}", 3); // beyond the text: not read
    const char *const settings[] = {"m=2*2.5"};
    ctx = flx_ctx_create();
    CHECK(flx_model_read_text(ctx, MODELS "other.yaml", text, n, 1, settings, &model) == FLX_OK);
    CHECK(model->nbody == 5);
    CHECK_NEAR(model->bodies[0].mass, 5, 0);
    end();
    return 0;
}

static int messages_name_the_file_at_fault(void)
{
    ctx = flx_ctx_create();
    CHECK(flx_model_read(ctx, MODELS "wrong_part.yaml", 0, NULL, &model) == FLX_ERR_MODEL);
    CHECK(!model);
    const flx_message *m = flx_ctx_error(ctx, 0);
    CHECK(m);
    CHECK_TEXT(m->loc.file, "models/parts/wrong.yaml");
    CHECK(m->loc.line == 2 && m->loc.column == 20);
    CHECK_TEXT(m->text, "unknown key 'masss' in body 'b'; did you mean 'mass'?");
    end();
    return 0;
}

// What a command asks for takes no name from the model, and leaves alone what the model asks for itself.
static int path_of_loads_is_asked_from_outside(void)
{
    ctx = flx_ctx_create();
    flx_read_def def = flx_read_def_default();
    def.to_load = true;
    CHECK(flx_model_read_by(ctx, MODELS "path.yaml", &def, &model) == FLX_OK);
    CHECK(model->nanalysis == 1 && model->nload == 1);
    const flx_analysis *a = model->analyses;
    CHECK(strcmp(a->name, "path") == 0 && a->kind == FLX_ANALYSIS_STATIC && a->gravity);
    CHECK(a->to == 1.0 && strcmp(model->bodies[0].name, "path") == 0);
    flx_model_destroy(&model);
    CHECK(flx_model_read(ctx, MODELS "path.yaml", 0, NULL, &model) == FLX_OK);
    CHECK(model->nanalysis == 0 && model->nload == 0);
    end();
    return 0;
}

static int place_in_an_expression_of_several_lines_is_exact(void)
{
    const char *text = "flexion: 1\n"
                       "parameters:\n"
                       "  a: 1 +\n"
                       "     2*nothing\n"
                       "  b: >\n"
                       "    1 +\n"
                       "      2*nobody\n"
                       "  c: \"1 +\n"
                       "      2 + noone\"\n";
    static const int places[3][2] = {{4, 8}, {7, 9}, {9, 11}};
    ctx = flx_ctx_create();
    CHECK(flx_model_read_text(ctx, "m.yaml", text, strlen(text), 0, NULL, &model) == FLX_ERR_MODEL);
    for (int i = 0; i < 3; i++) {
        const flx_message *m = flx_ctx_error(ctx, i);
        CHECK(m);
        CHECK_TEXT(m->text, "unknown name 'no");
        CHECK(m->loc.line == places[i][0] && m->loc.column == places[i][1]);
    }
    end();
    return 0;
}

static int mistakes_of_text_and_of_shape_are_told_together(void)
{
    const char *text = "flexion: 1\nbodies:\n  a: {type: point, mass: 1, mass: 2}\n"
                       "  b: {type: pont, mass: 1}\n  c:\n";
    ctx = flx_ctx_create();
    CHECK(flx_model_read_text(ctx, "m.yaml", text, strlen(text), 0, NULL, &model) == FLX_ERR_MODEL);
    CHECK(flx_ctx_error_count(ctx) == 3);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "'mass' is given twice");
    CHECK_TEXT(flx_ctx_error(ctx, 1)->text, "key 'c' has no value");
    CHECK_TEXT(flx_ctx_error(ctx, 2)->text, "did you mean 'point'?");
    end();
    return 0;
}

static int what_cannot_be_read_is_named(void)
{
    ctx = flx_ctx_create();
    CHECK(flx_model_read(ctx, MODELS "none.yaml", 0, NULL, &model) == FLX_ERR_IO);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "models/none.yaml' cannot be opened");
    CHECK(flx_model_read(ctx, MODELS, 0, NULL, &model) == FLX_ERR_IO);
    CHECK_TEXT(flx_ctx_error(ctx, 1)->text, "is not a file that can be read");
    CHECK(flx_model_read_text(ctx, "m.yaml", NULL, 0, 0, NULL, &model) == FLX_ERR_MODEL);
    CHECK_TEXT(flx_ctx_error(ctx, 2)->text, "the file is empty");
    CHECK(!model);
    end();
    return 0;
}

// Found by the shape, by an expression, by a value, by the numbers of a body; after the reading too.
static int messages_name_the_item_at_fault(void)
{
    const struct {
        const char *text, *path;
    } cases[] = {
        {"flexion: 1\nbodies: {a: {type: rigid, inertia: [1, 1, 1]}}\n", "bodies.a"},
        {"flexion: 1\nbodies: {a: {type: point, mass: m}}\n", "bodies.a.mass"},
        {"flexion: 1\nbodies:\n  a: {type: point, mass: 1}\n  b: {like: a, mas: 2}\n",
         "bodies.b.mas"},
        {"flexion: 1\nbodies: {a: {type: point, mass: -1}}\n", "bodies.a.mass"},
        {"flexion: 1\nbodies: {a: {type: point, mass: 1, position: [0, \"1 + \", 0]}}\n",
         "bodies.a.position[1]"},
        {"flexion: 1\nequations: {second_order: {x: {force: y}}}\n",
         "equations.second_order.x.force"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ctx = flx_ctx_create();
        CHECK(flx_model_read_text(ctx, "m.yaml", cases[i].text, strlen(cases[i].text), 0, NULL,
                                  &model) == FLX_ERR_MODEL);
        const flx_message *m = flx_ctx_error(ctx, 0);
        if (strcmp(m->path, cases[i].path) != 0) printf("%s: %s\n", m->path, m->text);
        CHECK(strcmp(m->path, cases[i].path) == 0);
        end();
    }
    return 0;
}

// Every allocation fails once: no leak, no crash, no half model.
static int every_failing_allocation_is_survived(void)
{
    for (long k = 0;; k++) {
        ctx = flx_ctx_create();
        flx_ctx_fail_allocation(ctx, k);
        flx_status status = flx_model_read(ctx, MODELS "cart.yaml", 0, NULL, &model);
        CHECK(status == FLX_OK || status == FLX_ERR_MEMORY);
        CHECK((status == FLX_OK) == (model != NULL));
        end();
        if (status == FLX_OK) return 0;
    }
}

TEST_MAIN(TEST(files_are_found_beside_the_file_that_names_them),
          TEST(text_in_memory_reads_like_its_file), TEST(messages_name_the_file_at_fault),
          TEST(path_of_loads_is_asked_from_outside),
          TEST(place_in_an_expression_of_several_lines_is_exact),
          TEST(mistakes_of_text_and_of_shape_are_told_together), TEST(what_cannot_be_read_is_named),
          TEST(messages_name_the_item_at_fault), TEST(every_failing_allocation_is_survived))
