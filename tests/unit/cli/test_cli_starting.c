// test_cli_starting.c - what a user begins with: new models, robot files as models, completion of the shell.
#include "program.h"

static int a_new_model_runs_and_is_kept(void)
{
    static char text[1 << 16];
    flexion("new rod");
    CHECK_STATUS(0);
    flexion("run rod.yaml --strict --until 0.1");
    CHECK_STATUS(0);
    read_all("rod.yaml", text, sizeof text);
    CHECK_TEXT(text, "title: rod\n");
    CHECK_TEXT(text, "# yaml-language-server: $schema=");
    flexion("new rod.yaml");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "rod.yaml is there already");
    flexion("new");
    CHECK_STATUS(2);
    flexion("new none/rod");
    CHECK_STATUS(2);
    CHECK(file_size("rod.yaml") == (long)strlen(text));
    return 0;
}

static int a_robot_file_becomes_a_model(void)
{
    static char text[1 << 16];
    flexion("import " FLX_EXAMPLES "/robots/arm.urdf");
    if (strstr(err, "need expat")) SKIP("this build has no expat");
    CHECK_STATUS(0);
    read_all("arm.yaml", text, sizeof text);
    CHECK_TEXT(text, "shoulder_effort: {value: 0, lower: -60, upper: 60, unit: N m}");
    flexion("run arm.yaml --until 0.05 --csv a.csv");
    CHECK_STATUS(0);
    flexion("run " FLX_EXAMPLES "/robots/arm.urdf --until 0.05 --csv b.csv");
    CHECK_STATUS(0);
    static char a[1 << 16], b[1 << 16];
    read_all("a.csv", a, sizeof a);
    read_all("b.csv", b, sizeof b);
    CHECK(a[0] && strcmp(a, b) == 0);
    flexion("import " FLX_EXAMPLES "/robots/arm.urdf --floating -o -");
    CHECK_STATUS(0);
    CHECK_TEXT(out, "  base:");
    write_model("dirty.urdf",
                "<robot name='r'><link name='a'/><joint name='j' type='fixed'><parent "
                "link='a'/><child link='b'/></joint>"
                "<link name='c'><inertial><mass value='1'/></inertial></link></robot>");
    flexion("import dirty.urdf --floating -o d.yaml --strict");
    CHECK_STATUS(2);
    CHECK_TEXT(err, "dirty.urdf:1:33: error: joint 'j' is left out");
    CHECK(file_size("d.yaml") < 0);
    flexion("import dirty.urdf --package nonsense -o d.yaml");
    CHECK_STATUS(2);
    return 0;
}

static int shells_complete(void)
{
    flexion("completion bash > c.sh && bash -c '. ./c.sh; COMP_WORDS=(flexion run --ch); "
            "COMP_CWORD=2; _flexion; "
            "echo \"[${COMPREPLY[*]}]\"; COMP_WORDS=(flexion impo); COMP_CWORD=1; _flexion; echo "
            "\"[${COMPREPLY[*]}]\"'");
    CHECK_STATUS(0);
    CHECK_TEXT(out, "[--checkpoint]");
    CHECK_TEXT(out, "[import]");
    // first words, methods, signals of a result, options in the middle of a line of the help
    flexion("run rod.yaml --until 0.1 --quiet");
    CHECK_STATUS(0);
    flexion("completion bash > c.sh && bash -c '. ./c.sh; t() { COMP_WORDS=(\"$@\"); "
            "COMP_CWORD=$(($# - 1)); _flexion; echo \"[${COMPREPLY[*]}]\"; }; t flexion fe mo; t "
            "flexion export m; t flexion run m.yaml --set simulate.method = dopr; t flexion "
            "methods lob; t " FLX_PROGRAM " plot rod.h5 hinge.r; t flexion plot --ny; t flexion "
            "sweep --st; t flexion completion z; t flexion plot rod.h'");
    CHECK_STATUS(0);
    CHECK_TEXT(out, "[modes]");
    CHECK_TEXT(out, "[matrices]");
    CHECK_TEXT(out, "[dopri5]");
    CHECK_TEXT(out, "[lobatto]");
    CHECK_TEXT(out, "[hinge.rate]");
    CHECK_TEXT(out, "[--nyquist]");
    CHECK_TEXT(out, "--status");
    CHECK_TEXT(out, "[zsh]");
    CHECK_TEXT(out, "[rod.h5]");
    // what is offered is an option
    flexion("completion bash > c.sh && for c in plot export fe fmu; do for o in $(sed -n \"s/^    "
            "$c) options='\\([^']*\\)'.*/\\1/p\" c.sh); do " FLX_PROGRAM
            " $c $o </dev/null 2>&1 | grep \"unknown option\"; done; done; true");
    CHECK_STATUS(0);
    CHECK(!strstr(out, "unknown"));
    flexion("completion zsh");
    CHECK_STATUS(0);
    CHECK_TEXT(out, "#compdef flexion");
    flexion("completion fish");
    CHECK_STATUS(0);
    CHECK_TEXT(out, "__fish_seen_subcommand_from run' -a '--csv'");
    flexion("completion tcsh");
    CHECK_STATUS(2);
    return 0;
}

TEST_MAIN(TEST(files_start), TEST(a_new_model_runs_and_is_kept), TEST(a_robot_file_becomes_a_model),
          TEST(shells_complete), TEST(files_end))
