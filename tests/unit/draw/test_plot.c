// test_plot.c - drawings: all endings, hostile names, gaps, and what is refused.
#include "draw/display_unit.h"
#include "draw/drawings.h"
#include "flexion/extend/method_table.h"
#include "results_fixture.h"

#include <sys/stat.h>

// A result from rows of text.
static flx_result *table(flx_ctx *ctx, const char *text)
{
    flx_result *r = NULL;
    const char *path = in_folder("table.csv");
    write_text(path, text, strlen(text));
    flx_result_open(ctx, path, &r);
    return r;
}

// n rows of a few courses, with units.
static flx_result *courses(flx_ctx *ctx, int n)
{
    static const char *const names[] = {"crank.position.x", "crank.position.y", "A.angle",
                                        "A.reaction.x"};
    static const char *const units[] = {"m", "m", "rad", "N"};
    flx_result_info info = {
        .title = "Slider crank", .ncolumn = 4, .names = names, .units = units, .rows = n};
    flx_sink *s = NULL;
    flx_result *r = NULL;
    char name[32];
    snprintf(name, sizeof name, "courses%d.h5", n); // one that is open is not overwritten
    const char *path = in_folder(name);
    if (flx_hdf5_sink_create(ctx, path, &s) != FLX_OK) return NULL;
    if (s->type->begin(s, &info) != FLX_OK) return NULL;
    for (int i = 0; i < n; i++) {
        double t = 2.0 * i / n, w = 2.385;
        double values[] = {0.15 * cos(w * t), 0.15 * sin(w * t), w * t, 30.0 * sin(3.0 * w * t)};
        if (i > n / 3 && i < n / 2) values[3] = (double)NAN;
        s->type->row(s, t, values);
    }
    s->type->end(s, NULL);
    flx_sink_destroy(&s);
    flx_result_open(ctx, path, &r);
    return r;
}

// The drawing's text; "" when there is none. At most 2 MB.
static const char *drawn(const char *path)
{
    static char text[1 << 21];
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    text[n] = '\0';
    if (f) fclose(f);
    return text;
}

static int every_ending_gives_its_kind_of_file(void)
{
    static const struct {
        const char *name, *begins;
        long least; // bytes
    } kinds[] = {{"a.svg", "<?xml", 3000}, {"a.png", "\x89PNG", 5000}, {"a.pdf", "%PDF", 2000}};
    static const char *const signals[] = {"crank.position", "A.angle", "A.reaction"};
    flx_ctx *ctx = flx_ctx_create();
    flx_result *r = courses(ctx, 400);
    CHECK(r);
    for (int i = 0; i < 3; i++) {
        const char *path = in_folder(kinds[i].name);
        flx_plot_def def = {.path = path, .nsignal = 3, .signals = signals};
        CHECK(flx_plot_write(r, &def) == FLX_OK);
        CHECK(strncmp(drawn(path), kinds[i].begins, strlen(kinds[i].begins)) == 0);
        struct stat info;
        CHECK(stat(path, &info) == 0 && info.st_size > kinds[i].least);
    }
    flx_result_close(&r);
    flx_ctx_destroy(&ctx);
    return 0;
}

// Three units make three panels, each labelled with its unit; the legend names the lines.
static int labels_carry_names_and_units(void)
{
    static const char *const signals[] = {"crank.position", "A.angle", "A.reaction"};
    flx_ctx *ctx = flx_ctx_create();
    flx_result *r = courses(ctx, 400);
    const char *path = in_folder("labels.svg");
    flx_plot_def def = {.path = path, .nsignal = 3, .signals = signals};
    CHECK(flx_plot_write(r, &def) == FLX_OK);
    const char *svg = drawn(path);
    CHECK_TEXT(svg, "crank.position (m)");
    CHECK_TEXT(svg, "A.angle (rad)");
    CHECK_TEXT(svg, "A.reaction.x (N)");
    CHECK_TEXT(svg, ">crank.position.y<");
    CHECK_TEXT(svg, ">t (s)<");
    CHECK_TEXT(svg, ">Slider crank<");
    flx_result_close(&r);
    flx_ctx_destroy(&ctx);
    return 0;
}

// What the names of several lines have in common is the label; without it the legend alone speaks.
static int lines_of_one_kind_share_a_label(void)
{
    static const struct {
        const char *names[2], *label;
    } cases[] = {{{"bob(1).place.y", "bob(12).place.y"}, ">bob.place.y<"},
                 {{"left.arm.angle", "right.arm.angle"}, ">arm.angle<"},
                 {{"a.place.x", "a.place.y"}, ">a.place<"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        flx_ctx *ctx = flx_ctx_create();
        char text[200];
        snprintf(text, sizeof text, "t,%s,%s\n0,1,2\n1,-0.0001,2\n", cases[i].names[0],
                 cases[i].names[1]);
        flx_result *r = table(ctx, text);
        const char *path = in_folder("common.svg");
        flx_plot_def def = {.path = path, .nsignal = 2, .signals = cases[i].names};
        CHECK(flx_plot_write(r, &def) == FLX_OK);
        CHECK_TEXT(drawn(path), cases[i].label);
        flx_result_close(&r);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

static int count(const char *text, const char *part)
{
    int n = 0;
    for (; (text = strstr(text, part)) != NULL; text++) n++;
    return n;
}

// A course with NaN in the middle is two pieces: one move to a start more than the whole one.
static int nan_is_a_gap(void)
{
    static const char *const signal[] = {"a"};
    int moves[2];
    for (int gap = 0; gap < 2; gap++) {
        flx_ctx *ctx = flx_ctx_create();
        flx_result *r = table(ctx, gap ? "t,a\n0,1\n1,2\n2,nan\n3,3\n4,1\n"
                                       : "t,a\n0,1\n1,2\n2,2.5\n3,3\n4,1\n");
        const char *path = in_folder("gap.svg");
        flx_plot_def def = {.path = path, .nsignal = 1, .signals = signal};
        CHECK(flx_plot_write(r, &def) == FLX_OK);
        const char *curve = strstr(drawn(path), "class=\"curve\"");
        CHECK(curve);
        moves[gap] = count(curve, "M");
        flx_result_close(&r);
        flx_ctx_destroy(&ctx);
    }
    CHECK(moves[1] == moves[0] + 1);
    return 0;
}

// Names and titles are text, never markup or commands.
static int hostile_names_do_nothing(void)
{
    flx_ctx *ctx = flx_ctx_create();
    char text[512], name[128];
    // a quote that would end the string, a command, a shell's, markup, a broken character
    snprintf(text, sizeof text,
             "t,\"x'; system('touch %s/evil'); '\",`touch "
             "%s/evil2`,<b>&amp;\xff_a^2\n0,1,2,3\n1,2,3,4\n",
             folder, folder);
    flx_result *r = table(ctx, text);
    CHECK(r);
    const char *signals[3];
    for (int i = 0; i < 3; i++) signals[i] = flx_result_name(r, i + 1);
    snprintf(name, sizeof name, "%s/|touch evil3;'`.svg", folder);
    flx_plot_def def = {.path = name, .nsignal = 3, .signals = signals};
    CHECK(flx_plot_write(r, &def) == FLX_OK);
    const char *svg = drawn(name);
    CHECK_TEXT(svg, "x'; system('touch");
    CHECK_TEXT(svg, "&lt;b>&amp;amp;?_a²");
    CHECK(access(in_folder("evil"), F_OK) != 0);
    CHECK(access(in_folder("evil2"), F_OK) != 0);
    CHECK(access("evil3", F_OK) != 0);
    flx_result_close(&r);
    flx_ctx_destroy(&ctx);
    return 0;
}

// A constant, one row, rounding noise, huge and tiny numbers, infinities: all can be drawn.
static int odd_courses_can_be_drawn(void)
{
    static const char *const tables[] = {
        "t,a\n0,3\n1,3\n",
        "t,a\n0,0\n1,0\n",
        "t,a\n0.5,7\n",
        "t,a\n0,1\n1,1.0000000000000002\n2,1\n",
        "t,a\n0,1e300\n1,-1e300\n",
        "t,a\n0,1e-300\n1,2e-300\n",
        "t,a\n0,inf\n1,2\n2,-inf\n3,4\n",
        "t,a\n2,1\n2,2\n2,3\n",
    };
    static const char *const signal[] = {"a"};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        flx_ctx *ctx = flx_ctx_create();
        flx_result *r = table(ctx, tables[i]);
        CHECK(r);
        flx_plot_def def = {.path = in_folder("odd.svg"), .nsignal = 1, .signals = signal};
        flx_status status = flx_plot_write(r, &def);
        if (status != FLX_OK) printf("table %d: %s\n", (int)i, last_error(ctx));
        CHECK(status == FLX_OK);
        flx_result_close(&r);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

// A million rows do not make a file of a hundred megabytes, and lose no peak.
static int many_rows_make_a_small_file(void)
{
    static const char *const signals[] = {"A.reaction", "crank.position.x"};
    flx_ctx *ctx = flx_ctx_create();
    flx_result *r = courses(ctx, 300000);
    const char *path = in_folder("many.svg");
    flx_plot_def def = {.path = path, .nsignal = 1, .signals = signals};
    CHECK(flx_plot_write(r, &def) == FLX_OK);
    struct stat info;
    CHECK(stat(path, &info) == 0 && info.st_size < 300000);
    def =
        (flx_plot_def){.path = path, .x = "crank.position.y", .nsignal = 1, .signals = signals + 1};
    CHECK(flx_plot_write(r, &def) == FLX_OK);
    CHECK(stat(path, &info) == 0 && info.st_size < 300000);
    flx_result_close(&r);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int refuses(flx_ctx *ctx, flx_result *r, flx_plot_def def, flx_status expected,
                   const char *message)
{
    flx_ctx_clear_messages(ctx);
    CHECK(flx_plot_write(r, &def) == expected);
    CHECK_TEXT(last_error(ctx), message);
    return 0;
}

static int wrong_wishes_are_refused_with_a_reason(void)
{
    static const char *const angle[] = {"A.angle"}, *const wrong[] = {"A.angel"};
    flx_ctx *ctx = flx_ctx_create();
    flx_result *r = courses(ctx, 10), *none = courses(ctx, 0);
    const char *path = in_folder("refused.svg");
    flx_plot_def good = {.path = path, .nsignal = 1, .signals = angle}, bad = good;
    bad.signals = wrong;
    if (refuses(ctx, r, bad, FLX_ERR_ARGUMENT, "did you mean 'A.angle'?")) return 1;
    bad = good;
    bad.nsignal = 0;
    if (refuses(ctx, r, bad, FLX_ERR_ARGUMENT, "no signal")) return 1;
    bad = good;
    bad.x = "crank.position";
    if (refuses(ctx, r, bad, FLX_ERR_ARGUMENT, "stands for several")) return 1;
    bad = good;
    bad.path = "drawing.jpg";
    if (refuses(ctx, r, bad, FLX_ERR_ARGUMENT, ".svg, .png or .pdf")) return 1;
    bad = good;
    bad.path = in_folder("none/refused.svg");
    if (refuses(ctx, r, bad, FLX_ERR_IO, "cannot create the drawing")) return 1;
    if (refuses(ctx, none, good, FLX_ERR_ARGUMENT, "no rows")) return 1;
    CHECK(access(path, F_OK) != 0);

    flx_result *empty = table(ctx, "t,A.angle\n0,nan\n1,nan\n");
    if (refuses(ctx, empty, good, FLX_ERR_ARGUMENT, "no finite value")) return 1;
    flx_result_close(&empty);

    const char *path_now = getenv("PATH");
    CHECK(path_now);
    char *path_before = strdup(path_now);
    setenv("PATH", folder, 1);
    bad = good;
    bad.path = in_folder("refused.png");
    int failed = refuses(ctx, r, bad, FLX_ERR_UNAVAILABLE, "or draw SVG");
    failed =
        failed || flx_plot_write(r, &good) != FLX_OK || !strstr(drawn(path), "class=\"curve\"");
    setenv("PATH", path_before, 1);
    free(path_before);
    flx_result_close(&r);
    flx_result_close(&none);
    flx_ctx_destroy(&ctx);
    return failed;
}

static int files_start(void)
{
    make_folder("plot");
    return 0;
}

static int files_end(void)
{
    remove_folder();
    return 0;
}

static int logarithmic_axes_leave_out_what_is_not_positive(void)
{
    static const char *const signals[] = {"y"};
    flx_ctx *ctx = flx_ctx_create();
    flx_result *r = table(ctx, "t,y,n\n0,1e-6,-1\n1,-1,-2\n10,1e3,-3\n100,1e6,0\n");
    const char *path = in_folder("log.svg");
    flx_plot_def def = {.path = path, .nsignal = 1, .signals = signals, .log_x = 1, .log_y = 1};
    CHECK(flx_plot_write(r, &def) == FLX_OK);
    CHECK(strstr(drawn(path), ">1e6<") && strstr(drawn(path), ">1e-6<"));
    def.x = "n";
    CHECK(flx_plot_write(r, &def) == FLX_ERR_ARGUMENT);
    CHECK(strstr(flx_ctx_error(ctx, 0)->text, "'n' has no positive value") != NULL);
    flx_result_close(&r);
    flx_ctx_destroy(&ctx);
    return 0;
}

// Values as drawn: those of the last points of the lines.
static int other_units_are_drawn(void)
{
    static const char *const signals[] = {"A.angle:deg", "A.angle", "crank.position:mm"};
    static const char *const wrong[] = {"A.angle:kg", "A.angle:", "A.angle:rpm", "t:deg",
                                        "B.angle:deg"};
    flx_ctx *ctx = flx_ctx_create();
    flx_result *r = courses(ctx, 40);
    const char *path = in_folder("units.svg");
    flx_plot_def def = {.path = path, .nsignal = 3, .signals = signals, .x = "t:ms"};
    CHECK(flx_plot_write(r, &def) == FLX_OK);
    const char *text = drawn(path);
    CHECK(strstr(text, "A.angle (deg)") && strstr(text, "A.angle (rad)") && strstr(text, "t (ms)"));
    CHECK(strstr(text, "crank.position (mm)"));
    CHECK(strstr(text, ">150<") && strstr(text, ">250<")); // 150 mm, 266 deg
    CHECK(strstr(text, ">1600<"));                         // ms
    double factor = 0;
    CHECK(flx_display_factor(ctx, "w", "rad/s", "rpm", &factor) == FLX_OK);
    CHECK_NEAR(factor, 9.549296585513720, 1e-14);
    CHECK(flx_display_factor(ctx, "a", "m/s^2", "g", &factor) == FLX_OK);
    CHECK_NEAR(factor * 9.80665, 1, 1e-15);
    CHECK(flx_display_factor(ctx, "v", "m/s", "km/h", &factor) == FLX_OK);
    CHECK_NEAR(factor, 3.6, 1e-15);
    static const struct {
        const char *from, *to;
        double factor;
    } others[] = {{"deg", "rad", FLX_PI / 180}, {"deg", "rev", 1.0 / 360}, {"rpm", "deg/s", 6},
                  {"km/h", "m/s", 1 / 3.6},     {"kN m", "N mm", 1e6},     {"bar", "kPa", 100},
                  {"furlong", "furlong", 1}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        CHECK(flx_display_factor(ctx, "x", others[i].from, others[i].to, &factor) == FLX_OK);
        CHECK_REL(factor, others[i].factor, 1e-15);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        def.nsignal = 1;
        def.signals = wrong + i;
        CHECK(flx_plot_write(r, &def) == FLX_ERR_ARGUMENT);
    }
    CHECK(strstr(flx_ctx_error(ctx, 0)->text,
                 "'A.angle' is in rad, which cannot be drawn in 'kg'; it can in deg"));
    int before = flx_ctx_error_count(ctx);
    CHECK(flx_display_factor(ctx, "x", "mm", "deg", &factor) == FLX_ERR_ARGUMENT);
    CHECK_TEXT(flx_ctx_error(ctx, before)->text, "it can in m, cm");
    flx_result_close(&r);
    flx_ctx_destroy(&ctx);
    return 0;
}

TEST_MAIN(TEST(files_start), TEST(every_ending_gives_its_kind_of_file),
          TEST(labels_carry_names_and_units), TEST(lines_of_one_kind_share_a_label),
          TEST(nan_is_a_gap), TEST(hostile_names_do_nothing), TEST(odd_courses_can_be_drawn),
          TEST(many_rows_make_a_small_file), TEST(wrong_wishes_are_refused_with_a_reason),
          TEST(logarithmic_axes_leave_out_what_is_not_positive), TEST(other_units_are_drawn),
          TEST(files_end))
