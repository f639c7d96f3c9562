#!/usr/bin/env python3
"""Draw the pictures of docs/sign_conventions.md.

    tools/draw_signs.py [ROOT]

Lengths are in pixels, y goes up; `Picture` turns it round. Colours: the first body grey, the second blue,
what is positive red.
"""
import math
import os
import sys

FIRST, SECOND, SIGN, LINE, PALE = "#8a8a8a", "#1b5e9e", "#c0392b", "#303030", "#dfe8f2"


class Picture:
    def __init__(self, width, height):
        self.width, self.height, self.parts = width, height, []

    def add(self, text):
        self.parts.append(text)

    def at(self, x, y):
        return f"{x:.1f},{self.height - y:.1f}"

    def line(self, *points, colour=LINE, width=2.0, dash="", closed=False, fill="none"):
        tag = "polygon" if closed else "polyline"
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.add(f'<{tag} points="{" ".join(self.at(*p) for p in points)}" fill="{fill}" stroke="{colour}" '
                 f'stroke-width="{width}"{dashes} stroke-linejoin="round" stroke-linecap="round"/>')

    def circle(self, x, y, r, colour=LINE, width=2.0, fill="#ffffff"):
        self.add(f'<circle cx="{x:.1f}" cy="{self.height - y:.1f}" r="{r}" fill="{fill}" stroke="{colour}" '
                 f'stroke-width="{width}"/>')

    def text(self, x, y, words, colour=LINE, size=14, anchor="middle", style=""):
        slant = ' font-style="italic"' if style == "italic" else ""
        mono = "DejaVu Sans Mono, monospace" if style == "code" else "Helvetica, Arial, sans-serif"
        self.add(f'<text x="{x:.1f}" y="{self.height - y:.1f}" fill="{colour}" font-size="{size}" font-family="{mono}" '
                 f'text-anchor="{anchor}"{slant}>{words}</text>')

    def head(self, x, y, angle, colour, size=9):
        wings = [(x - size * math.cos(angle + w), y - size * math.sin(angle + w)) for w in (0.38, -0.38)]
        self.line((x, y), wings[0], wings[1], colour=colour, width=1, closed=True, fill=colour)

    def arrow(self, x0, y0, x1, y1, colour=SIGN, width=2.5, double=False):
        angle = math.atan2(y1 - y0, x1 - x0)
        self.line((x0, y0), (x1 - 7 * math.cos(angle), y1 - 7 * math.sin(angle)), colour=colour, width=width)
        self.head(x1, y1, angle, colour)
        if double:  # a moment: two heads
            self.head(x1 - 8 * math.cos(angle), y1 - 8 * math.sin(angle), angle, colour)

    def turn(self, x, y, r, start, end, colour=SIGN, width=2.5, squeeze=1.0):
        """An arc with a head, from one angle to another in degrees."""
        steps = [math.radians(start + (end - start) * i / 40) for i in range(41)]
        points = [(x + r * math.cos(a), y + r * squeeze * math.sin(a)) for a in steps]
        self.line(*points[:-2], colour=colour, width=width)
        (x0, y0), (x1, y1) = points[-4], points[-1]
        self.head(x1, y1, math.atan2(y1 - y0, x1 - x0), colour)

    def bar(self, x, y, length, angle, width=22, colour=SECOND, fill=PALE):
        c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        w = width / 2
        corners = [(-w, -w), (length + w, -w), (length + w, w), (-w, w)]
        self.line(*[(x + c * u - s * v, y + s * u + c * v) for u, v in corners], colour=colour, closed=True, fill=fill)

    def axes(self, x, y, angle, names=("x", "y"), length=42, colour=LINE):
        for k, name in enumerate(names):
            a = math.radians(angle + 90 * k)
            self.arrow(x, y, x + length * math.cos(a), y + length * math.sin(a), colour=colour, width=1.6)
            self.text(x + (length + 11) * math.cos(a), y + (length + 11) * math.sin(a) - 5, name, colour, 13, style="italic")

    def ground(self, x, y, width=60):
        self.line((x - width / 2, y), (x + width / 2, y), colour=FIRST)
        for k in range(int(width // 10)):
            left = x - width / 2 + 4 + 10 * k
            self.line((left + 5, y), (left - 2, y - 9), colour=FIRST, width=1.3)

    def spring(self, x0, y0, x1, y1, colour=LINE, teeth=8, depth=8):
        length, angle = math.hypot(x1 - x0, y1 - y0), math.atan2(y1 - y0, x1 - x0)
        c, s = math.cos(angle), math.sin(angle)
        along = [(0, 0), (0.15 * length, 0)]
        along += [((0.15 + 0.7 * (k + 0.5) / teeth) * length, depth * (-1) ** k) for k in range(teeth)]
        along += [(0.85 * length, 0), (length, 0)]
        self.line(*[(x0 + c * u - s * v, y0 + s * u + c * v) for u, v in along], colour=colour)

    def write(self, path):
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
                       f'viewBox="0 0 {self.width} {self.height}">\n<rect width="{self.width}" height="{self.height}" '
                       'fill="#ffffff"/>\n' + "\n".join(self.parts) + "\n</svg>\n")


def draw_joints():
    p = Picture(860, 300)
    # revolute: the angle of the second relative to the first
    p.text(215, 276, "revolute: angle", size=15)
    p.ground(110, 58, 90)
    p.line((80, 58), (110, 92), (140, 58), colour=FIRST, closed=True, fill="#f0f0f0")
    p.line((110, 92), (330, 92), colour=FIRST, width=1.3, dash="5 4")
    p.bar(110, 92, 190, 35)
    p.circle(110, 92, 8)
    p.turn(110, 92, 120, 2, 34)
    p.text(238, 114, "angle &gt; 0", SIGN, 15, "start")
    p.text(160, 186, "second body", SECOND, 14)
    p.text(180, 40, "first body", FIRST, 14, "start")
    p.text(215, 10, "joints: {H: {type: revolute, on: [ground, arm], ...}}", size=12, style="code")
    # prismatic: the displacement along the axis
    p.text(645, 276, "prismatic: displacement", size=15)
    p.line((470, 92), (820, 92), colour=FIRST, width=3)
    p.ground(490, 90, 40)
    p.ground(800, 90, 40)
    p.line((520, 100), (590, 100), (590, 152), (520, 152), colour=SECOND, width=1.3, dash="5 4", closed=True)
    p.line((670, 100), (740, 100), (740, 152), (670, 152), colour=SECOND, closed=True, fill=PALE)
    p.text(555, 160, "initial", SECOND, 13)
    p.text(705, 160, "second body", SECOND, 14)
    p.arrow(555, 192, 705, 192)
    p.line((555, 180), (555, 202), colour=SIGN, width=1.3)
    p.text(630, 200, "displacement &gt; 0", SIGN, 15)
    p.arrow(470, 50, 540, 50, LINE, 1.8)
    p.text(505, 58, "axis", size=13, style="italic")
    p.text(645, 10, "P: {type: prismatic, on: [ground, cart], axis: [1, 0]}", size=12, style="code")
    return p


def draw_reactions():
    p = Picture(860, 330)
    p.text(215, 306, "on the second body act", size=15)
    p.bar(160, 150, 190, 0)
    p.circle(160, 150, 8)
    p.axes(40, 40, 0)
    p.arrow(160, 162, 160, 232)
    p.text(160, 240, "reaction.y &gt; 0", SIGN, 14)
    p.turn(160, 150, 42, 125, 395)
    p.text(112, 190, "moment &gt; 0", SIGN, 14, "end")
    p.text(112, 172, "(drive &gt; 0)", SIGN, 14, "end")
    p.arrow(255, 138, 255, 78, LINE)
    p.text(262, 84, "weight", size=14, anchor="start")
    p.text(345, 172, "second body: arm", SECOND, 14)
    p.text(645, 306, "on the first body act", size=15)
    p.ground(600, 72, 90)
    p.line((570, 72), (600, 142), (630, 72), colour=FIRST, closed=True, fill="#f0f0f0")
    p.circle(600, 142, 8)
    p.arrow(600, 226, 600, 156)
    p.text(612, 214, "the opposite force", SIGN, 14, "start")
    p.turn(600, 142, 42, 145, -125)
    p.text(650, 160, "the opposite moment", SIGN, 14, "start")
    p.text(680, 92, "first body: ground", FIRST, 14, "start")
    p.text(430, 12, "Vectors are in ground axes; the moment is taken at the joint.", size=14)
    return p


def draw_springs():
    p = Picture(860, 400)
    p.text(215, 378, "spring, actuator: value &gt; 0 is tension", size=15)
    for x, colour, name in ((80, FIRST, "first"), (350, SECOND, "second")):
        p.line((x - 26, 300), (x + 26, 300), (x + 26, 348), (x - 26, 348), colour=colour, closed=True,
               fill="#f0f0f0" if colour == FIRST else PALE)
        p.text(x, 282, name, colour, 14)
    p.spring(106, 324, 324, 324)
    p.arrow(112, 346, 172, 346)
    p.arrow(318, 346, 258, 346)
    p.text(215, 288, "length &gt; rest length", size=13)
    p.text(645, 378, "force on: [first, second]: acts on the second", size=15)
    for x, colour, name in ((540, FIRST, "first"), (750, SECOND, "second")):
        p.line((x - 26, 300), (x + 26, 300), (x + 26, 348), (x - 26, 348), colour=colour, closed=True,
               fill="#f0f0f0" if colour == FIRST else PALE)
        p.text(x, 282, name, colour, 14)
    p.arrow(776, 324, 836, 324)
    p.arrow(514, 324, 454, 324, FIRST)
    p.text(806, 334, "value", SIGN, 14)
    p.text(484, 334, "&#8722;value", FIRST, 14)
    # on joints
    p.text(215, 216, "torque on: a joint drives its coordinate", size=15)
    p.line((70, 60), (110, 100), (150, 60), colour=FIRST, closed=True, fill="#f0f0f0")
    p.ground(110, 60, 100)
    p.line((110, 100), (330, 100), colour=FIRST, width=1.3, dash="5 4")
    p.bar(110, 100, 170, 25)
    p.circle(110, 100, 8)
    p.turn(110, 100, 120, 28, 62)
    p.text(156, 194, "value &gt; 0", SIGN, 14, "end")
    p.text(215, 14, "angle&#8243; &gt; 0", size=13)
    p.text(645, 216, "spring on: a joint resists its coordinate", size=15)
    p.line((500, 60), (540, 100), (580, 60), colour=FIRST, closed=True, fill="#f0f0f0")
    p.ground(540, 60, 100)
    p.line((540, 100), (760, 100), colour=FIRST, width=1.3, dash="5 4")
    p.bar(540, 100, 170, 25)
    p.circle(540, 100, 8)
    p.turn(540, 100, 120, 22, -2)
    p.text(668, 112, "value &gt; 0", SIGN, 14, "start")
    p.text(645, 14, "angle &gt; rest angle: the torque on the second body is &#8722;value", size=13)
    return p


def draw_rotations():
    p = Picture(860, 310)
    p.text(140, 286, "right-handed rotation", size=15)
    x, y = 130, 110
    p.arrow(x, y, x - 70, y - 48, LINE, 1.8)
    p.text(x - 82, y - 56, "x", style="italic")
    p.arrow(x, y, x + 110, y, LINE, 1.8)
    p.text(x + 122, y - 5, "y", style="italic")
    p.arrow(x, y, x, y + 120, LINE, 1.8)
    p.text(x - 14, y + 112, "z", style="italic")
    p.turn(x, y + 70, 44, -150, 130, squeeze=0.38)
    p.text(x + 52, y + 82, "angle, rate &gt; 0", SIGN, 14, "start")
    p.text(145, 30, "x to y about z, y to z about x,", size=13)
    p.text(145, 12, "z to x about y", size=13)
    # Euler angles
    p.text(430, 286, "euler: {sequence: zxz}", size=15)
    x, y, r = 430, 150, 86
    for k, (a, name) in enumerate(((0, "x"), (28, "x&#8242;"))):
        c, s = math.cos(math.radians(a)), math.sin(math.radians(a))
        p.arrow(x, y, x + r * c, y + r * s * 0.9, LINE if k == 0 else SECOND, 1.8)
        p.text(x + (r + 13) * c, y + (r + 13) * s * 0.9 - 5, name, LINE if k == 0 else SECOND, style="italic")
    p.arrow(x, y, x, y + 100, LINE, 1.8)
    p.text(x - 24, y + 92, "z = z&#8242;", style="italic")
    p.turn(x, y, 58, 2, 27)
    p.text(x + 66, y + 12, "a", SIGN, 15, style="italic")
    p.arrow(x, y, x - 48, y + 84, SECOND, 1.8)
    p.text(x - 60, y + 84, "z&#8243;", SECOND, style="italic")
    p.turn(x, y, 74, 91, 118)
    p.text(x - 22, y + 64, "b", SIGN, 15, style="italic")
    p.text(430, 92, "first a about z, then b about the new x&#8242;,", size=13)
    p.text(430, 74, "then c about the new z&#8243;", size=13)
    p.text(430, 48, "R = R<tspan dy='4' font-size='11'>z</tspan><tspan dy='-4'>(a) R</tspan><tspan dy='4' font-size='11'>x</tspan>"
           "<tspan dy='-4'>(b) R</tspan><tspan dy='4' font-size='11'>z</tspan><tspan dy='-4'>(c),  v</tspan>"
           "<tspan dy='4' font-size='11'>ground</tspan><tspan dy='-4'> = R v</tspan><tspan dy='4' font-size='11'>body</tspan>", size=14)
    # products of inertia
    p.text(720, 286, "product of inertia", size=15)
    x, y = 720, 160
    p.arrow(x - 100, y, x + 110, y, LINE, 1.8)
    p.text(x + 120, y - 5, "x", style="italic")
    p.arrow(x, y - 80, x, y + 100, LINE, 1.8)
    p.text(x - 12, y + 92, "y", style="italic")
    p.line((x - 70, y - 45), (x + 70, y + 45), colour=SECOND, width=4)
    p.circle(x + 70, y + 45, 14, SECOND, 2, PALE)
    p.circle(x - 70, y - 45, 14, SECOND, 2, PALE)
    p.text(720, 48, "mass where x y &gt; 0:  xy &lt; 0", SIGN, 15)
    p.text(720, 26, "xy = &#8722; &#8747; x y dm", size=14)
    return p


def draw_beams():
    p = Picture(860, 340)
    p.text(200, 316, "section axes", size=15)
    c = (90, 60)  # depth direction of the line
    corners = [(0, 0), (46, -22), (46, 78), (0, 100)]  # width along z, height along y
    near = [(60 + u, 90 + v) for u, v in corners]
    far = [(u + 2.2 * c[0], v + 1.1 * c[1]) for u, v in near]
    for a, b in zip(near, far):
        p.line(a, b, colour=SECOND, width=1.6)
    p.line(*far, colour=SECOND, width=1.6, closed=True)
    p.line(*near, colour=SECOND, closed=True, fill=PALE)
    x, y = 83, 129
    p.line((x, y), (x + 2.2 * c[0], y + 1.1 * c[1]), colour=LINE, width=1.2, dash="7 4")
    fx, fy = x + 2.2 * c[0], y + 1.1 * c[1]
    p.arrow(fx, fy, fx + 72, fy + 24, LINE, 1.8)
    p.text(fx + 84, fy + 24, "x", style="italic")
    p.arrow(fx, fy, fx, fy + 98, LINE, 1.8)
    p.text(fx - 34, fy + 88, "y: up", style="italic")
    p.arrow(fx, fy, fx + 66, fy - 32, LINE, 1.8)
    p.text(fx + 78, fy - 40, "z", style="italic")
    p.text(52, 140, "height", size=13, anchor="end")
    p.text(60, 60, "width", size=13)
    p.text(83, 40, "start (from)", SECOND, 13)
    p.text(fx + 4, fy - 84, "end (to)", SECOND, 13)
    p.text(200, 10, "x along the line, y along `up`, z = x &#215; y", size=13)
    # the cut
    p.text(640, 316, "on the part before the cut act", size=15)
    p.bar(470, 160, 140, 0, width=60)
    p.text(530, 155, "start ...", SECOND, 14)
    p.bar(776, 160, 42, 0, width=60, colour=FIRST, fill="#f4f4f4")
    p.text(797, 155, "... end", FIRST, 14)
    p.arrow(641, 150, 716, 150)
    p.text(726, 145, "N", SIGN, 15, style="italic")
    p.arrow(636, 162, 636, 252)
    p.text(628, 246, "Qy", SIGN, 15, "end", style="italic")
    p.arrow(636, 162, 596, 84)
    p.text(588, 70, "Qz", SIGN, 15, style="italic")
    p.arrow(660, 192, 660, 272, double=True)
    p.text(670, 258, "My", SIGN, 15, "start", style="italic")
    p.arrow(690, 138, 656, 72, double=True)
    p.text(672, 72, "Mz", SIGN, 15, "start", style="italic")
    p.arrow(641, 176, 716, 176, double=True)
    p.text(726, 171, "T", SIGN, 15, style="italic")
    p.text(640, 36, "positive along the section axes: N &gt; 0 is tension", size=13)
    p.text(640, 14, "two heads: a moment, by the right hand", size=13)
    return p


def main(root):
    for draw in (draw_joints, draw_reactions, draw_springs, draw_rotations, draw_beams):
        draw().write(os.path.join(root, "docs/img", f"signs_{draw.__name__[5:]}.svg"))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), ".."))
