// flexion_main.c - the main function of the program.
#include "cli/cli.h"

int main(int argc, char **argv)
{
    return cli_main(argc, argv);
}
