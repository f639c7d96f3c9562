// random_models.c - random models, each computed in many ways that must agree.
//
//     random_models [--seed N] [--count N] [--seconds S] [--only VARIANT] [--features LETTERS] [--keep FOLDER] [--print] [--write] [--failures]
//
// Model number i has the seed N + i. What disagrees is made small and written to a file. It ends with
// counts; the exit status is 1 where anything disagreed. --failures: runs that fail count as well.
// --print: says what was refused or failed. --write: writes the models. --whole: nothing is made small.
#include "variants.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct options {
    uint64_t seed;
    long count;
    double seconds;
    const char *only, *keep;
    features f;
    bool print, write, failures, whole;
} options;

typedef struct counts {
    long models, without, comparisons, of[DISAGREES + 1];
    long by_variant[64][DISAGREES + 1];
    double seconds[64], to_refer; // of each variant, of references
    long bodies[BODY_KINDS], joints[JOINT_KINDS], forces[FORCE_KINDS];
} counts;

static const features everything = {.most_bodies = 4,
                                    .space = true,
                                    .points = true,
                                    .forces = true,
                                    .loops = true,
                                    .motions = true,
                                    .friction = true,
                                    .redundant = true,
                                    .equations = true,
                                    .mixed = true,
                                    .laws = true,
                                    .starts = true,
                                    .modal = true,
                                    .events = true,
                                    .limits = true,
                                    .contacts = true,
                                    .inputs = true,
                                    .massless = true,
                                    .control = true,
                                    .lines = true,
                                    .tyres = true,
                                    .shapes = true,
                                    .meshes = true,
                                    .pairs = true};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Letters leave features in; without the option all are.
static features choose(const char *letters)
{
    features f = {.most_bodies = strchr(letters, '1') ? 1 : strchr(letters, '2') ? 2 : 4};
    f.space = strchr(letters, 's');
    f.points = strchr(letters, 'p');
    f.forces = strchr(letters, 'f');
    f.loops = strchr(letters, 'l');
    f.motions = strchr(letters, 'm');
    f.friction = strchr(letters, 'c');
    f.redundant = strchr(letters, 'r');
    f.equations = strchr(letters, 'e');
    f.mixed = strchr(letters, 'x');
    f.laws = strchr(letters, 'w');
    f.starts = strchr(letters, 't');
    f.modal = strchr(letters, 'd');
    f.events = strchr(letters, 'v');
    f.limits = strchr(letters, 'b');
    f.contacts = strchr(letters, 'k');
    f.inputs = strchr(letters, 'u');
    f.massless = strchr(letters, 'o');
    f.control = strchr(letters, 'g');
    f.lines = strchr(letters, 'n');
    f.tyres = strchr(letters, 'y');
    f.shapes = strchr(letters, 'h');
    f.meshes = strchr(letters, 'q');
    f.pairs = strchr(letters, 'i');
    return f;
}

static bool read_options(int argc, char **argv, options *o)
{
    *o = (options){.seed = 1, .count = 100, .seconds = 0, .keep = ".", .f = everything};
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--print") == 0) {
            o->print = true;
            continue;
        }
        if (strcmp(argv[i], "--failures") == 0) {
            o->failures = true;
            continue;
        }
        if (strcmp(argv[i], "--whole") == 0) {
            o->whole = true;
            continue;
        }
        if (strcmp(argv[i], "--write") == 0) {
            o->write = true;
            continue;
        }
        if (strcmp(argv[i], "--seed") == 0) {
            o->seed = strtoull(value, NULL, 0);
        } else if (strcmp(argv[i], "--count") == 0) {
            o->count = atol(value);
        } else if (strcmp(argv[i], "--seconds") == 0) {
            o->seconds = atof(value);
        } else if (strcmp(argv[i], "--only") == 0) {
            o->only = value;
        } else if (strcmp(argv[i], "--features") == 0) {
            o->f = choose(value);
        } else if (strcmp(argv[i], "--keep") == 0) {
            o->keep = value;
        } else {
            return false;
        }
        i++;
    }
    return true;
}

static const variant reference = {.name = "reference", .m = {"", "", "", 0, 0, NULL}};

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    if (!f) {
        printf("cannot write %s\n", path);
        return;
    }
    fputs(text, f);
    fclose(f);
}

static void write_model(const options *o, const spec *s, const variant *v)
{
    char path[512], name[64];
    snprintf(name, sizeof name, "%s", v->name);
    for (char *c = name; *c; c++) {
        if (*c == ' ' || *c == ',') *c = '_';
    }
    snprintf(path, sizeof path, "%s/random_%llu_%s.yaml", o->keep, (unsigned long long)s->seed,
             name);
    char *text = variant_text(s, v);
    write_file(path, text);
    free(text);
    write_variant_meshes(s, v, o->keep);
    printf("  %s\n", path);
}

static void write_models(const options *o, const spec *s)
{
    write_model(o, s, &reference);
    for (int i = 0; i < variant_count; i++) {
        if (!o->only || strcmp(o->only, variants[i].name) == 0) write_model(o, s, variants + i);
    }
}

static void report(const options *o, const spec *s, const variant *v, finding f)
{
    spec small = *s;
    printf("seed %llu, %s: %.3g at %s %s\n", (unsigned long long)s->seed, v->name, f.difference,
           f.where, f.message);
    fflush(stdout);
    int items = count_items(s);
    if (!o->whole) shrink(v, &small, &f);
    printf("  made small, %d items of %d: %.3g at %s %s\n", count_items(&small), items,
           f.difference, f.where, f.message);
    write_model(o, &small, &reference);
    write_model(o, &small, v);
    fflush(stdout);
}

static void count_kinds(const spec *s, counts *n)
{
    for (int i = 0; i < s->nbody; i++) n->bodies[s->bodies[i].kind]++;
    for (int i = 0; i < s->njoint; i++) n->joints[s->joints[i].kind]++;
    for (int i = 0; i < s->nforce; i++) n->forces[s->forces[i].kind]++;
}

static void print_kinds(const counts *n)
{
    static const char *const bodies[BODY_KINDS] = {"rigid", "point", "flexible",
                                                   "beam",  "mesh",  "solid"};
    static const char *const forces[FORCE_KINDS] = {
        "spring",  "spring on a joint", "actuator",        "effort on a joint", "force",   "torque",
        "bushing", "gravitation",       "expression",      "contact",           "cable",   "muscle",
        "tyre",    "distributed",       "spring by a law", "pressure",          "traction"};
    printf("drawn:");
    for (int i = 0; i < BODY_KINDS; i++) printf(" %s %ld,", bodies[i], n->bodies[i]);
    for (int i = 0; i < JOINT_KINDS; i++)
        printf(" %s %ld,", joint_type((joint_kind)i), n->joints[i]);
    for (int i = 0; i < FORCE_KINDS; i++) {
        printf(" %s %ld%s", forces[i], n->forces[i], i + 1 < FORCE_KINDS ? "," : "\n");
    }
}

static void check(const options *o, uint64_t seed, counts *n)
{
    spec s;
    table a;
    generate(seed, &o->f, &s);
    n->models++;
    count_kinds(&s, n);
    if (o->write) write_models(o, &s);
    double begun = now();
    int form = refer(&s, 1e-9, &a);
    n->to_refer += now() - begun;
    if (form < 0) {
        n->without++;
        if (o->print) printf("seed %llu: %s\n", (unsigned long long)seed, a.message);
    }
    uint64_t state = seed;
    for (int i = 0; i < variant_count && form >= 0; i++) {
        const variant *v = variants + i;
        bool turn = v->one_in != NEVER && below(&state, v->one_in) == 0;
        if (o->only ? strcmp(o->only, v->name) != 0 : !turn) continue;
        begun = now();
        finding f = judge(&s, v, form, &a);
        n->seconds[i] += now() - begun;
        n->comparisons += f.verdict != UNKNOWN;
        n->of[f.verdict]++;
        n->by_variant[i][f.verdict]++;
        if (f.verdict == DISAGREES) report(o, &s, v, f);
        bool failed = f.verdict == FAILED || f.verdict == REFUSED;
        if (failed && o->failures) report(o, &s, v, f);
        if (failed && o->print) {
            printf("seed %llu, %s: %s\n", (unsigned long long)seed, v->name, f.message);
        }
    }
    table_clear(&a);
}

static void print_counts(const options *o, const counts *n, double seconds)
{
    printf("\n%-36s %9s %9s %9s %9s %9s %9s %9s\n", "compared with the reference", "agree",
           "sensitive", "rounding", "refused", "failed", "disagree", "seconds");
    for (int i = 0; i < variant_count; i++) {
        const long *k = n->by_variant[i];
        printf("%-36s %9ld %9ld %9ld %9ld %9ld %9ld %9.1f\n", variants[i].name, k[AGREES],
               k[SENSITIVE], k[ROUNDING], k[REFUSED], k[FAILED], k[DISAGREES], n->seconds[i]);
    }
    print_kinds(n);
    printf("references took %.1f s\n", n->to_refer);
    printf("seeds %llu to %llu: %ld models (%ld without a reference), %ld comparisons, "
           "%ld disagree; %.0f s\n",
           (unsigned long long)o->seed, (unsigned long long)(o->seed + (uint64_t)n->models - 1),
           n->models, n->without, n->comparisons, n->of[DISAGREES], seconds);
}

int main(int argc, char **argv)
{
    static counts n;
    options o;
    if (!read_options(argc, argv, &o)) {
        puts("random_models [--seed N] [--count N] [--seconds S] [--only VARIANT]\n"
             "              [--features LETTERS] [--keep FOLDER] [--print] [--write] [--failures] "
             "[--whole]");
        return 2;
    }
    double begun = now();
    for (long i = 0; i < o.count; i++) {
        if (o.seconds > 0 && now() - begun > o.seconds) break;
        check(&o, o.seed + (uint64_t)i, &n);
        if (n.models % 500 == 0) {
            printf("%ld models, %ld comparisons, %ld disagree\n", n.models, n.comparisons,
                   n.of[DISAGREES]);
            fflush(stdout);
        }
    }
    print_counts(&o, &n, now() - begun);
    return n.of[DISAGREES] > 0 || (o.failures && n.of[FAILED] + n.of[REFUSED] > 0);
}
