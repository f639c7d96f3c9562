// test_motion.c - recorded motions: each format, units, gaps, wrong files; the filter without a shift.
#include "read/motion/motion_file.h"

#include "arena.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static flx_record motion;

static flx_status read_bytes(const char *end, const void *bytes, size_t n)
{
    char path[64];
    snprintf(path, sizeof path, "motion-%ld.%s", (long)getpid(), end);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0) return FLX_ERR_IO;
    ssize_t written = write(fd, bytes, n);
    close(fd);
    flx_loc loc = {"m.yaml", 7, 9, NULL};
    flx_status status = written < 0 ? FLX_ERR_IO : flx_motion_read(ctx, arena, path, loc, &motion);
    unlink(path);
    return status;
}

static flx_status read_text(const char *end, const char *text)
{
    return read_bytes(end, text, strlen(text));
}

static double value(const char *name, int row)
{
    flx_loc loc = {"m.yaml", 7, 9, NULL};
    int column = 0;
    if (flx_motion_find(ctx, arena, &motion, name, loc, &column) != FLX_OK) return HUGE_VAL;
    return motion.values[column * motion.n + row];
}

static int angles_of_opensim_become_radians(void)
{
    static const char text[] = "walk\nversion=1\nnRows=3\ninDegrees=yes\nendheader\n"
                               "time\tknee_angle\tpelvis_tx\n0\t90\t1.5\n0.01 45 2.5\n\n"
                               "0.02\t-180\t3.5\r\n";
    begin();
    CHECK(read_text("mot", text) == FLX_OK);
    CHECK(motion.n == 3 && motion.ncolumn == 2);
    CHECK_NEAR(value("knee_angle", 0), 1.5707963267948966, 1e-15);
    CHECK_NEAR(value("knee_angle", 2), -3.1415926535897931, 1e-15);
    CHECK_NEAR(value("pelvis_tx", 1), 2.5, 0);
    CHECK_NEAR(motion.t[2], 0.02, 0);
    // through half a turn, and back: no jump
    CHECK(read_text("mot",
                    "w\ninDegrees=yes\nendheader\ntime a x_tx\n0 170 170\n1 -170 -170\n2 NaN "
                    "0\n3 -150 -150\n4 175 175\n") == FLX_OK);
    CHECK_NEAR(value("a", 1), 190 * 3.141592653589793 / 180, 1e-14);
    CHECK_NEAR(value("a", 3), 210 * 3.141592653589793 / 180, 1e-14);
    CHECK_NEAR(value("a", 4), 175 * 3.141592653589793 / 180, 1e-14);
    CHECK(value("x_tx", 1) == -170);
    CHECK(read_text("sto", "F\ninDegrees=no\nendheader\ntime a\n0 90\n1 80\n") == FLX_OK);
    CHECK_NEAR(value("a", 0), 90, 0);
    finish();
    return 0;
}

static int markers_are_in_metres_and_may_be_hidden(void)
{
    static const char text[] =
        "PathFileType\t4\t(X/Y/Z)\tm.trc\n"
        "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\n100\t100\t2\t2\tmm\n"
        "Frame#\tTime\tLASI\t\t\tRASI\t\t\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n"
        "1\t0.00\t100\t200\t300\t400\t500\t600\n2\t0.01\t110\t\t310\t410\t510\t610\n";
    begin();
    CHECK(read_text("trc", text) == FLX_OK);
    CHECK(motion.n == 2 && motion.ncolumn == 6);
    CHECK_NEAR(value("LASI.x", 0), 0.1, 1e-16);
    CHECK_NEAR(value("RASI.z", 1), 0.61, 1e-16);
    CHECK(isnan(value("LASI.y", 1)));
    finish();
    return 0;
}

static int channels_of_joints_are_named_by_joint(void)
{
    static const char text[] =
        "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation "
        "Xrotation Yrotation\nJOINT Knee\n{\nOFFSET 0 -1 0\nCHANNELS 3 Zrotation Xrotation "
        "Yrotation\nEnd Site\n{\nOFFSET 0 -1 0\n}\n}\n}\nMOTION\nFrames: 3\nFrame Time: 0.02\n"
        "1 2 3 90 0 0 45 0 0\n1 2 3 90 0 0 45 0 0\n2 2 3 180 0 0 90 0 0\n";
    begin();
    CHECK(read_text("bvh", text) == FLX_OK);
    CHECK(motion.n == 3 && motion.ncolumn == 9);
    CHECK_NEAR(value("Hips.Xposition", 2), 2, 0);
    CHECK_NEAR(value("Knee.Zrotation", 2), 1.5707963267948966, 1e-15);
    CHECK_NEAR(motion.t[2], 0.04, 1e-17);
    finish();
    return 0;
}

// What programs write beside the plain case: blanks round the sign, large letters, older headers, names with paths; lengths and forces stay as they
// are. Gaps are NaN, or fields that the end of a row lacks.
static int odd_headers_and_gaps_are_understood(void)
{
    static const char *const degrees[] = {"inDegrees=yes", "inDegrees = Yes ", "indegrees=YES\r",
                                          "inDegrees=true", "Angles are in degrees."};
    begin();
    for (size_t i = 0; i < sizeof degrees / sizeof *degrees; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "w\r\nversion=1\r\n%s\r\nendheader\r\ntime\tknee\t/set/pelvis_tx/value\t"
                 "/set/knee/speed\tground_force_vx\tfoot_px\tm/activation\r\n0\t90\t2\t180\t500\t"
                 "0.1\t0.5\r\n1\tNaN\t2\t180\t500\t0.1\t0.5\r\n",
                 degrees[i]);
        CHECK(read_text("mot", text) == FLX_OK);
        CHECK_NEAR(value("knee", 0), 1.5707963267948966, 1e-15);
        CHECK_NEAR(value("/set/knee/speed", 0), 3.1415926535897931, 1e-15);
        CHECK(isnan(value("knee", 1)));
        CHECK(value("/set/pelvis_tx/value", 1) == 2 && value("ground_force_vx", 0) == 500);
        CHECK(value("foot_px", 0) == 0.1 && value("m/activation", 0) == 0.5);
    }
    CHECK(read_text("mot", "w\nAngles are in radians.\nendheader\ntime a\n0 90\n1 80\n") == FLX_OK);
    CHECK(value("a", 0) == 90);
    CHECK(read_text("trc",
                    "P\t4\tX\tm\r\nDataRate\tUnits\r\n100\tmm\r\nFrame#\tTime\tA\t\t\tB\t\t\r\n"
                    "\t\tX1\tY1\tZ1\tX2\tY2\tZ2\r\n\r\n1\t0\t1\t2\t3\t\t\t\r\n2\t0.01\t1\t2\t3"
                    "\r\n3\t0.02\t\t\t\t4\t5\t6\r\n") == FLX_OK);
    CHECK(motion.n == 3 && motion.ncolumn == 6);
    CHECK(isnan(value("B.x", 0)) && isnan(value("B.z", 1)) && isnan(value("A.y", 2)));
    CHECK_NEAR(value("A.z", 1), 3e-3, 1e-16);
    CHECK_NEAR(value("B.z", 2), 6e-3, 1e-16);
    finish();
    return 0;
}

// ---- a .c3d of one marker and one channel, made byte by byte ------------------------------------

static unsigned char c3d[512 * 12];
static size_t c3d_at;

static int processor = 84; // Intel; 85: DEC, 86: SGI

static void put_word(size_t at, int w)
{
    const size_t high = processor == 86 ? 0 : 1;
    c3d[at + 1 - high] = (unsigned char)(w & 255);
    c3d[at + high] = (unsigned char)(w >> 8 & 255);
}

// A float of the VAX is four times as large with the same bits, and its halves are exchanged.
static void put_float(size_t at, float f)
{
    unsigned bits;
    f *= processor == 85 ? 4.0F : 1.0F;
    memcpy(&bits, &f, sizeof bits);
    for (int i = 0; i < 2; i++) {
        int half = (int)(bits >> (16 * (processor == 84 ? i : 1 - i)) & 0xffff);
        put_word(at + 2 * (size_t)i, half);
    }
}

static void put_parameter(int group, const char *name, int type, int ndim, const int *dims,
                          const void *data, int size)
{
    size_t n = strlen(name);
    c3d[c3d_at] = (unsigned char)n;
    c3d[c3d_at + 1] = (unsigned char)group;
    memcpy(c3d + c3d_at + 2, name, n);
    size_t offset = c3d_at + 2 + n, body = offset + 2;
    if (type == 0) { // a group
        put_word(offset, 3);
        c3d_at = offset + 3;
        return;
    }
    c3d[body] = (unsigned char)type;
    c3d[body + 1] = (unsigned char)ndim;
    for (int i = 0; i < ndim; i++) c3d[body + 2 + (size_t)i] = (unsigned char)dims[i];
    memcpy(c3d + body + 2 + (size_t)ndim, data, (size_t)size);
    size_t next = body + 2 + (size_t)ndim + (size_t)size + 1;
    put_word(offset, (int)(next - offset));
    c3d_at = next;
}

static void make_c3d(void)
{
    memset(c3d, 0, sizeof c3d);
    c3d[0] = 2;
    c3d[1] = 0x50;
    put_word(2, 1); // points
    put_word(4, 2); // two samples of one channel
    put_word(6, 1); // first frame
    put_word(8, 3); // last
    put_float(12, -1.0F);
    put_word(16, 3); // the data begin in block 3
    put_word(18, 2); // samples per frame
    put_float(20, 100.0F);
    c3d[514] = 1;
    c3d[515] = (unsigned char)processor;
    c3d_at = 516;
    put_float(1024, 0.5F); // until the data come
    unsigned char scale[4];
    memcpy(scale, c3d + 1024, sizeof scale);
    put_parameter(-1, "POINT", 0, 0, NULL, NULL, 0);
    put_parameter(1, "UNITS", -1, 1, (int[]){2}, "mm", 2);
    put_parameter(1, "LABELS", -1, 2, (int[]){4, 1}, "HEEL", 4);
    put_parameter(-2, "ANALOG", 0, 0, NULL, NULL, 0);
    put_parameter(2, "SCALE", 4, 1, (int[]){1}, scale, 4);
    for (int i = 0; i < 3; i++) {
        const float row[6] = {100.0F * (float)i,     50.0F,          -25.0F,
                              i == 1 ? -1.0F : 0.0F, (float)(8 + i), 99.0F};
        for (size_t k = 0; k < 6; k++) put_float(1024 + (size_t)i * sizeof row + 4 * k, row[k]);
    }
}

static int markers_and_channels_of_c3d_are_read(void)
{
    begin();
    for (processor = 86; processor >= 84; processor--) {
        make_c3d();
        CHECK(read_bytes("c3d", c3d, sizeof c3d) == FLX_OK);
        CHECK(motion.n == 3 && motion.ncolumn == 4);
        CHECK_NEAR(value("HEEL.x", 2), 0.2, 1e-15);
        CHECK_NEAR(value("HEEL.z", 0), -0.025, 1e-15);
        CHECK(isnan(value("HEEL.x", 1)));
        CHECK(value("HEEL.x", 0) == 0.0);
        CHECK_NEAR(value("analog1", 2), 5.0, 0);
        CHECK_NEAR(motion.t[2], 0.02, 1e-17);
    }
    processor = 84;
    // more than 65 535 frames: the header's word is full, and two words of TRIAL say how many there are
    const unsigned char field[4] = {2, 0, 0, 0};
    put_parameter(-3, "TRIAL", 0, 0, NULL, NULL, 0);
    put_parameter(3, "ACTUAL_END_FIELD", 2, 1, (int[]){2}, field, 4);
    put_word(8, 65535);
    CHECK(read_bytes("c3d", c3d, sizeof c3d) == FLX_OK);
    CHECK(motion.n == 2);
    c3d[515] = 87; // another processor
    CHECK(read_bytes("c3d", c3d, sizeof c3d) == FLX_ERR_MODEL);
    make_c3d();
    CHECK(read_bytes("c3d", c3d, 1030) == FLX_ERR_MODEL);
    CHECK(read_bytes("c3d", c3d, 300) == FLX_ERR_MODEL);
    // whatever byte is wrong, nothing is read outside
    for (size_t i = 0; i < 700; i += 3) {
        make_c3d();
        c3d[i] = 255;
        (void)read_bytes("c3d", c3d, sizeof c3d);
    }
    finish();
    return 0;
}

// A parameter holds 255 labels; those of further markers are in a second one.
static int labels_go_on_in_a_second_list(void)
{
    unsigned char names[255];
    const int dims[2] = {1, 255}, more[2] = {2, 1};
    memset(names, 'a', sizeof names);
    names[254] = 'z';
    begin();
    make_c3d();
    put_float(12, 0.5F); // whole numbers
    put_word(2, 256);
    put_word(4, 0);
    put_word(8, 2);
    put_word(16, 4);
    put_word(18, 0);
    memset(c3d + 514, 0, sizeof c3d - 514);
    c3d[514] = 2;
    c3d[515] = 84;
    c3d_at = 516;
    put_parameter(-1, "POINT", 0, 0, NULL, NULL, 0);
    put_parameter(1, "LABELS", -1, 2, dims, names, sizeof names);
    put_parameter(1, "LABELS2", -1, 2, more, "HE", 2);
    put_word(512 * 3 + 8 * 255 + 2, -6);
    CHECK(read_bytes("c3d", c3d, sizeof c3d) == FLX_OK);
    CHECK(motion.n == 2 && motion.ncolumn == 768);
    CHECK(value("HE.y", 0) == -3e-3 && value("z.x", 0) == 0.0);
    finish();
    return 0;
}

// Whole numbers without a sign of a converter: 40 000 less the offset of 32 768.
static int channels_without_a_sign_are_read(void)
{
    const float scale = 1.0F;
    const int dims[1] = {8};
    const unsigned char offset[2] = {0, 128};
    begin();
    make_c3d();
    put_float(12, 0.125F); // whole numbers
    put_word(4, 1);
    put_word(18, 1);
    put_parameter(2, "FORMAT", -1, 1, dims, "UNSIGNED", 8);
    put_parameter(2, "OFFSET", 2, 1, (int[]){1}, offset, 2);
    put_parameter(2, "GEN_SCALE", 4, 0, NULL, &scale, 4);
    for (size_t i = 0; i < 3; i++) {
        const int row[5] = {(int)(1000 * i), -500, 20, 0, 40000 + (int)i};
        for (size_t k = 0; k < 5; k++) put_word(1024 + 10 * i + 2 * k, row[k] & 0xffff);
    }
    CHECK(read_bytes("c3d", c3d, sizeof c3d) == FLX_OK);
    CHECK_NEAR(value("HEEL.x", 2), 0.25, 1e-15);
    CHECK_NEAR(value("HEEL.y", 2), -0.0625, 1e-15);
    CHECK_NEAR(value("analog1", 1), 0.5 * (40001 - 32768), 1e-9);
    finish();
    return 0;
}

static int wrong_files_are_refused(void)
{
    static const struct {
        const char *end, *text;
    } wrong[] = {
        {"mot", "no header at all\n1 2\n"},
        {"mot", "a\nendheader\ntime b\n0 1\n0 2\n"},
        {"mot", "a\nendheader\ntime b\n0 1\n1\n"},
        {"mot", "a\nendheader\ntime b\n0 1\n1 two\n"},
        {"mot", "a\nendheader\ntime b\n0 1\n"},
        {"mot", "a\nendheader\ntime\n"},
        {"trc", "a\nb\n"},
        {"trc", "a\nUnits\nft\nFrame#\tTime\tA\n\tX1\n\n1\t0\t1\t2\t3\n2\t1\t1\t2\t3\n"},
        {"bvh", "MOTION\n"},
        {"bvh", "HIERARCHY\nROOT a\n{\nCHANNELS 9 a b c\n"},
        {"bvh",
         "HIERARCHY\nROOT a\n{\nCHANNELS 1 Zrotation\n}\nMOTION\nFrames: 3\nFrame Time: 1\n1 2\n"},
        {"bvh",
         "HIERARCHY\nROOT a\n{\nCHANNELS 1 Zrotation\n}\nMOTION\nFrames: 2\nFrame Time: -1\n1 2\n"},
        {"bvh", "HIERARCHY\nROOT a\n{\nCHANNELS 1 Zrotation\n}\nMOTION\nFrames: 2000000000\nFrame "
                "Time: 1\n1 2\n"},
    };
    begin();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK(read_text(wrong[i].end, wrong[i].text) == FLX_ERR_MODEL);
    }
    finish();
    return 0;
}

// A slow wave stays where it is, a fast one goes; at the frequency itself the factor is 1/sqrt 2.
static int filter_has_no_shift(void)
{
    enum { N = 2001 };
    static double t[N], y[N], slow[N];
    flx_loc loc = {"m.yaml", 7, 9, NULL};
    begin();
    for (int i = 0; i < N; i++) {
        t[i] = 0.005 * i;
        slow[i] = 0.3 + sin(2 * 3.14159265358979 * 0.5 * t[i]);
        y[i] = slow[i] + 0.2 * sin(2 * 3.14159265358979 * 60 * t[i]);
    }
    CHECK(flx_motion_filter(ctx, loc, N, t, y, 6) == FLX_OK);
    for (int i = 100; i < N - 100; i++) CHECK_NEAR(y[i], slow[i], 1e-4);
    for (int i = 0; i < N; i++) y[i] = cos(2 * 3.14159265358979 * 6 * t[i]);
    CHECK(flx_motion_filter(ctx, loc, N, t, y, 6) == FLX_OK);
    for (int i = 400; i < N - 400; i++) {
        CHECK_NEAR(y[i], sqrt(0.5) * cos(2 * 3.14159265358979 * 6 * t[i]), 5e-3);
    }
    CHECK(flx_motion_filter(ctx, loc, N, t, y, 99) == FLX_ERR_MODEL);
    CHECK(flx_motion_filter(ctx, loc, N, t, y, -1) == FLX_ERR_MODEL);
    t[7] += 0.003;
    CHECK(flx_motion_filter(ctx, loc, N, t, y, 6) == FLX_ERR_MODEL);
    finish();
    return 0;
}

TEST_MAIN(TEST(angles_of_opensim_become_radians), TEST(markers_are_in_metres_and_may_be_hidden),
          TEST(channels_of_joints_are_named_by_joint), TEST(odd_headers_and_gaps_are_understood),
          TEST(markers_and_channels_of_c3d_are_read), TEST(labels_go_on_in_a_second_list),
          TEST(channels_without_a_sign_are_read), TEST(wrong_files_are_refused),
          TEST(filter_has_no_shift))
