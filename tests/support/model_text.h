// model_text.h - models of tests that are files, which editors and the schema can read: tests/models/short/NAME.yaml.
#pragma once

#include <stdio.h>
#include <stdlib.h>

// The text of a model, of the last few that were asked for; a test without its model ends.
static inline const char *model_text(const char *name)
{
    enum { TEXTS = 8, SIZE = 8192 };
    static char texts[TEXTS][SIZE];
    static int next;
    char path[1024], *text = texts[next++ % TEXTS];
    snprintf(path, sizeof path, FLX_TESTS "/models/short/%s.yaml", name);
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(text, 1, SIZE, f) : 0;
    if (f) fclose(f);
    if (n == 0 || n == SIZE) {
        printf("%s: cannot be read\n", path);
        exit(1);
    }
    text[n] = 0;
    return text;
}
