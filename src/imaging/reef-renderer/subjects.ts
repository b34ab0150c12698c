import type { Colour, Joint } from './ground';
import { blend, dimmed, drawRod, drawSurface, greatestHeightAround, palette } from './ground';
import { bodyAt, drawPart, type Part, type SubjectPainter } from './body-parts';
import { diver, shark, turtle } from './swimmers';

/** Subjects of a picture: one is drawn, in its middle. */
export type SubjectKind = 'anemone' | 'seafan' | 'shark' | 'turtle' | 'diver' | 'quadrat';

const TURN = 2 * Math.PI;

const ANEMONES = palette('6c5a3c e6d4a0', '5a6e48 c8dc9a', '70506a e8c0dc');
const CLOWN: readonly [Colour, Colour] = [
  [232, 108, 30],
  [246, 240, 228],
];

/** Disc of soft tentacles with swollen tips, and two clownfish over it. */
const anemone: SubjectPainter = ({ ground, random }, x, y, radius, label) => {
  const [flesh, tip] = random.pick(ANEMONES);
  const base = greatestHeightAround(ground, x, y, radius * 0.7);
  drawSurface(ground, x, y, radius, label, [dimmed(flesh, 0.45), dimmed(flesh, 0.7)], (u, v, out) => {
    const away = u * u + v * v;
    if (away >= 0.8) return false;
    out.z = base + (1 - away) * radius * 0.3;
    out.mix = away;
    out.shade = 0.9;
    return true;
  });
  const drift = random.between(0, TURN);
  for (let i = 0; i < 260; i++) {
    const angle = random.between(0, TURN);
    const start = Math.sqrt(random.next()) * 0.82;
    const heading = angle + 0.5 * Math.sin(drift - angle) + random.gaussian() * 0.35;
    const long = radius * random.between(0.2, 0.34);
    const foot: Joint = {
      x: x + Math.cos(angle) * start * radius,
      y: y + Math.sin(angle) * start * radius,
      z: base + (1 - start * start) * radius * 0.36,
      r: radius * 0.034,
    };
    const end: Joint = {
      x: foot.x + Math.cos(heading) * long,
      y: foot.y + Math.sin(heading) * long,
      z: foot.z + radius * 0.12,
      r: radius * 0.028,
    };
    drawRod(ground, foot, end, label, dimmed(flesh, 0.9), blend(flesh, tip, 0.5));
    drawRod(ground, end, { ...end, x: end.x + 1, r: radius * 0.045 }, label, tip, tip);
  }
  for (const side of [-1, 1]) {
    const heading = drift + side * 0.9;
    const at = bodyAt(x + side * radius * 0.34, y + side * radius * 0.1, radius * 0.26, heading);
    const z = base + radius * 0.8;
    const [orange, white] = CLOWN;
    drawPart(
      ground,
      at,
      radius * 0.26,
      z,
      [
        [-1.1, 0, 0.06],
        [-0.8, 0, 0.24],
      ],
      label,
      [orange, orange],
    );
    drawPart(
      ground,
      at,
      radius * 0.26,
      z,
      [
        [-0.8, 0, 0.16],
        [0, 0, 0.34],
        [0.8, 0, 0.16],
      ],
      label,
      [orange, orange],
    );
    for (const band of [0.5, -0.15])
      drawPart(
        ground,
        at,
        radius * 0.26,
        z + radius * 0.07,
        [
          [band, -0.24, 0.09],
          [band, 0.24, 0.09],
        ],
        label,
        [white, white],
      );
  }
};

const FANS = palette('7c3a7e c68ad0', '92642a e4b45e', '8e3a34 de8a6e');

/** Net of fine branches in one plane, on one stem. */
const seafan: SubjectPainter = ({ ground, random, scale }, x, y, radius, label) => {
  const [flesh, tip] = random.pick(FANS);
  const z = greatestHeightAround(ground, x, y, radius) + 8 * scale;
  const thin = Math.max(1.2 * scale, radius * 0.011);
  const grow = (from: Joint, heading: number, long: number, depth: number): void => {
    const next: Joint = {
      x: from.x + Math.cos(heading) * long,
      y: from.y + Math.sin(heading) * long,
      z: from.z + random.gaussian() * scale,
      r: Math.max(thin, from.r * 0.76),
    };
    const share = depth / 8;
    drawRod(ground, from, next, label, blend(flesh, tip, share), blend(flesh, tip, Math.min(1, share + 0.12)));
    if (depth === 8 || Math.hypot(next.x - x, next.y - y) > radius * 1.05) return;
    const spread = random.between(0.26, 0.46);
    grow(next, heading + spread, long * random.between(0.78, 0.92), depth + 1);
    grow(next, heading - spread, long * random.between(0.78, 0.92), depth + 1);
  };
  const foot: Joint = { x, y: y + radius * 0.95, z, r: radius * 0.05 };
  for (const lean of [-0.42, 0, 0.42]) grow(foot, -Math.PI / 2 + lean, radius * 0.3, 0);
};

const PIPE: Colour = [232, 232, 226];
const TAPE: Colour = [238, 204, 62];

/** Square frame of white pipe, and a measuring tape that runs through the picture. */
const quadrat: SubjectPainter = ({ ground, random, scale }, x, y, radius, label) => {
  const z = greatestHeightAround(ground, x, y, radius) + 12 * scale;
  const at = bodyAt(x, y, radius, random.between(0.15, 0.45));
  const half = 0.045;
  const corners: Part = [
    [0.75, 0.75, half],
    [-0.75, 0.75, half],
    [-0.75, -0.75, half],
    [0.75, -0.75, half],
    [0.75, 0.75, half],
  ];
  drawPart(ground, at, radius, z, corners, label, [PIPE, PIPE]);
  const steps = 64;
  for (let i = 0; i < steps; i++) {
    const on = (n: number): number => -2.4 + (4.8 * n) / steps;
    const across = (n: number): number => 1.02 + 0.06 * Math.sin(n / 9);
    const colour = i % 4 === 0 ? dimmed(TAPE, 0.35) : TAPE;
    drawPart(
      ground,
      at,
      radius,
      z - 10 * scale,
      [
        [on(i), across(i), 0.03],
        [on(i + 1), across(i + 1), 0.03],
      ],
      label,
      [colour, colour],
    );
  }
};

export const SUBJECTS: Readonly<Record<SubjectKind, SubjectPainter>> = {
  anemone,
  seafan,
  shark,
  turtle,
  diver,
  quadrat,
};
