// completion_words.c - options and first words of commands, of their help: there is one list of them.
#include "cli/completion/completion_words.h"

#include "flexion/extend/method_table.h"

#include <string.h>

#define LETTERS "-abcdefghijklmnopqrstuvwxyz"
enum { MOST = 80, LENGTH = 40 };

typedef struct words {
    int n;
    char items[MOST][LENGTH];
} words;

static void keep(words *w, const char *text, size_t length)
{
    if (length == 0 || length >= LENGTH || w->n == MOST) return;
    for (int i = 0; i < w->n; i++)
        if (strlen(w->items[i]) == length && strncmp(w->items[i], text, length) == 0) return;
    memcpy(w->items[w->n], text, length);
    w->items[w->n++][length] = '\0';
}

static void put(const words *w, const char *before, const char *after)
{
    for (int i = 0; i < w->n; i++) printf("%s%s%s", before, w->items[i], after);
}

// Where the help comes to examples, which are of other commands too.
static const char *end_of(const char *help)
{
    const char *end = strstr(help, "\nExample");
    return end ? end : help + strlen(help);
}

void cli_put_options(const cli_command *c, const char *before, const char *after)
{
    words w = {0};
    const char *end = end_of(c->help);
    for (const char *at = strchr(c->help, '-'); at && at < end; at = strchr(at, '-')) {
        size_t n = strspn(at, LETTERS);
        bool apart = at > c->help && strchr(" [(,|\n", at[-1]);
        bool whole = n > 2 && at[1] == '-' && at[2] != '-';
        bool letter = n == 2 && at[1] != '-' && at >= c->help + 3 && memcmp(at - 3, "\n  ", 3) == 0;
        if (apart && (whole || letter)) keep(&w, at, n);
        at += n;
    }
    keep(&w, "--strict", strlen("--strict"));
    keep(&w, "--cache", strlen("--cache"));
    keep(&w, "--help", strlen("--help"));
    put(&w, before, after);
}

int cli_put_actions(const cli_command *c, const char *before, const char *after)
{
    words w = {0};
    char name[LENGTH];
    int n = snprintf(name, sizeof name, "flexion %s ", c->name);
    const char *end = strstr(c->help, "\n\n");
    for (const char *at = strstr(c->help, name); at && (!end || at < end); at = strstr(at, name)) {
        at += n;
        size_t length = strspn(at, LETTERS "|");
        if (at[0] == '-' || !strchr(" \n", at[length])) continue;
        for (const char *word = at; word < at + length;) {
            size_t one = strspn(word, LETTERS);
            keep(&w, word, one);
            word += one + 1;
        }
    }
    if (before) put(&w, before, after);
    return w.n;
}

void cli_put_methods(const char *before, const char *after)
{
    for (const flx_integrator_type *const *t = flx_integrator_types(); *t; t++)
        printf("%s%s%s", before, (*t)->name, after);
}
