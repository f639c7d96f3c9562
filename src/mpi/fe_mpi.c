// fe_mpi.c - flexion-fe-mpi: large finite element models on several machines, started by mpirun. Rank 0 runs a command of
// flexion; what is large in it, the factors, all ranks have together.
#include "cli/cli.h"
#include "mpi/mumps_engine.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static const char help_text[] =
    "Usage: mpirun -n RANKS flexion-fe-mpi static|modes|transient|response MODEL [OPTIONS]\n"
    "       mpirun -n RANKS flexion-fe-mpi reduce MODEL [OPTIONS] [-o BODY.h5]\n"
    "\n"
    "The commands 'flexion fe' and 'flexion reduce' with factors by parallel MUMPS, a\n"
    "part on each rank; with -o BODY.h5 the reduced body as 'flexion export body'\n"
    "writes it. Options are those of these commands. 'flexion fe ... --ranks N' starts\n"
    "it, too.\n"
    "\n"
    "Example:\n"
    "  mpirun -n 2 flexion-fe-mpi modes examples/fe/bracket.yaml --count 6\n"
    "\n"
    "Exit status: 0 done, 1 the computation failed, 2 the input is wrong.\n";

static bool ends_in(const char *text, const char *ending)
{
    size_t n = strlen(text), k = strlen(ending);
    return n >= k && strcmp(text + n - k, ending) == 0;
}

// Whether a reduction is to be a body file.
static bool wants_body(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-' || !ends_in(argv[i], ".h5")) {
            if (strcmp(argv[i], "-o") != 0 && strcmp(argv[i], "--output") != 0) continue;
            if (i + 1 < argc && ends_in(argv[i + 1], ".h5")) return true;
        } else if (strncmp(argv[i], "-o", 2) == 0 || strncmp(argv[i], "--output=", 9) == 0) {
            return true;
        }
    }
    return false;
}

// The words of the command that does it, before its arguments; 0: there is none.
static int find_words(int argc, char **argv, char **words)
{
    static char fe[] = "fe", reduce[] = "reduce", export_word[] = "export", body[] = "body";
    static const char *const of_fe[] = {"static", "modes", "transient", "response"};
    for (int i = 0; i < 4; i++) {
        if (strcmp(argv[1], of_fe[i]) != 0) continue;
        words[0] = fe;
        words[1] = argv[1];
        return 2;
    }
    words[0] = argv[1];
    if (strcmp(argv[1], fe) == 0 || strcmp(argv[1], export_word) == 0) return 1;
    if (strcmp(argv[1], reduce) != 0) return 0;
    bool whole = wants_body(argc, argv);
    words[0] = whole ? export_word : reduce;
    words[1] = body;
    return whole ? 2 : 1;
}

static bool wants_ranks(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--ranks", 7) == 0) return true;
    }
    return false;
}

static int start(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        fputs(help_text, argc < 2 ? stderr : stdout);
        return argc < 2 ? EXIT_WRONG : EXIT_DONE;
    }
    if (wants_ranks(argc, argv)) {
        fputs("flexion-fe-mpi: how many ranks there are mpirun says; --ranks is an option of "
              "flexion\n",
              stderr);
        return EXIT_WRONG;
    }
    char **words = calloc((size_t)argc + 4, sizeof *words);
    if (!words) return EXIT_FAILED;
    words[0] = argv[0];
    int n = find_words(argc, argv, words + 1), code = EXIT_WRONG;
    if (n > 0) {
        memcpy(words + 1 + n, argv + 2, (size_t)(argc - 2) * sizeof *words);
        code = cli_main(argc - 1 + n, words);
    } else {
        fprintf(stderr,
                "flexion-fe-mpi: '%s' is none of static, modes, transient, response, reduce, "
                "fe, export\n",
                argv[1]);
    }
    free(words);
    return code;
}

int main(int argc, char **argv)
{
    int rank = 0, code = 0;
    setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0); // ranks may share cores
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        flx_frontal_set_engine(mumps_engine());
        code = start(argc, argv);
        mumps_engine_end();
    } else {
        mumps_engine_serve();
    }
    MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return code;
}
