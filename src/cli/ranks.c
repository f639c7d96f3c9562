// ranks.c - --ranks N: the same command by flexion-fe-mpi, started by mpirun.
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROGRAM "flexion-fe-mpi"

// Beside this program; else where the shell finds programs. name: room.
static const char *find_program(char *name, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", name, size - sizeof PROGRAM - 1);
    if (n > 0) {
        name[n] = '\0';
        char *end = strrchr(name, '/');
        if (end) {
            strcpy(end + 1, PROGRAM);
            if (access(name, X_OK) == 0) return name;
        }
    }
    return PROGRAM;
}

int cli_start_ranks(const char *ranks, int argc, char **argv)
{
    char name[4096], number[20];
    int count = 0, n = 0;
    if (!cli_read_count(argv[0], "--ranks", ranks, &count)) return EXIT_WRONG;
    const char **words = calloc((size_t)argc + 8, sizeof *words);
    if (!words) return EXIT_FAILED;
    snprintf(number, sizeof number, "%d", count);
    words[n++] = "mpirun";
    words[n++] = "--quiet"; // of exit statuses, which are ours
    words[n++] = "-n";
    words[n++] = number;
    words[n++] = find_program(name, sizeof name);
    for (int i = 0; i < argc; i++) {
        if (strncmp(argv[i], "--ranks", 7) != 0) {
            words[n++] = argv[i];
        } else if (argv[i][7] != '=') {
            i++;
        }
    }
    fflush(stdout);
    execvp(words[0], (char *const *)words);
    cli_complain(argv[0],
                 "--ranks needs mpirun (of Open MPI) and the program " PROGRAM
                 ", which is built where MPI and parallel MUMPS are found: %s",
                 strerror(errno));
    free(words);
    return EXIT_FAILED;
}
