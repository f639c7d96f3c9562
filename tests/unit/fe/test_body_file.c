// test_body_file.c - reduced bodies as files: the same numbers again, to the last bit; the cache, which never finds a body of
// other things; matrices for other programs; damaged files.
#include "base/number.h"
#include "check.h"
#include "flexion/flexion.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define LENGTH 2.0
#define DENSITY 1500.0

static char folder[64];
static const char *deck_bar = "bar.inp";

// A bar of ten hexahedra between two named ends.
static int write_deck(const char *name, double height)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    CHECK(f != NULL);
    fprintf(f, "*NODE\n");
    for (int i = 0; i < 44; i++) {
        static const double y[4] = {0, 0.1, 0.1, 0}, z[4] = {0, 0, 1, 1};
        flx_fprintf(f, "%d, %.12g, %.12g, %.12g\n", i + 1, LENGTH / 10 * (i / 4), y[i % 4],
                    z[i % 4] * height);
    }
    fprintf(f, "*ELEMENT, TYPE=C3D8I, ELSET=BAR\n");
    for (int i = 0; i < 10; i++) {
        int a = 4 * i + 1;
        fprintf(f, "%d, %d, %d, %d, %d, %d, %d, %d, %d\n", i + 1, a, a + 4, a + 5, a + 1, a + 3,
                a + 7, a + 6, a + 2);
    }
    fprintf(f, "*NSET, NSET=root\n1, 2, 3, 4\n*NSET, NSET=top\n41, 42, 43, 44\n");
    fclose(f);
    return 0;
}

static int begin(void)
{
    snprintf(folder, sizeof folder, "body_file_%ld", (long)getpid());
    CHECK(mkdir(folder, 0777) == 0);
    return write_deck(deck_bar, 0.12);
}

static void remove_all(const char *path)
{
    DIR *d = opendir(path);
    char name[512];
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        if (e->d_name[0] == '.') continue;
        snprintf(name, sizeof name, "%s/%s", path, e->d_name);
        if (remove(name) != 0) remove_all(name);
    }
    if (d) closedir(d);
    rmdir(path);
}

static int count_files(const char *path)
{
    DIR *d = opendir(path);
    int n = 0;
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) n += e->d_name[0] != '.';
    if (d) closedir(d);
    return n;
}

static flx_status read_bar(flx_ctx *ctx, const char *body, flx_model **model)
{
    char text[1500], path[100];
    snprintf(text, sizeof text,
             "flexion: 1\nbodies:\n  arm:\n    type: flexible\n%s"
             "joints: {hinge: {type: revolute, on: [ground, arm], at: arm.root, axis: [0, 1, 0]}}\n"
             "simulate: {until: 0.01, method: radau}\n",
             body);
    snprintf(path, sizeof path, "%s/model.yaml", folder);
    return flx_model_read_text(ctx, path, text, strlen(text), 0, NULL, model);
}

static flx_status read_mesh(flx_ctx *ctx, const char *deck, double E, const char *reduce,
                            const char *more, flx_model **model)
{
    char body[600];
    flx_snprintf(body, sizeof body,
                 "    fe: {mesh: %s, material: {E: %.17g, nu: 0.3, density: 1500}}\n"
                 "    reduce: {%s, interfaces: [root, top]}\n%s",
                 deck, E, reduce, more);
    return read_bar(ctx, body, model);
}

static char *read_text(const char *name)
{
    char path[128];
    struct stat all;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = stat(path, &all) == 0 ? fopen(path, "r") : NULL;
    char *text = f ? calloc(1, (size_t)all.st_size + 1) : NULL;
    if (text && fread(text, 1, (size_t)all.st_size, f) != (size_t)all.st_size) text[0] = 0;
    if (f) fclose(f);
    return text;
}

// All numbers of a body as Standard Input Data.
static char *numbers_of(flx_model *model, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return flx_model_write_sid(model, NULL, path) == FLX_OK ? read_text(name) : NULL;
}

static int a_body_comes_back_to_the_last_bit(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *a = NULL, *b = NULL;
    char path[128];
    CHECK(begin() == 0);
    CHECK(read_mesh(ctx, deck_bar, 2e9, "type: craig-bampton, modes: 1",
                    "    stiffening: true\n    damping: {ratio: 0.02}\n", &a) == FLX_OK);
    snprintf(path, sizeof path, "%s/arm.h5", folder);
    CHECK(flx_model_write_body(a, "arm", path) == FLX_OK);
    CHECK(read_bar(ctx, "    data: arm.h5\n", &b) == FLX_OK);
    char *first = numbers_of(a, "a.SID_FEM"), *second = numbers_of(b, "b.SID_FEM");
    CHECK(first && second && strlen(first) > 10000);
    CHECK(strcmp(first, second) == 0);
    free(second);
    flx_model_destroy(&b);
    // other damping takes the place of the file's
    CHECK(read_bar(ctx, "    data: arm.h5\n    damping: {ratio: 0}\n", &b) == FLX_OK);
    second = numbers_of(b, "b.SID_FEM");
    CHECK(second && strcmp(first, second) != 0);
    free(first);
    free(second);
    flx_model_destroy(&a);
    flx_model_destroy(&b);
    flx_ctx_destroy(&ctx);
    remove_all(folder);
    return 0;
}

static int its_certificate_comes_with_it(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *a = NULL, *b = NULL;
    char path[128];
    CHECK(begin() == 0);
    CHECK(read_mesh(ctx, deck_bar, 2e9, "type: band, to: 900, tolerance: 1e-3", "", &a) == FLX_OK);
    snprintf(path, sizeof path, "%s/arm.h5", folder);
    CHECK(flx_model_write_body(a, "arm", path) == FLX_OK);
    CHECK(read_bar(ctx, "    data: arm.h5\n", &b) == FLX_OK);
    const flx_reduction_report *p = flx_model_elastic_report(a, 0),
                               *q = flx_model_elastic_report(b, 0);
    CHECK(p && q && p->ncondition == 4 && q->ncondition == 4 && p->nhz == q->nhz);
    CHECK(strcmp(p->conditions[3].name, q->conditions[3].name) == 0);
    CHECK(memcmp(p->conditions[2].errors, q->conditions[2].errors,
                 (size_t)p->nhz * sizeof(double)) == 0);
    CHECK(p->known == q->known && p->counted == q->counted && p->met == q->met);
    flx_model_destroy(&a);
    flx_model_destroy(&b);
    flx_ctx_destroy(&ctx);
    remove_all(folder);
    return 0;
}

static int refuses(const char *body, const char *words)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    CHECK(read_bar(ctx, body, &model) != FLX_OK);
    CHECK(flx_ctx_error(ctx, 0));
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, words);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int bad_bodies_are_refused_by_name(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    char path[128];
    CHECK(begin() == 0);
    CHECK(read_mesh(ctx, deck_bar, 2e9, "type: craig-bampton, modes: 1", "", &model) == FLX_OK);
    snprintf(path, sizeof path, "%s/arm.h5", folder);
    CHECK(flx_model_write_body(model, "arm", path) == FLX_OK);
    CHECK(flx_model_write_body(model, "leg", path) != FLX_OK);
    flx_ctx_clear_messages(ctx);
    CHECK(refuses("    data: arm.h5\n    stiffening: true\n", "was reduced with") == 0);
    CHECK(refuses("    data: none.h5\n", "none.h5") == 0);
    // whatever is cut off or overwritten: a message, never a crash
    struct stat all;
    CHECK(stat(path, &all) == 0);
    for (int i = 1; i < 8; i++) {
        CHECK(flx_model_write_body(model, "arm", path) == FLX_OK);
        CHECK(truncate(path, all.st_size * i / 8) == 0);
        CHECK(refuses("    data: arm.h5\n", "arm.h5") == 0);
    }
    FILE *f = fopen(path, "wb");
    CHECK(f != NULL);
    fwrite("\x89HDF\r\n\x1a\nand nothing more", 1, 24, f);
    fclose(f);
    CHECK(refuses("    data: arm.h5\n", "cannot read the body") == 0);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    remove_all(folder);
    return 0;
}

typedef struct variant {
    const char *deck;
    double E;
    const char *reduce, *more;
    int files; // in the cache after it was read
} variant;

static int the_cache_knows_what_a_body_is_made_of(void)
{
    static const char cb[] = "type: craig-bampton, modes: 1";
    const variant list[] = {
        {deck_bar, 2e9, cb, "", 1},
        {deck_bar, 2e9, cb, "", 1},
        {deck_bar, 2e9, cb, "    damping: {ratio: 0.01}\n", 2}, // responses are measured with it
        {deck_bar, 2.0000001e9, cb, "", 3},
        {deck_bar, 2e9, "type: craig-bampton, modes: 2", "", 4},
        {deck_bar, 2e9, "type: craig-bampton, modes: 1, inertia_relief: true", "", 5},
        {deck_bar, 2e9, cb, "    frame: buckens\n", 6},
        {deck_bar, 2e9, cb, "    stiffening: true\n", 7},
        {"other.inp", 2e9, cb, "", 8},
        {"same.inp", 2e9, cb, "", 8}, // another file of the same mesh
        {deck_bar, 2e9, cb, "", 8},
        {deck_bar, 2e9, "type: band, to: 1", "", 9}, // with a note
        {deck_bar, 2e9, "type: band, to: 1", "", 9},
    };
    char cache[80];
    CHECK(begin() == 0);
    CHECK(write_deck("other.inp", 0.12000001) == 0 && write_deck("same.inp", 0.12) == 0);
    snprintf(cache, sizeof cache, "%s/cache", folder);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        const variant *v = list + i;
        char *direct, *kept;
        flx_ctx *ctx = flx_ctx_create();
        flx_model *model = NULL;
        CHECK(flx_cache_set(NULL) == FLX_OK);
        CHECK(read_mesh(ctx, v->deck, v->E, v->reduce, v->more, &model) == FLX_OK);
        int notes = flx_ctx_warning_count(ctx);
        direct = numbers_of(model, "a.SID_FEM");
        flx_model_destroy(&model);
        flx_ctx_clear_messages(ctx);
        CHECK(flx_cache_set(cache) == FLX_OK);
        CHECK(read_mesh(ctx, v->deck, v->E, v->reduce, v->more, &model) == FLX_OK);
        CHECK(flx_cache_set(NULL) == FLX_OK);
        CHECK(flx_ctx_warning_count(ctx) == notes);
        CHECK(count_files(cache) == v->files);
        kept = numbers_of(model, "a.SID_FEM");
        CHECK(direct && kept && strcmp(direct, kept) == 0);
        CHECK(i < 11 || notes > 0);
        free(direct);
        free(kept);
        flx_model_destroy(&model);
        flx_ctx_destroy(&ctx);
    }
    remove_all(folder);
    return 0;
}

static int matrices_are_those_of_the_mesh(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    char path[128], component[200], *end;
    int n, m, columns;
    long entries;
    double mass = 0;
    CHECK(begin() == 0);
    // held at single nodes: every unknown is one of a node
    CHECK(read_bar(ctx,
                   "    fe: {mesh: bar.inp, material: {E: 2e9, nu: 0.3, density: 1500}}\n"
                   "    frame: buckens\n"
                   "    reduce: {type: modal, modes: 3, interfaces: {root: {on: node(1)}}}\n",
                   &model) == FLX_OK);
    snprintf(path, sizeof path, "%s/bar", folder);
    CHECK(flx_model_write_matrices(model, "arm", path) == FLX_OK);
    char *M = read_text("bar_M.mtx"), *unknowns = read_text("bar_unknowns.csv");
    char *B = read_text("bar_B.mtx"), *ports = read_text("bar_ports.csv");
    CHECK(strncmp(M, "%%MatrixMarket matrix coordinate real symmetric\n", 48) == 0);
    CHECK(sscanf(M + 48, "%d %d %ld", &n, &m, &entries) == 3 && n == 132 && m == 132);
    char *line = strchr(unknowns, '\n') + 1;
    for (int i = 0; i < n; i++, line = strchr(line, '\n') + 1) {
        int row, node;
        char word[8];
        CHECK(sscanf(line, "%d,%d,%7[a-z]", &row, &node, word) == 3 && row == i + 1);
        component[i] = word[0];
    }
    line = strchr(M + 48, '\n') + 1;
    for (long k = 0; k < entries; k++) { // all pushed along x
        int i = (int)strtol(line, &end, 10), j = (int)strtol(end, &end, 10);
        double value = flx_number_read(end, &end);
        if (component[i - 1] == 'x' && component[j - 1] == 'x') mass += (i == j ? 1 : 2) * value;
        line = strchr(end, '\n') + 1;
    }
    CHECK_REL(mass, DENSITY * LENGTH * 0.1 * 0.12, 1e-12);
    CHECK(sscanf(strchr(B, '\n') + 1, "%d %d %ld", &n, &columns, &entries) == 3);
    CHECK(n == 132 && columns == 3 && entries == 3);
    CHECK_TEXT(ports, "3,root.z");
    free(M);
    free(B);
    free(unknowns);
    free(ports);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    remove_all(folder);
    return 0;
}

TEST_MAIN(TEST(a_body_comes_back_to_the_last_bit), TEST(its_certificate_comes_with_it),
          TEST(bad_bodies_are_refused_by_name), TEST(the_cache_knows_what_a_body_is_made_of),
          TEST(matrices_are_those_of_the_mesh))
