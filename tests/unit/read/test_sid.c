// test_sid.c - Standard Input Data: reading, writing, messages.
#include "arena.h"
#include "check.h"
#include "model/file.h"
#include "read/sid.h"

static flx_sid *load(const char *path, char **text, size_t *length)
{
    flx_sid *sid = NULL;
    if (flx_file_read(ctx, arena, path, FLX_NOWHERE, text, length) != FLX_OK) return NULL;
    return flx_sid_parse(ctx, arena, path, *text, *length, &sid) == FLX_OK ? sid : NULL;
}

static int same_block(const flx_taylor *a, const flx_taylor *b)
{
    CHECK(a->given == b->given && a->order == b->order && a->structure == b->structure);
    CHECK(a->nrow == b->nrow && a->ncol == b->ncol && a->nq == b->nq);
    size_t n = (size_t)a->nrow * (size_t)a->ncol;
    if (!a->given) return 0;
    CHECK(memcmp(a->m0, b->m0, n * sizeof(double)) == 0);
    CHECK(!a->m1 == !b->m1);
    if (a->m1) CHECK(memcmp(a->m1, b->m1, (size_t)a->nq * n * sizeof(double)) == 0);
    return 0;
}

static int same_body(const flx_sid *a, const flx_sid *b)
{
    CHECK(a->mass == b->mass && a->nq == b->nq && a->nnode == b->nnode);
    CHECK(strcmp(a->header, b->header) == 0 && strcmp(a->name, b->name) == 0);
    for (int i = 0; i < a->nq; i++) CHECK(strcmp(a->labels[i], b->labels[i]) == 0);
    for (int i = 0; i < a->nnode; i++) {
        CHECK(strcmp(a->nodes[i].id, b->nodes[i].id) == 0);
        CHECK(strcmp(a->nodes[i].rframe, b->nodes[i].rframe) == 0);
#define X(name, nrow, ncol) CHECK(same_block(&a->nodes[i].name, &b->nodes[i].name) == 0);
        FLX_SID_NODE_BLOCKS(X)
#undef X
    }
#define X(name, nrow, ncol) CHECK(same_block(&a->name, &b->name) == 0);
    FLX_SID_BLOCKS(X)
#undef X
    return 0;
}

// The file with geometric stiffening comes back as it was, to the last character.
static int writes_what_it_read(void)
{
    char *text = NULL, *again = NULL;
    size_t length = 0, n = 0;
    CHECK(begin() == 0);
    flx_sid *sid = load(FLX_TESTS "/models/clamped_beam_exact_geo.SID_FEM", &text, &length);
    CHECK(sid);
    CHECK(flx_sid_format(ctx, arena, sid, &again, &n) == FLX_OK);
    CHECK(strcmp(text, again) == 0);
    finish();
    return 0;
}

// The printed file, its header on one line or on two, has one content; written and read again it is
// the same in every bit.
static int reads_the_printed_file(void)
{
    char *text = NULL, *again = NULL;
    size_t length = 0, n = 0;
    flx_sid *back = NULL;
    CHECK(begin() == 0);
    flx_sid *sid = load(FLX_TESTS "/reference/digest/clamped_beam.SID_FEM", &text, &length);
    CHECK(sid);
    CHECK(sid->mass == 0.275 && sid->nq == 2 && sid->nnode == 2);
    CHECK(strcmp(sid->labels[1], "Eigen Mode 2 : 51.069 Hz") == 0);
    // the middle index of m1 is the coordinate
    CHECK(flx_taylor_m1(&sid->nodes[1].AP, 1, 0, 0) == -flx_taylor_m1(&sid->nodes[1].AP, 0, 0, 1));
    CHECK(flx_taylor_m0(&sid->nodes[0].AP, 2, 2) == 1.0); // a unit matrix lists nothing
    CHECK(flx_taylor_m0(&sid->Ke, 0, 0) == 2622.21792179);
    flx_sid *joined =
        load(FLX_TESTS "/reference/digest/clamped_beam_joined.SID_FEM", &text, &length);
    CHECK(joined);
    CHECK(same_body(sid, joined) == 0);
    CHECK(flx_sid_format(ctx, arena, sid, &again, &n) == FLX_OK);
    CHECK(flx_sid_parse(ctx, arena, "again", again, n, &back) == FLX_OK);
    CHECK(same_body(sid, back) == 0);
    finish();
    return 0;
}

// Numbers that twelve digits do not hold come back as well.
static int keeps_every_bit(void)
{
    char *text = NULL, *again = NULL;
    size_t length = 0, n = 0;
    flx_sid *back = NULL;
    CHECK(begin() == 0);
    flx_sid *sid = load(FLX_TESTS "/models/clamped_beam_exact_geo.SID_FEM", &text, &length);
    CHECK(sid);
    sid->Oe.m1[5] = 1.0 / 3.0;
    sid->Ke.m0[1] = -4.9e-324;
    sid->mass = 0.1 + 0.2;
    CHECK(flx_sid_format(ctx, arena, sid, &again, &n) == FLX_OK);
    CHECK(flx_sid_parse(ctx, arena, "again", again, n, &back) == FLX_OK);
    CHECK(same_body(sid, back) == 0);
    finish();
    return 0;
}

// One text replaced in the good file.
static int expect(const char *from, const char *to, int line, const char *message)
{
    char *text = NULL;
    size_t length = 0;
    flx_sid *sid = NULL;
    CHECK(begin() == 0);
    CHECK(flx_file_read(ctx, arena, FLX_TESTS "/models/clamped_beam_exact_geo.SID_FEM", FLX_NOWHERE,
                        &text, &length) == FLX_OK);
    char *at = strstr(text, from);
    CHECK(at);
    char *bad = flx_arena_printf(arena, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    CHECK(bad);
    CHECK(flx_sid_parse(ctx, arena, "beam.SID_FEM", bad, strlen(bad), &sid) == FLX_ERR_MODEL);
    CHECK(!sid);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, message);
    CHECK(flx_ctx_error(ctx, 0)->loc.line == line);
    finish();
    return 0;
}

static int says_what_is_wrong(void)
{
    CHECK(expect("\npart\n", "\nprat\n", 230, "not a file of Standard Input Data") == 0);
    CHECK(expect("nelastq = 2", "nelastq = two", 6, "whole number") == 0);
    CHECK(expect("nelastq = 2", "nelastq = 900000", 6, "1 to 500") == 0);
    CHECK(expect("mass = 2.75000000000D-01", "mass = -1", 9, "positive") == 0);
    CHECK(expect("mdCM", "mdCN", 100, "did you mean 'mdCM'") == 0);
    CHECK(expect("D+00\n    m1( 1, 2, 1)", "X+00\n    m1( 1, 2, 1)", 56, "number such as") == 0);
    CHECK(expect("m1( 1, 2, 1)", "m1( 4, 2, 1)", 57, "outside of block 'origin'") == 0);
    CHECK(expect("m0( 3, 1) = 5.2", "m1( 3, 1, 1) = 5.2", 80, "order 0") == 0);
    CHECK(expect("order      = 1", "order      = 2", 49, "order 2") == 0);
    CHECK(expect("structure  = 4", "structure  = 7", 43, "structure 7") == 0);
    CHECK(expect("nrow       = 6", "nrow       = 3", 113, "here it is 6") == 0);
    CHECK(expect("end modal\nend part\n", "", 228, "file ends") == 0);
    CHECK(expect("end part\n", "end part\nmore\n", 230, "after the end") == 0);
    CHECK(expect("new node = 2", "new node = 1", 46, "twice") == 0);
    CHECK(expect("  end psi\n", "", 36, "end psi") == 0);
    return 0;
}

TEST_MAIN(TEST(writes_what_it_read), TEST(reads_the_printed_file), TEST(keeps_every_bit),
          TEST(says_what_is_wrong))
