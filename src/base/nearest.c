// nearest.c - the word a user probably meant: edit distance with transpositions.
#include "base/common.h"

#include <string.h>

#define LONGEST 64

static int smallest(int a, int b, int c)
{
    int m = a < b ? a : b;
    return m < c ? m : c;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

// Optimal string alignment: insert, delete, replace, swap two neighbours; case counts nothing.
static int edit_distance(const char *a, const char *b)
{
    int na = (int)strlen(a), nb = (int)strlen(b);
    if (na > LONGEST || nb > LONGEST) return LONGEST;
    int row[3][LONGEST + 1];
    for (int j = 0; j <= nb; j++) row[0][j] = j;
    for (int i = 1; i <= na; i++) {
        int *now = row[i % 3], *before = row[(i + 2) % 3], *earlier = row[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= nb; j++) {
            char x = lower(a[i - 1]), y = lower(b[j - 1]);
            now[j] = smallest(before[j] + 1, now[j - 1] + 1, before[j - 1] + (x != y));
            bool swapped = i > 1 && j > 1 && x == lower(b[j - 2]) && lower(a[i - 2]) == y;
            if (swapped && earlier[j - 2] + 1 < now[j]) now[j] = earlier[j - 2] + 1;
        }
    }
    return row[na % 3][nb];
}

void flx_nearest_start(flx_nearest *n, const char *word)
{
    *n = (flx_nearest){.word = word, .best = NULL, .distance = LONGEST};
}

void flx_nearest_offer(flx_nearest *n, const char *candidate)
{
    int d = edit_distance(n->word, candidate);
    if (d < n->distance) {
        n->distance = d;
        n->best = candidate;
    }
}

const char *flx_nearest_best(const flx_nearest *n)
{
    // one slip in three letters is a misspelling; more is another word, as is another letter
    int length = (int)strlen(n->word);
    int most = length < 2 ? 0 : length < 3 ? 1 : length / 3 + (length > 4);
    return n->best && n->distance <= most ? n->best : NULL;
}
