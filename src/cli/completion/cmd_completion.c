// cmd_completion.c - flexion completion: what a shell needs to complete commands, options and files.
//
// Options and first words are those that the help of a command lists (completion_words.c), signals those of the result that is named.
#include "cli/cli.h"
#include "cli/completion/completion_words.h"

#include <string.h>

static const char help_text[] =
    "Usage: flexion completion bash|zsh|fish\n"
    "\n"
    "Write a script that lets the shell complete commands, options, names of files,\n"
    "methods, and signals of a result.\n"
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

static void put_words(void)
{
    for (int i = 0; i < N_COMMANDS; i++) printf("%s ", commands[i]->name);
    fputs("help --version", stdout);
}

// What follows each command, and 'help', between marks of a list.
static void put_cases(const char *begin, const char *end)
{
    for (int i = 0; i < N_COMMANDS; i++) {
        printf("    %s) options=%s", commands[i]->name, begin);
        cli_put_options(commands[i], "", " ");
        printf("%s actions=%s", end, begin);
        cli_put_actions(commands[i], "", " ");
        printf("%s ;;\n", end);
    }
    printf("    help) actions=%s", begin);
    put_words();
    printf("%s ;;\n    esac\n    methods=%s", end, begin);
    cli_put_methods("", " ");
    fputs(end, stdout);
}

static void put_bash(void)
{
    fputs("_flexion() {\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
          "    local options= actions= names= methods= word ending IFS=$' \\n'\n"
          "    COMPREPLY=()\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then COMPREPLY=($(compgen -W '",
          stdout);
    put_words();
    fputs("' -- \"$cur\")); return; fi\n    case ${COMP_WORDS[1]} in\n", stdout);
    put_cases("'", "'");
    fputs(
        "\n"
        "    case $cur in -*) COMPREPLY=($(compgen -W \"$options\" -- \"$cur\")); return ;; esac\n"
        "    if [ \"$COMP_CWORD\" -eq 2 ] && [ -n \"$actions\" ]; then\n"
        "        COMPREPLY=($(compgen -W \"$actions\" -- \"$cur\")); return\n"
        "    fi\n"
        "    # the shell parts words at '='\n"
        "    if [ \"$before\" = simulate.method ] && [ \"$cur\" = = ]; then before== cur=; fi\n"
        "    if [ \"$before\" = = ] && [[ ${COMP_WORDS[*]:0:COMP_CWORD+1} = *'simulate.method ='* "
        "]]"
        " || [ \"$before\" = --methods ] || [ \"${COMP_WORDS[1]}\" = methods ]; then\n"
        "        COMPREPLY=($(compgen -W \"$methods\" -- \"$cur\")); return\n"
        "    fi\n"
        "    IFS=$'\\n'\n"
        "    case ${COMP_WORDS[1]} in plot | spectrum) # signals of the result\n"
        "        for word in \"${COMP_WORDS[@]:2:COMP_CWORD-2}\"; do\n"
        "            case $word in *.h5 | *.csv)\n"
        "                [ -f \"$word\" ] && names=$(\"${COMP_WORDS[0]}\" plot \"$word\" "
        "2>/dev/null"
        " | sed 's/  .*//') ;;\n"
        "            esac\n"
        "        done ;;\n"
        "    esac\n"
        "    if [ -n \"$names\" ]; then\n"
        "        COMPREPLY=($(compgen -W \"$names\" -- \"$cur\"))\n"
        "        [ ${#COMPREPLY[@]} -eq 0 ] || COMPREPLY=($(printf '%q\\n' \"${COMPREPLY[@]}\"))\n"
        "        return\n"
        "    fi\n"
        "    compopt -o filenames 2>/dev/null\n"
        "    COMPREPLY=($(compgen -d -- \"$cur\"))\n"
        "    for ending in yaml yml json urdf sdf xml h5 csv fmu; do\n"
        "        COMPREPLY+=($(compgen -f -X \"!*.$ending\" -- \"$cur\"))\n"
        "    done\n"
        "}\n"
        "complete -F _flexion flexion\n",
        stdout);
}

static void put_zsh(void)
{
    fputs("#compdef flexion\n_flexion() {\n    local -a commands options actions names methods\n"
          "    local word\n    commands=(\n",
          stdout);
    for (int i = 0; i < N_COMMANDS; i++)
        printf("        \"%s:%s\"\n", commands[i]->name, commands[i]->summary);
    fputs("    )\n    if (( CURRENT == 2 )); then _describe command commands; return; fi\n"
          "    case $words[2] in\n",
          stdout);
    put_cases("(", ")");
    fputs(
        "\n"
        "    if [[ $PREFIX == -* ]]; then compadd -- $options; return; fi\n"
        "    if (( CURRENT == 3 && $#actions )); then compadd -- $actions; return; fi\n"
        "    if [[ $PREFIX == simulate.method=* ]]; then compadd -P simulate.method= -- $methods; "
        "return; fi\n"
        "    if [[ $words[2] == methods || $words[CURRENT-1] == --methods ]]; then compadd -- "
        "$methods; return; fi\n"
        "    if [[ $words[2] == (plot|spectrum) ]]; then # signals of the result\n"
        "        for word in $words[3,CURRENT-1]; do\n"
        "            [[ $word == *.(h5|csv) && -f $word ]] && names=(${(f)\"$($words[1] plot $word "
        "2>/dev/null)\"})\n"
        "        done\n"
        "        names=(\"${names[@]%%  *}\")\n"
        "        if (( $#names )) && [[ -n $names[1] ]]; then compadd -- $names; return; fi\n"
        "    fi\n"
        "    _files -g '*.(yaml|yml|json|urdf|sdf|xml|h5|csv|fmu)(-.)'\n}\n"
        "compdef _flexion flexion\n",
        stdout);
}

static void put_fish(void)
{
    fputs("function __flexion_signals\n"
          "    for word in (commandline -opc)\n"
          "        string match -qr '\\.(h5|csv)$' -- $word; and test -f $word; and flexion plot "
          "$word 2>/dev/null | string replace -r '  .*' ''\n"
          "    end\n"
          "end\n",
          stdout);
    for (int i = 0; i < N_COMMANDS; i++) {
        const cli_command *c = commands[i];
        char before[160];
        printf("complete -c flexion -n __fish_use_subcommand -a %s -d '%s'\n", c->name, c->summary);
        snprintf(before, sizeof before,
                 "complete -c flexion -n '__fish_seen_subcommand_from %s' -a '", c->name);
        cli_put_options(c, before, "'\n");
        if (cli_put_actions(c, NULL, NULL) == 0) continue;
        printf("complete -c flexion -n '__fish_seen_subcommand_from %s; and test (count "
               "(commandline -opc)) -eq 2' -a '",
               c->name);
        cli_put_actions(c, "", " ");
        fputs("'\n", stdout);
    }
    fputs("complete -c flexion -n '__fish_seen_subcommand_from methods' -a '", stdout);
    cli_put_methods("", " ");
    fputs("'\ncomplete -c flexion -n '__fish_seen_subcommand_from plot spectrum' -a "
          "'(__flexion_signals)'\n",
          stdout);
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
