#!/usr/bin/python3
"""scipy_peers.py CASE - the equations of the benchmarks by SciPy, one line for each tolerance.

CASE: van-der-pol (implicit), andrews (the underlying equations, explicit; positions drift).
The first python3 with SciPy runs it: Debian's is /usr/bin/python3 with the package python3-scipy.
"""
import os
import sys
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # matrices of 13 rows gain nothing by threads

try:
    import numpy as np
    from scipy.integrate import solve_ivp
except ImportError:
    sys.exit(3)


def measure(name, rate, start, until, reference, method, tolerances, repeats, **more):
    for tolerance in tolerances:
        best = float("inf")
        for _ in range(repeats):
            began = time.perf_counter()
            s = solve_ivp(rate, (0, until), start, method, rtol=tolerance, atol=tolerance, **more)
            best = min(best, time.perf_counter() - began)
        error = np.max(np.abs(s.y[: len(reference), -1] / reference - 1))
        print(f"{'SciPy, ' + name:<15s}{tolerance:6.0e} {-np.log10(error):7.2f} {len(s.t) - 1:7d} "
              f"{'':6s} {s.nfev:8d} {'-':>8s} {1e3 * best:9.3f}")


def van_der_pol():
    eps = 1e-6
    measure("Radau", lambda t, y: [y[1], ((1 - y[0] ** 2) * y[1] - y[0]) / eps], [2, 0], 2,
            np.array([1.706167732170483, -0.8928097010247975]), "Radau", (1e-5, 1e-7, 1e-9), 3,
            jac=lambda t, y: [[0, 1], [(-2 * y[0] * y[1] - 1) / eps, (1 - y[0] ** 2) / eps]])


def andrews():
    m = [0.04325, 0.00365, 0.02373, 0.00706, 0.0705, 0.00706, 0.05498]
    J = [2.194e-6, 4.41e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5]
    d, da, e, ea, rr, ra, ss, sa, sb = 0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092, 0.035, 0.01874, 0.01043
    sc, sd, ta, tb, u, ua, ub, zf, zt = 0.018, 0.02, 0.02308, 0.00916, 0.04, 0.01228, 0.00449, 0.02, 0.04
    xb, yb, xc, yc, c0, l0 = -0.03635, 0.03273, 0.014, 0.072, 4530, 0.07785
    be, th, ga, ph, de, om, ep = range(7)
    # constraints: row, angles, a cosine, size
    terms = [(2 * k + y, a, not y, s) for k in range(3) for y in (0, 1) for a, s in (((be,), rr), ((be, th), -d))]
    terms += [(0, (ga,), False, -ss), (1, (ga,), True, ss), (2, (ph, de), False, -e), (3, (ph, de), True, e),
              (2, (de,), True, -zt), (3, (de,), False, -zt), (4, (om, ep), True, -zf),
              (5, (om, ep), False, -zf), (4, (ep,), False, -u), (5, (ep,), True, u)]
    row = np.array([t[0] for t in terms])
    mask = np.zeros((len(terms), 7))
    for k, t in enumerate(terms):
        mask[k, list(t[1])] = 1
    cosine = np.array([t[2] for t in terms])
    size = np.array([t[3] for t in terms])
    to_rows = np.zeros((6, len(terms)))
    to_rows[row, np.arange(len(terms))] = 1
    ee, ff = e - ea, zf - ea

    def rate(t, z):
        q, v = z[:7], z[7:]
        s, c = np.sin(mask @ q), np.cos(mask @ q)
        A = np.zeros((13, 13))
        b = np.empty(13)
        G = to_rows @ (mask * (size * np.where(cosine, -s, c))[:, None])
        b[7:] = to_rows @ (size * np.where(cosine, c, s) * (mask @ v) ** 2)
        A[7:, :7], A[:7, 7:] = G, G.T
        ct, st, sp, cp, so, co = np.cos(q[th]), np.sin(q[th]), np.sin(q[ph]), np.cos(q[ph]), np.sin(q[om]), np.cos(q[om])
        A[be, be] = m[0] * ra**2 + m[1] * (rr**2 - 2 * da * rr * ct + da**2) + J[0] + J[1]
        A[be, th] = A[th, be] = m[1] * (da**2 - da * rr * ct) + J[1]
        A[th, th] = m[1] * da**2 + J[1]
        A[ga, ga] = m[2] * (sa**2 + sb**2) + J[2]
        A[ph, ph] = m[3] * ee**2 + J[3]
        A[ph, de] = A[de, ph] = m[3] * (ee**2 + zt * ee * sp) + J[3]
        A[de, de] = m[3] * (zt**2 + 2 * zt * ee * sp + ee**2) + m[4] * (ta**2 + tb**2) + J[3] + J[4]
        A[om, om] = m[5] * ff**2 + J[5]
        A[om, ep] = A[ep, om] = m[5] * (ff**2 - u * ff * so) + J[5]
        A[ep, ep] = m[5] * (ff**2 - 2 * u * ff * so + u**2) + m[6] * (ua**2 + ub**2) + J[5] + J[6]
        sg, cg = np.sin(q[ga]), np.cos(q[ga])
        x, y = sd * cg + sc * sg + xb - xc, sd * sg - sc * cg + yb - yc
        length = np.hypot(x, y)
        pull = -c0 * (length - l0) / length
        b[be] = 0.033 - m[1] * da * rr * v[th] * (v[th] + 2 * v[be]) * st
        b[th] = m[1] * da * rr * v[be] ** 2 * st
        b[ga] = pull * (x * (sc * cg - sd * sg) + y * (sd * cg + sc * sg))
        b[ph] = m[3] * zt * ee * v[de] ** 2 * cp
        b[de] = -m[3] * zt * ee * v[ph] * (v[ph] + 2 * v[de]) * cp
        b[om] = -m[5] * u * ff * v[ep] ** 2 * co
        b[ep] = m[5] * u * ff * v[om] * (v[om] + 2 * v[ep]) * co
        return np.concatenate((v, np.linalg.solve(A, b)[:7]))

    start = np.array([-0.06171389001427645, 0.0, 0.45527981916307037, 0.22266839016588588, 0.48736497954384256,
                      -0.22266839016588588, 1.2305474445498212] + 7 * [0.0])
    reference = np.array([1.5810771195153707097e+01, -1.5756371058411839470e+01, 4.0822240119645804858e-02,
                          -5.3473011634207959377e-01, 5.2440996587995406937e-01, 5.3473011634207959377e-01,
                          1.0480807410419378731e+00])
    measure("DOP853", rate, start, 0.03, reference, "DOP853", (1e-5, 1e-7, 1e-9), 2)


{"van-der-pol": van_der_pol, "andrews": andrews}[sys.argv[1]]()
