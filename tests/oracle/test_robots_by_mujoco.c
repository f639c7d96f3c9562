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

#define MOST 200 // freedoms of a robot

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
    int body = 0;
    if (sscanf(name, "body%d_hinge", &body) == 1 &&
        body < m->nbody) { // neither has a name in the file
        return m->body_jntadr[body];
    }
    for (int i = 0; i < m->njnt; i++) {
        bool floats = m->jnt_type[i] == mjJNT_FREE; // called as the body
        const char *own =
            floats ? mj_id2name(m, mjOBJ_BODY, m->jnt_bodyid[i]) : mj_id2name(m, mjOBJ_JOINT, i);
        if (own && is_name(own, name)) return i;
    }
    return -1;
}

// What a velocity is of a floating body: here of its centre of mass, there of its origin. v of the centre from theirs, and
// the rates of this with their accelerations zero; matrix (n x n): d v / d theirs.
static void to_centres(const mjModel *m, const mjData *data, double *v, double *rate,
                       double *matrix)
{
    int n = m->nv;
    for (int i = 0; i < n; i++) {
        v[i] = data->qvel[i];
        for (int k = 0; k < n; k++) matrix[i * n + k] = i == k ? 1.0 : 0.0;
    }
    memset(rate, 0, (size_t)n * sizeof *rate);
    for (int j = 0; j < m->njnt; j++) {
        if (m->jnt_type[j] != mjJNT_FREE) continue;
        int at = m->jnt_dofadr[j], body = m->jnt_bodyid[j];
        const mjtNum *rotation = data->xmat + 9 * body;
        mjtNum c[3] = {0}, turn[3], speed[3], moved[3], mass = 0.0;
        mju_rotVecMat(turn, data->qvel + at + 3, rotation); // in axes of the ground
        for (int b = 1; b < m->nbody; b++) { // what is fixed on it is a part of it here
            if (m->body_weldid[b] != body) continue;
            mju_addToScl3(c, data->xipos + 3 * b, m->body_mass[b]);
            mass += m->body_mass[b];
        }
        for (int k = 0; k < 3; k++) c[k] = c[k] / mass - data->xpos[3 * body + k];
        mju_cross(speed, turn, c);
        mju_cross(rate + at, turn, speed);
        for (int k = 0; k < 3; k++) {
            v[at + k] += speed[k];
            const mjtNum axis[3] = {rotation[k], rotation[3 + k], rotation[6 + k]};
            mju_cross(moved, axis, c);
            for (int i = 0; i < 3; i++) matrix[(at + i) * n + at + 3 + k] = moved[i];
        }
    }
}

// T' M T, and T' f.
static void congruent(int n, const double *T, double *M, double *f)
{
    double *MT = calloc((size_t)(n * n), sizeof *MT), *Tf = calloc((size_t)n, sizeof *Tf);
    mju_mulMatMat(MT, M, T, n, n, n);
    mju_mulMatTMat(M, T, MT, n, n, n);
    mju_mulMatTVec(Tf, T, f, n, n);
    mju_copy(f, Tf, n);
    free(MT);
    free(Tf);
}

// From the order of the file to that of the tree, and back.
static void reorder(int n, const int *dof, const double *theirs, double *own, bool back)
{
    for (int i = 0; i < n; i++) own[back ? dof[i] : i] = theirs[back ? i : dof[i]];
}

// Mass matrix and bias forces in the velocities of MuJoCo, at its positions and velocities.
static void own_forces(flx_dynamics *d, const mjModel *m, const mjData *data, const int *dof,
                       const double *q, double *M, double *bias)
{
    int n = m->nv;
    double v[MOST], rate[MOST], own_v[MOST], own_rate[MOST], tau[MOST];
    double *T = calloc((size_t)(n * n), sizeof *T), *tree = calloc((size_t)(n * n), sizeof *tree);
    to_centres(m, data, v, rate, T);
    reorder(n, dof, v, own_v, false);
    reorder(n, dof, rate, own_rate, false);
    flx_dynamics_inverse(d, q, own_v, own_rate, tau);
    reorder(n, dof, tau, bias, true);
    flx_dynamics_mass(d, q, tree);
    for (int i = 0; i < n * n; i++) M[dof[i / n] * n + dof[i % n]] = tree[i];
    congruent(n, T, M, bias);
    for (int i = 0; i < n; i++) M[i * n + i] += m->dof_armature[i];
    free(T);
    free(tree);
}

// Largest differences at random states, of the largest entry. Where the first keyframe is the drawing, it is theirs, too.
static int compare(const char *label, mjModel *m, const flx_model *model, double tolerance)
{
    flx_dynamics *d = NULL;
    CHECK(flx_dynamics_create(model, &d) == FLX_OK);
    int n = flx_dynamics_freedoms(d), dof[MOST];
    CHECK(n > 0 && n <= MOST && flx_dynamics_coordinates(d) <= 2 * MOST);
    CHECK(m->nv == n);
    mjtNum drawn[2 * MOST], moved[MOST];
    mju_copy(drawn, m->nkey > 0 ? m->key_qpos : m->qpos0, m->nq);
    for (int i = 0; i < n; i++) {
        int freedom, joint = find_dof(m, flx_dynamics_name(d, i, &freedom));
        CHECK(joint >= 0);
        dof[i] = m->jnt_dofadr[joint] + (m->jnt_type[joint] < mjJNT_SLIDE ? freedom : 0);
        if (strcmp(flx_dynamics_name(d, i, &freedom), "follow") == 0) {
            drawn[m->jnt_qposadr[joint]] += 0.005; // the offset of its mimic
        }
    }
    mjData *data = mj_makeData(m);
    double *M = calloc((size_t)(n * n), sizeof *M), *theirs = calloc((size_t)(n * n), sizeof *M);
    double q[2 * MOST], step[MOST], bias[MOST], worst = 0.0, worst_bias = 0.0;
    uint64_t random = 20;
    for (int trial = 0; trial < 5; trial++) {
        double size = 0.0, force = 0.0;
        for (int i = 0; i < n; i++) {
            step[i] = moved[dof[i]] = random_number(&random);
            data->qvel[dof[i]] = 2.0 * random_number(&random);
        }
        mju_copy(data->qpos, drawn, m->nq);
        mj_integratePos(m, data->qpos, moved, 1.0);
        mj_forward(m, data);
        mj_fullM(m, theirs, data->qM);
        flx_dynamics_retract(d, flx_dynamics_drawn(d), step, q);
        own_forces(d, m, data, dof, q, M, bias);
        for (int i = 0; i < n * n; i++) size = fmax(size, fabs(theirs[i]));
        for (int i = 0; i < n; i++) force = fmax(force, fabs(data->qfrc_bias[i]));
        for (int i = 0; i < n; i++)
            worst_bias = fmax(worst_bias, fabs(bias[i] - data->qfrc_bias[i]) / force);
        for (int i = 0; i < n * n; i++) worst = fmax(worst, fabs(M[i] - theirs[i]) / size);
    }
    printf("%-28s %3d freedoms, mass matrix %.1e, bias forces %.1e\n", label, n, worst, worst_bias);
    free(M);
    free(theirs);
    mj_deleteData(data);
    flx_dynamics_destroy(&d);
    CHECK(worst < tolerance && worst_bias < tolerance);
    return 0;
}

// Without joints that leave a body free: which body of a robot that floats has the coordinates is the tree's choice.
static void hold(char *text)
{
    char *at, *end;
    strip(text, "freejoint");
    while ((at = strstr(text, "type=\"free\"")) != NULL && (end = strchr(at, '>')) != NULL) {
        while (*at != '<') at--;
        memmove(at, end + 1, strlen(end));
    }
}

static int one_file(const char *path, const char *root, bool optional, bool held)
{
    char *text = read_file(path);
    if (!text && optional) {
        printf("%s is not installed\n", path);
        return 0;
    }
    CHECK(text != NULL);
    if (held) hold(text);
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
    CHECK(one_file(FLX_EXAMPLES "/robots/arm.urdf", "<robot", false, false) == 0);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        CHECK(one_file(files[i], "<robot", true, false) == 0);
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
        "/usr/share/doc/dart/data/mjcf/openai/striker.xml.gz",
        "/usr/share/doc/dart/data/mjcf/openai/thrower.xml.gz",
        "/usr/share/doc/dart/data/mjcf/openai/point.xml",
        "/usr/share/doc/dart/data/mjcf/openai/ant.xml.gz",
        "/usr/share/doc/dart/data/mjcf/openai/half_cheetah.xml.gz",
        "/usr/share/mujoco/model/slider_crank/slider_crank.xml",
    };
    static const char *const floating[] = {
        "/usr/share/doc/dart/data/mjcf/openai/humanoid.xml.gz",
        "/usr/share/doc/dart/data/mjcf/openai/humanoidstandup.xml.gz",
        "/usr/share/mujoco/model/humanoid/humanoid.xml",
    };
    CHECK(one_file(FLX_EXAMPLES "/robots/leg.xml", "<mujoco", false, false) == 0);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        CHECK(one_file(files[i], "<mujoco", true, false) == 0);
    for (size_t i = 0; i < sizeof floating / sizeof floating[0]; i++)
        CHECK(one_file(floating[i], "<mujoco", true, true) == 0);
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
