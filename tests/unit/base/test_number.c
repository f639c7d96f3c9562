// Numbers and their text in programs of every locale.
#include "base/letters.h"
#include "base/number.h"
#include "check.h"
#include "random_number.h"

#include <errno.h>
#include <float.h>
#include <stdint.h>

#undef strtod // the library's own, to compare with

// False: this machine has no such locale. Afterwards the locale is back to "C".
static bool with_comma(void)
{
    if (!FLX_LOCALES[0]) return false;
    setenv("LOCPATH", FLX_LOCALES, 1);
    return setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
}

static int a_decimal_comma_changes_nothing(void)
{
    if (!with_comma()) return 0;
    char text[64], *end;
    CHECK(strcmp(localeconv()->decimal_point, ",") == 0);
    CHECK(flx_number_read("4.905e-3x", &end) == 4.905e-3 && *end == 'x');
    CHECK(flx_number_read("3.14159265358979323846", &end) == 3.14159265358979323846 && !*end);
    CHECK(flx_number_read("1,5", &end) == 1.0 && *end == ',');
    flx_snprintf(text, sizeof text, "%.3f %g %e %d", 0.5, 1e-7, 2.5, 1000000);
    CHECK_TEXT(text, "0.500 1e-07 2.500000e+00 1000000");
    CHECK_TEXT(flx_number_text(0.1, text), "0.1");
    FILE *f = tmpfile();
    CHECK(f && flx_fprintf(f, "%.17g\n", 4.905) > 0);
    rewind(f);
    CHECK(fgets(text, sizeof text, f) != NULL);
    CHECK_TEXT(text, "4.905");
    fclose(f);
    CHECK(strcmp(localeconv()->decimal_point, ",") == 0); // the program keeps its own
    setlocale(LC_ALL, "C");
    return 0;
}

// The same double and the same end as strtod, which is right in the locale "C".
static int reads_alike(const char *text)
{
    char *end, *theirs;
    double x = flx_number_read(text, &end), y = strtod(text, &theirs);
    if (end == theirs && memcmp(&x, &y, sizeof x) == 0) return 0;
    printf("'%s': %.17g, end %d; strtod: %.17g, end %d\n", text, x, (int)(end - text), y,
           (int)(theirs - text));
    return 1;
}

static int what_is_read_is_the_nearest_double(void)
{
    static const char *const words[] = {
        "",
        ".",
        "-",
        "+.",
        "e5",
        "1",
        "-1",
        "+1",
        "-0",
        "0.0",
        "5.",
        ".5",
        "-.5e1",
        "1e",
        "1e+",
        "1e-",
        "1e5",
        "1E-5",
        "1e22",
        "1e23",
        "1e-22",
        "1e-23",
        "9007199254740993",
        "9007199254740992",
        "9007199254740993e1",
        "123456789012345678",
        "1234567890123456789",
        "0.000000000000000001",
        "1e400",
        "1e-400",
        "4.9e-324",
        "1e0000001",
        "1e999999",
        "0x10",
        "0x1p-3",
        "inf",
        "nan",
        " 1",
        "1 2",
        "1.2.3",
        "1d5",
        "1,5",
        "000000000000000000000001",
        "0.1e1e1",
        "2.2250738585072011e-308",
        "1e00022",
        "--1",
    };
    setlocale(LC_ALL, "C");
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) CHECK(reads_alike(words[i]) == 0);
    uint64_t seed = 7;
    for (int i = 0; i < 200000; i++) {
        char text[64];
        double size = 600.0 * random_number(&seed), x = random_number(&seed);
        int digits = 1 + (int)(8.0 * (1.0 + random_number(&seed)));
        flx_snprintf(text, sizeof text, i % 2 ? "%.*e" : "%.*g", digits,
                     i % 3 ? x * pow(10.0, size / 25.0) : x * pow(10.0, size / 2.0));
        CHECK(reads_alike(text) == 0);
    }
    return 0;
}

static int the_shortest_text_reads_back(void)
{
    static const struct {
        double x;
        const char *text;
    } cases[] = {{0.1, "0.1"},
                 {-0.0, "-0"},
                 {1e6, "1000000"},
                 {1e20, "1e+20"},
                 {1.0 / 3.0, "0.3333333333333333"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {DBL_MAX, "1.7976931348623157e+308"}};
    char text[FLX_NUMBER_SIZE];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK(strcmp(flx_number_text(cases[i].x, text), cases[i].text) == 0);
    }
    CHECK(strcmp(flx_number_text((double)NAN, text), "nan") == 0);
    uint64_t seed = 3;
    for (int i = 0; i < 20000; i++) {
        double x = random_number(&seed) * pow(10.0, 300.0 * random_number(&seed));
        CHECK(flx_number_read(flx_number_text(x, text), NULL) == x);
    }
    return 0;
}

static int letters_are_those_of_ascii(void)
{
    CHECK(flx_same_word("include", "INCLUDE") && !flx_same_word("include", "includes"));
    CHECK(flx_same_start("Grid*", "GRID", 4) && !flx_same_start("GRI", "GRID", 4));
    CHECK(flx_is_space('\t') && flx_is_space('\r') && !flx_is_space((char)0xa0));
    CHECK(flx_is_letter('z') && !flx_is_letter((char)0xe4) && flx_upper('i') == 'I');
    return 0;
}

TEST_MAIN(TEST(a_decimal_comma_changes_nothing), TEST(what_is_read_is_the_nearest_double),
          TEST(the_shortest_text_reads_back), TEST(letters_are_those_of_ascii))
