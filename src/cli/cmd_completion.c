// cmd_completion.c - flexion completion: what a shell needs to complete commands, options and files.
//
// Options are those that the help of a command lists: there is one list of them.
#include "cli/cli.h"

#include <string.h>

static const char help_text[] =
    "Usage: flexion completion bash|zsh|fish\n"
    "\n"
    "Write a script that lets the shell complete commands, options and file names.\n"
    "\n"
    "Example: for this shell; and for all, in ~/.bashrc\n"
    "  eval \"$(flexion completion bash)\"\n"
    "\n"
    "Exit status: 0 written, 2 there is no such shell.\n";

static const cli_command *const commands[] = {
#define X(name) &cmd_##name,
    CLI_COMMANDS(X)
#undef X
};
#define N_COMMANDS (int)(sizeof commands / sizeof commands[0])

// The next option that the help shows at the beginning of a line, "--csv"; false: no more.
static bool next_option(const char **at, char *option, size_t size)
{
    for (const char *line = *at; line && *line;) {
        const char *s = line + strspn(line, " "), *end = strchr(line, '\n');
        bool indented = s > line, found = indented && s[0] == '-';
        line = end ? end + 1 : NULL;
        if (!found) continue;
        size_t n = strspn(s, "-abcdefghijklmnopqrstuvwxyz");
        if (n < 2 || n >= size) continue;
        memcpy(option, s, n);
        option[n] = '\0';
        *at = line ? line : "";
        return true;
    }
    return false;
}

static void put_options(const cli_command *c, const char *before, const char *after)
{
    const char *at = c->help;
    char option[40];
    while (next_option(&at, option, sizeof option)) printf("%s%s%s", before, option, after);
    if (!strstr(c->help, "\n  --strict")) printf("%s--strict%s", before, after);
    printf("%s--cache%s", before, after);
    printf("%s--help%s", before, after);
}

static void put_words(void)
{
    for (int i = 0; i < N_COMMANDS; i++) printf("%s ", commands[i]->name);
    fputs("help --version", stdout);
}

static void put_bash(void)
{
    fputs("_flexion() {\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} options= ending\n"
          "    COMPREPLY=()\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then COMPREPLY=($(compgen -W '",
          stdout);
    put_words();
    fputs("' -- \"$cur\")); return; fi\n    case ${COMP_WORDS[1]} in\n", stdout);
    for (int i = 0; i < N_COMMANDS; i++) {
        printf("    %s) options='", commands[i]->name);
        put_options(commands[i], "", " ");
        fputs("' ;;\n", stdout);
    }
    fputs("    help) options='", stdout);
    put_words();
    fputs("' ;;\n"
          "    esac\n"
          "    case $cur in\n"
          "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$cur\")) ;;\n"
          "    *)\n"
          "        [ \"${COMP_WORDS[1]}\" = help ] && COMPREPLY=($(compgen -W \"$options\" -- "
          "\"$cur\")) && return\n"
          "        compopt -o filenames 2>/dev/null\n"
          "        local IFS=$'\\n'\n"
          "        COMPREPLY=($(compgen -d -- \"$cur\"))\n"
          "        for ending in yaml yml json urdf sdf xml h5 csv; do\n"
          "            COMPREPLY+=($(compgen -f -X \"!*.$ending\" -- \"$cur\"))\n"
          "        done ;;\n"
          "    esac\n"
          "}\n"
          "complete -F _flexion flexion\n",
          stdout);
}

static void put_zsh(void)
{
    fputs("#compdef flexion\n_flexion() {\n    local -a commands\n    commands=(\n", stdout);
    for (int i = 0; i < N_COMMANDS; i++)
        printf("        \"%s:%s\"\n", commands[i]->name, commands[i]->summary);
    fputs("    )\n    if (( CURRENT == 2 )); then _describe command commands; return; fi\n"
          "    case $words[2] in\n",
          stdout);
    for (int i = 0; i < N_COMMANDS; i++) {
        printf("    %s) compadd -- ", commands[i]->name);
        put_options(commands[i], "", " ");
        fputs(";;\n", stdout);
    }
    fputs("    esac\n    _files -g '*.(yaml|yml|json|urdf|sdf|xml|h5|csv)(-.)'\n}\n"
          "compdef _flexion flexion\n",
          stdout);
}

static void put_fish(void)
{
    for (int i = 0; i < N_COMMANDS; i++) {
        const cli_command *c = commands[i];
        char before[80];
        printf("complete -c flexion -n __fish_use_subcommand -a %s -d '%s'\n", c->name, c->summary);
        snprintf(before, sizeof before,
                 "complete -c flexion -n '__fish_seen_subcommand_from %s' -a '", c->name);
        put_options(c, before, "'\n");
    }
}

static int run(flx_ctx *ctx, int argc, char **argv)
{
    static const struct {
        const char *shell;
        void (*put)(void);
    } shells[] = {{"bash", put_bash}, {"zsh", put_zsh}, {"fish", put_fish}};
    cli_list rest = {0};
    (void)ctx;
    cli_parsed parsed = cli_parse(&cmd_completion, argc, argv, 0, NULL, &rest);
    if (parsed != CLI_GO) return (int)parsed;
    for (size_t i = 0; rest.count == 1 && i < sizeof shells / sizeof shells[0]; i++) {
        if (strcmp(rest.items[0], shells[i].shell) != 0) continue;
        shells[i].put();
        return EXIT_DONE;
    }
    cli_complain("completion", "name a shell: bash, zsh or fish");
    return EXIT_WRONG;
}

const cli_command cmd_completion = {
    .name = "completion",
    .summary = "write what a shell needs to complete commands and options",
    .seldom = true,
    .help = help_text,
    .run = run,
};
