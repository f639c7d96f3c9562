// number.c - numbers and their text; see number.h.
#include "base/number.h"

#include <locale.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// The locale "C", which is built into the C library: it takes no memory and cannot fail. A thread
// that finds it missing makes it; of two that do so at once the second one keeps its own.
static locale_t c_locale(void)
{
    static _Atomic(locale_t) known;
    locale_t c = atomic_load_explicit(&known, memory_order_acquire);
    if (c != (locale_t)0) return c;
    c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    atomic_store_explicit(&known, c, memory_order_release);
    return c;
}

// ---- reading ------------------------------------------------------------------------------------

// Digits and an exponent that a double holds exactly make one exact product or quotient: the
// nearest double, without strtod. False: something else.
static bool read_short(const char *text, char **end, double *out)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *p = text;
    uint64_t digits = 0;
    int count = 0, scale = 0;
    bool negative = *p == '-';
    if (*p == '-' || *p == '+') p++;
    if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) return false;
    for (; *p >= '0' && *p <= '9'; p++, count++) digits = 10 * digits + (uint64_t)(*p - '0');
    if (*p == '.') {
        for (p++; *p >= '0' && *p <= '9'; p++, count++, scale--)
            digits = 10 * digits + (uint64_t)(*p - '0');
    }
    if (count == 0 || count > 18 || digits > (uint64_t)1 << 53) return false;
    if (*p == 'e' || *p == 'E') {
        const char *e = p + 1;
        bool down = *e == '-';
        int power = 0;
        if (*e == '-' || *e == '+') e++;
        const char *from = e;
        for (; *e >= '0' && *e <= '9' && power < 1000; e++) power = 10 * power + (*e - '0');
        if (*e >= '0' && *e <= '9') return false;
        if (e > from) {
            scale += down ? -power : power;
            p = e;
        }
    }
    if (scale < -22 || scale > 22) return false;
    double x = (double)digits;
    x = scale < 0 ? x / powers[-scale] : x * powers[scale];
    *out = negative ? -x : x;
    *end = (char *)p;
    return true;
}

double flx_number_read(const char *text, char **end)
{
    char *behind;
    double x;
    if (!read_short(text, &behind, &x)) {
        locale_t before = uselocale(c_locale());
        x = strtod(text, &behind);
        uselocale(before);
    }
    if (end) *end = behind;
    return x;
}

bool flx_number_has_comma(const char *text)
{
    char copy[64], *end;
    const char *comma = strchr(text, ',');
    if (!comma || strlen(text) >= sizeof copy) return false;
    memcpy(copy, text, strlen(text) + 1);
    copy[comma - text] = '.';
    (void)flx_number_read(copy, &end);
    return end != copy && *end == '\0';
}

// ---- writing ------------------------------------------------------------------------------------

int flx_vsnprintf(char *out, size_t size, const char *format, va_list args)
{
    locale_t before = uselocale(c_locale());
    int n = vsnprintf(out, size, format, args);
    uselocale(before);
    return n;
}

int flx_snprintf(char *out, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = flx_vsnprintf(out, size, format, args);
    va_end(args);
    return n;
}

int flx_fprintf(FILE *f, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    locale_t before = uselocale(c_locale());
    int n = vfprintf(f, format, args);
    uselocale(before);
    va_end(args);
    return n;
}

const char *flx_error_text(int error)
{
    return strerror_l(error, c_locale());
}

const char *flx_number_text(double x, char out[FLX_NUMBER_SIZE])
{
    // 15 digits always come back as they are, and %g leaves trailing zeros out; 17 always suffice
    for (int digits = 15; digits <= 17; digits++) {
        flx_snprintf(out, FLX_NUMBER_SIZE, "%.*g", digits, x);
        if (flx_number_read(out, NULL) == x) break;
    }
    return out;
}
