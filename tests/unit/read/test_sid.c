// test_sid.c - Standard Input Data: reading, writing, messages.
#include "arena.h"
#include "base/text_file.h"
#include "check.h"
#include "read/sid/sid_file.h"

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

// The good file with one text replaced.
static char *changed(const char *from, const char *to)
{
    char *text = NULL;
    size_t length = 0;
    if (flx_file_read(ctx, arena, FLX_TESTS "/models/clamped_beam_exact_geo.SID_FEM", FLX_NOWHERE,
                      &text, &length) != FLX_OK) {
        return NULL;
    }
    char *at = strstr(text, from);
    if (!at) return NULL;
    return flx_arena_printf(arena, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

static int expect(const char *from, const char *to, int line, const char *message)
{
    flx_sid *sid = NULL;
    CHECK(begin() == 0);
    char *bad = changed(from, to);
    CHECK(bad);
    CHECK(flx_sid_parse(ctx, arena, "beam.SID_FEM", bad, strlen(bad), &sid) == FLX_ERR_MODEL);
    CHECK(!sid);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, message);
    CHECK(flx_ctx_error(ctx, 0)->loc.line == line);
    finish();
    return 0;
}

// Comments, numbers and counts as other programs write them: one content.
static int takes_what_others_write(void)
{
    static const char *const changes[][2] = {
        {"part\n", "part\n! by another program\n"},
        {"structure  = 3\n", "structure  = 3 ! general\n"},
        {"-1.00000000000D+00", "-0.1d1 ! m"},
        {"-1.00000000000D+00", "-1.0+000"},
        {"-1.00000000000D+00", "-1.E0"},
        {"m0( 2, 1) = -1", "M0 (2 ,1)=-1"},
        {"order      = 0\n    nrow       = 3\n    ncol       = 1\n    nq         = 2",
         "order = 0\n nrow = 3\n ncol = 1\n nq = 0"},
        {"nqn        = 0", "nqn = 2"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        char *text = NULL;
        size_t length = 0;
        flx_sid *sid = NULL;
        CHECK(begin() == 0);
        const flx_sid *known =
            load(FLX_TESTS "/models/clamped_beam_exact_geo.SID_FEM", &text, &length);
        char *other = changed(changes[i][0], changes[i][1]);
        CHECK(known && other);
        CHECK(flx_sid_parse(ctx, arena, "beam.SID_FEM", other, strlen(other), &sid) == FLX_OK);
        if (sid->nodes[0].origin.nq == 0) sid->nodes[0].origin.nq = 2; // a constant needs none
        CHECK(same_body(known, sid) == 0);
        CHECK(flx_ctx_warning_count(ctx) == 0);
        finish();
    }
    return 0;
}

// Blocks that follow from others or have nothing to say may be left out, and stay out; a header that counts wrong
// is told.
static int reads_without_what_follows(void)
{
    flx_sid *sid = NULL, *second = NULL;
    char *text = NULL;
    size_t length = 0;
    CHECK(begin() == 0);
    char *short_text = changed("2 2 :", "7 2 :");
    CHECK(short_text);
    static const char *const names[] = {"\nGr\n", "\nGe\n", "\nksigma\n", "\nDe\n"};
    for (int i = 0; i < 4; i++) {
        char end[16];
        snprintf(end, sizeof end, "\nend %s", names[i] + 1);
        char *from = strstr(short_text, names[i]), *to = strstr(short_text, end);
        CHECK(from && to);
        memmove(from, to + strlen(end) - 1, strlen(to + strlen(end) - 1) + 1);
    }
    CHECK(flx_sid_parse(ctx, arena, "beam.SID_FEM", short_text, strlen(short_text), &sid) ==
          FLX_OK);
    CHECK(!sid->Gr.given && !sid->Ge.given && !sid->ksigma.given && !sid->De.given);
    CHECK(flx_ctx_warning_count(ctx) == 1);
    CHECK_TEXT(flx_ctx_warning(ctx, 0)->text, "7 nodes and 2 modes; the file has 2 and 2");
    CHECK(flx_sid_format(ctx, arena, sid, &text, &length) == FLX_OK);
    CHECK(flx_sid_parse(ctx, arena, "beam.SID_FEM", text, length, &second) == FLX_OK);
    CHECK(same_body(sid, second) == 0);
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
    CHECK(expect("m1( 1, 2, 1)", "m1( 1, 1, 1)", 57, "says 'm1( 1, 1, 1)' twice") == 0);
    CHECK(expect("D+00\n    m1( 1, 2, 1)", "D+00-1+1\n    m1( 1, 2, 1)", 56, "number such as") ==
          0);
    CHECK(expect("nq         = 2\n    nqn        = 0\n    structure  = 3",
                 "nq = 0\nnqn = 0\nstructure = 3", 52, "here it is 2") == 0);
    return 0;
}

// A text that is none is refused at once, however long.
static int a_long_text_is_not_searched_for_ever(void)
{
    enum { LINES = 200000, LENGTH = 10 };
    flx_sid *sid = NULL;
    CHECK(begin() == 0);
    char *text = flx_arena_take(arena, LINES * LENGTH + 1, 1);
    CHECK(text);
    for (int i = 0; i < LINES; i++) memcpy(text + (size_t)i * LENGTH, "some text\n", LENGTH);
    CHECK(flx_sid_parse(ctx, arena, "x", text, LINES * LENGTH, &sid) == FLX_ERR_MODEL);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "no line 'part' so far");
    finish();
    return 0;
}

TEST_MAIN(TEST(writes_what_it_read), TEST(reads_the_printed_file), TEST(keeps_every_bit),
          TEST(takes_what_others_write), TEST(reads_without_what_follows), TEST(says_what_is_wrong),
          TEST(a_long_text_is_not_searched_for_ever))
