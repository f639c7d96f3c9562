// test_robots_by_mujoco.c - mass matrices, bias forces and motions of robot files, against MuJoCo, which reads the same files.
//
// Files of Debian packages are taken where they are installed; those of our own always.
#include "check.h"
#include "flexion/flexion.h"
#include "random_number.h"

#ifdef FLX_MUJOCO
#include <mujoco/mujoco.h>
#include <unistd.h>
#include <zlib.h>

static const char head[] = "<mujoco><compiler discardvisual='true' strippath='true'/></mujoco>";

// The text of a file, packed or not; NULL: it is not there.
static char *read_file(const char *path)
{
    gzFile f = gzopen(path, "rb");
    if (!f) return NULL;
    char *text = malloc(4 << 20);
    int n = text ? gzread(f, text, (4 << 20) - 1) : 0;
    gzclose(f);
    if (text) text[n > 0 ? n : 0] = '\0';
    return text;
}

// Without the elements of this name: MuJoCo wants the files that they name.
static void strip(char *text, const char *name)
{
    char open[32], close[32];
    snprintf(open, sizeof open, "<%s", name);
    snprintf(close, sizeof close, "</%s>", name);
    for (char *at = text; (at = strstr(at, open)) != NULL;) {
        if (!strchr(" >/\n\t", at[strlen(open)])) { // another name that begins alike
            at++;
            continue;
        }
        char *tag = strchr(at, '>'), *end = strstr(at, close);
        if (!tag) return;
        end = tag[-1] == '/' ? tag + 1 : end ? end + strlen(close) : NULL;
        if (!end) return;
        memmove(at, end, strlen(end) + 1);
    }
}

static mjModel *load(const char *text, const char *root)
{
    char path[64], error[500] = "";
    snprintf(path, sizeof path, "robot_%ld.xml", (long)getpid());
    FILE *f = fopen(path, "w");
    if (!f) return NULL;
    const char *after = strstr(text, root), *at = after ? strchr(after, '>') : NULL;
    if (at) {
        fwrite(text, 1, (size_t)(at + 1 - text), f);
        fputs(strcmp(root, "<robot") == 0 ? head : "<compiler autolimits='true'/>", f);
        fputs(at + 1, f);
    } else {
        fputs(text, f);
    }
    fclose(f);
    mjModel *m = mj_loadXML(path, NULL, error, sizeof error);
    if (!m) printf("MuJoCo: %s\n", error);
    remove(path);
    return m;
}

// Whether two names are one: those of models are letters, digits and _.
static bool is_name(const char *file, const char *word)
{
    size_t n = 0;
    for (; *file && word[n]; file++) {
        bool plain = (*file >= 'a' && *file <= 'z') || (*file >= 'A' && *file <= 'Z') ||
                     (*file >= '0' && *file <= '9');
        if (!plain && n == 0) continue;
        if ((plain ? *file : '_') != word[n]) return false;
        n++;
    }
    return !*file && (!word[n] || strcmp(word + n, "_joint") == 0);
}

static int find_dof(const mjModel *m, const char *name)
{
    for (int i = 0; i < m->njnt; i++) {
        const char *own = mj_id2name(m, mjOBJ_JOINT, i);
        if (own && is_name(own, name)) return i;
    }
    return -1;
}

// Largest differences at random states, of the largest entry.
static int compare(const char *label, mjModel *m, const flx_model *model, double tolerance)
{
    flx_dynamics *d = NULL;
    CHECK(flx_dynamics_create(model, &d) == FLX_OK);
    int n = flx_dynamics_freedoms(d), dof[200], position[200];
    double drawn[200];
    CHECK(n > 0 && n <= 200 && flx_dynamics_coordinates(d) == n);
    CHECK(m->nv == n);
    for (int i = 0; i < n; i++) {
        int freedom, joint = find_dof(m, flx_dynamics_name(d, i, &freedom));
        CHECK(joint >= 0);
        dof[i] = m->jnt_dofadr[joint];
        position[i] = m->jnt_qposadr[joint];
        drawn[i] = strcmp(flx_dynamics_name(d, i, &freedom), "follow") == 0
                       ? 0.005
                       : 0.0; // the offset of its mimic
    }
    mjData *data = mj_makeData(m);
    double *M = calloc((size_t)(n * n), sizeof *M), *theirs = calloc((size_t)(n * n), sizeof *M);
    double q[200], v[200], zero[200] = {0}, tau[200], worst = 0.0, worst_bias = 0.0;
    uint64_t random = 20;
    for (int trial = 0; trial < 5; trial++) {
        double size = 0.0, force = 0.0;
        for (int i = 0; i < n; i++) {
            q[i] = random_number(&random);
            v[i] = 2.0 * random_number(&random);
            data->qpos[position[i]] = m->qpos0[position[i]] + drawn[i] + q[i];
            data->qvel[dof[i]] = v[i];
        }
        mj_forward(m, data);
        mj_fullM(m, theirs, data->qM);
        flx_dynamics_mass(d, q, M);
        flx_dynamics_inverse(d, q, v, zero, tau);
        for (int i = 0; i < n * n; i++) size = fmax(size, fabs(theirs[i]));
        for (int i = 0; i < n; i++) force = fmax(force, fabs(data->qfrc_bias[i]));
        for (int i = 0; i < n; i++) {
            worst_bias = fmax(worst_bias, fabs(tau[i] - data->qfrc_bias[dof[i]]) / force);
            for (int k = 0; k < n; k++) {
                double own = M[i * n + k] + (i == k ? m->dof_armature[dof[i]] : 0.0);
                worst = fmax(worst, fabs(own - theirs[dof[i] * n + dof[k]]) / size);
            }
        }
    }
    printf("%-28s %3d freedoms, mass matrix %.1e, bias forces %.1e\n", label, n, worst, worst_bias);
    free(M);
    free(theirs);
    mj_deleteData(data);
    flx_dynamics_destroy(&d);
    CHECK(worst < tolerance && worst_bias < tolerance);
    return 0;
}

static int one_file(const char *path, const char *root, bool optional)
{
    char *text = read_file(path);
    if (!text && optional) return 0;
    CHECK(text != NULL);
    if (strcmp(root, "<robot") == 0) {
        strip(text, "visual");
        strip(text, "collision");
    }
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    CHECK(flx_model_read_text(ctx, path, text, strlen(text), 0, NULL, &model) == FLX_OK);
    mjModel *m = load(text, root);
    CHECK(m != NULL);
    const char *label = strrchr(path, '/') + 1;
    int failed = compare(label, m, model, 1e-6);
    mj_deleteModel(m);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    free(text);
    return failed;
}

static int urdf(void)
{
    static const char *const files[] = {
        "/usr/share/doc/simbody/examples/src/TaskSpaceControl-UR10/models/ur10_robot.urdf.gz",
        "/usr/share/doc/simbody/examples/src/TaskSpaceControl-UR10/models/"
        "ur10_joint_limited_robot.urdf.gz",
        "/usr/share/doc/simbody/examples/src/TaskSpaceControl-Atlas/models/"
        "atlas_v4_robotiq_hands.urdf.gz",
        "/usr/share/doc/dart/data/urdf/KR5/KR5 sixx R650.urdf",
        "/usr/share/doc/dart/data/urdf/drchubo/drchubo.urdf",
        "/usr/share/doc/dart/data/sdf/atlas/atlas_v3_no_head.urdf",
        "/usr/share/doc/dart/data/urdf/wam/wam.urdf",
    };
    CHECK(one_file(FLX_EXAMPLES "/robots/arm.urdf", "<robot", false) == 0);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        CHECK(one_file(files[i], "<robot", true) == 0);
    return 0;
}
// Hinges and slides, several per body; inertia of geoms; armature, which is no part of our mass matrix, is added by compare.
static int mjcf(void)
{
    static const char *const files[] = {
        "/usr/share/mujoco/model/tendon_arm/arm26.xml",
        "/usr/share/doc/dart/data/mjcf/openai/inverted_pendulum.xml",
        "/usr/share/doc/dart/data/mjcf/openai/inverted_double_pendulum.xml",
        "/usr/share/doc/dart/data/mjcf/openai/reacher.xml",
        "/usr/share/doc/dart/data/mjcf/openai/swimmer.xml",
        "/usr/share/doc/dart/data/mjcf/openai/pusher.xml.gz",
    };
    CHECK(one_file(FLX_EXAMPLES "/robots/leg.xml", "<mujoco", false) == 0);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        CHECK(one_file(files[i], "<mujoco", true) == 0);
    return 0;
}

// ---- whole motions ---------------------------------------------------------------------------------------

#define LASTS 0.3

// The robot by MuJoCo's Runge-Kutta from its first keyframe, if it has one.
static mjData *run_theirs(mjModel *m)
{
    mjData *data = mj_makeData(m);
    m->opt.timestep = 5e-4;
    m->opt.integrator = mjINT_RK4;
    m->opt.disableflags |= mjDSBL_CONTACT;
    if (m->nkey > 0) mj_resetDataKeyframe(m, data, 0);
    for (int i = 0; i < (int)(LASTS / 5e-4 + 0.5); i++) mj_step(m, data);
    mj_forward(m, data);
    return data;
}

// Largest distance of a body from where MuJoCo has it, at the end; NaN: no run. *n: bodies compared.
static double run_apart(const char *path, mjModel *m, int *n)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_system *s = NULL;
    flx_run *run = NULL;
    flx_compile_def def = flx_compile_def_default();
    def.method.method = "radau";
    def.method.rtol = 1e-10;
    def.method.atol = 1e-12;
    double worst = (double)NAN;
    *n = 0;
    if (flx_model_read(ctx, path, 0, NULL, &model) == FLX_OK) {
        for (int i = 1; i < m->nbody; i++) {
            char path_of[64], signal[64];
            const char *name = mj_id2name(m, mjOBJ_BODY, i);
            snprintf(path_of, sizeof path_of, "bodies.%s", name);
            snprintf(signal, sizeof signal, "%s.position", name);
            if (flx_model_kind(model, path_of) != 0) flx_model_add_output(model, signal, NULL);
        }
    }
    if (model && flx_system_compile(model, &def, ctx, &s) == FLX_OK &&
        flx_run_create(s, NULL, ctx, &run) == FLX_OK && flx_run_advance(run, LASTS) == FLX_OK) {
        mjData *data = run_theirs(m);
        worst = 0.0;
        for (int i = 1; i < m->nbody; i++) {
            const char *name = mj_id2name(m, mjOBJ_BODY, i);
            for (int k = 0; k < 3; k++) {
                char signal[64];
                snprintf(signal, sizeof signal, "%s.position.%c", name, "xyz"[k]);
                int output = flx_system_output(s, signal, ctx);
                if (output < 0) continue; // it is a part of another
                *n += k == 0;
                worst = fmax(worst, fabs(flx_run_get(run, output) - data->xpos[3 * i + k]));
            }
        }
        mj_deleteData(data);
    }
    if (isnan(worst) && flx_ctx_error(ctx, 0)) printf("%s\n", flx_ctx_error(ctx, 0)->text);
    flx_run_destroy(&run);
    flx_system_destroy(&s);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return worst;
}

// Robots with all that MJCF has for joints, geoms, classes, angles, actuators and keyframes, made at random.
static int runs(void)
{
    static const char *const files[] = {"many_joints.xml", "from_keyframe.xml", "servos.xml",
                                        "figure.xml"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[400], error[500] = "";
        int n;
        snprintf(path, sizeof path, FLX_TESTS "/models/robots/%s", files[i]);
        mjModel *m = mj_loadXML(path, NULL, error, sizeof error);
        if (!m) printf("MuJoCo: %s\n", error);
        CHECK(m != NULL);
        double worst = run_apart(path, m, &n);
        printf("%-28s %3d bodies, apart by %.1e m\n", files[i], n, worst);
        mj_deleteModel(m);
        CHECK(n > 2 && worst < 1e-6);
    }
    return 0;
}
#else
static int runs(void)
{
    SKIP("MuJoCo is not installed (libmujoco-dev)");
}
static int urdf(void)
{
    SKIP("MuJoCo is not installed (libmujoco-dev)");
}
static int mjcf(void)
{
    SKIP("MuJoCo is not installed (libmujoco-dev)");
}
#endif

TEST_MAIN(TEST(urdf), TEST(mjcf), TEST(runs))
