import type { ColonyPainter } from './hard-corals';
import type { Brush, Colour, Joint } from './ground';
import { blend, dimmed, meanHeightAround, drawRod, drawSurface } from './ground';

/** {@link ColonyPainter} of a colony that leans with the current. */
type LeaningColonyPainter = (...of: [...Parameters<ColonyPainter>, current: number]) => void;

const TURN = 2 * Math.PI;

/** Leather coral: a soft folded cushion, velvety with polyps. */
export const leather: ColonyPainter = ({ ground, random, noise, scale }, x, y, radius, { label, flesh, tip }) => {
  const base = meanHeightAround(ground, x, y, radius) - radius * 0.06;
  const [ox, oy] = [random.between(0, 200), random.between(0, 200)];
  const folds = random.between(2, 3.4);
  drawSurface(ground, x, y, radius * 1.25, label, [dimmed(flesh, 0.7), tip], (u, v, out) => {
    const px = u * 1.25;
    const py = v * 1.25;
    const bend = noise.at(ox + px * 1.6, oy + py * 1.6) * 1.6;
    const fold = noise.ridge(ox + px * folds + bend, oy + py * folds - bend);
    const away = Math.hypot(px, py) + (noise.octaves(ox + 30 + px * 2.4, oy + py * 2.4, 2) - 0.5) * 0.75;
    if (away >= 1) return false;
    const rim = Math.sqrt(1 - away ** 4);
    const polyps = noise.at(((x + px * radius) * 0.42) / scale, ((y + py * radius) * 0.42) / scale);
    out.z = base + rim * radius * 0.3 + fold * fold * radius * 0.24 + polyps * 2.2 * scale;
    out.mix = Math.max(0, Math.min(1, 0.1 + fold * fold * 0.55 + (polyps - 0.5) * 0.55));
    out.shade = 0.85 + 0.2 * rim;
    return true;
  });
};

/** Soft coral with long arms that lean with the current. */
export const tentacles: LeaningColonyPainter = (
  { ground, random, scale },
  x,
  y,
  radius,
  { label, flesh, tip },
  current,
) => {
  const base = meanHeightAround(ground, x, y, radius);
  const thick = random.between(4, 6.5) * scale;
  const arms = Math.round(90 * (radius / (90 * scale)) ** 1.4) + 14;
  drawSurface(ground, x, y, radius * 0.9, label, [dimmed(flesh, 0.3), dimmed(flesh, 0.5)], (u, v, out) => {
    const away = u * u + v * v;
    if (away >= 1) return false;
    out.z = base + (1 - away) * radius * 0.25;
    out.mix = 1 - away;
    out.shade = 1;
    return true;
  });
  for (let i = 0; i < arms; i++) {
    const angle = random.between(0, TURN);
    const start = Math.sqrt(random.next()) * radius * 0.82;
    let joint: Joint = {
      x: x + Math.cos(angle) * start,
      y: y + Math.sin(angle) * start,
      z: base + (1 - (start / radius) ** 2) * radius * 0.3,
      r: thick,
    };
    let heading =
      angle + Math.atan2(Math.sin(current - angle), Math.cos(current - angle)) * 0.55 + random.gaussian() * 0.35;
    const curl = random.gaussian() * 0.5;
    const reach = radius * random.between(0.1, 0.16);
    for (let step = 0; step < 4; step++) {
      const next: Joint = {
        x: joint.x + Math.cos(heading) * reach,
        y: joint.y + Math.sin(heading) * reach,
        z: joint.z + reach * (0.5 - step * 0.2),
        r: thick * (1 - step * 0.14),
      };
      drawRod(
        ground,
        joint,
        next,
        label,
        blend(dimmed(flesh, 0.75), tip, step / 4.5),
        blend(dimmed(flesh, 0.75), tip, (step + 1) / 4.2),
      );
      joint = next;
      heading += curl;
    }
  }
};

/** Patch of seaweed: blades that lean over. */
export const weed: LeaningColonyPainter = ({ ground, random, scale }, x, y, radius, { label, flesh, tip }, current) => {
  const blades = Math.round(150 * (radius / (70 * scale)) ** 1.8) + 20;
  for (let i = 0; i < blades; i++) {
    const angle = random.between(0, TURN);
    const start = Math.sqrt(random.next()) * radius * (0.75 + 0.25 * Math.sin(angle * 3 + x));
    const from: Joint = {
      x: x + Math.cos(angle) * start,
      y: y + Math.sin(angle) * start,
      z: 0,
      r: random.between(1.6, 3.4) * scale,
    };
    const z = meanHeightAround(ground, from.x, from.y, 4 * scale) + 2 * scale;
    const heading = current + random.gaussian() * 1.3;
    const long = random.between(8, 24) * scale;
    const own = blend(flesh, tip, random.next());
    drawRod(
      ground,
      { ...from, z },
      {
        x: from.x + Math.cos(heading) * long,
        y: from.y + Math.sin(heading) * long,
        z: z + random.between(4, 14) * scale,
        r: from.r * 0.6,
      },
      label,
      dimmed(own, 0.65),
      own,
    );
  }
};

const STICKS: readonly [Colour, ...Colour[]] = [
  [188, 178, 160],
  [150, 136, 120],
  [170, 140, 138],
  [128, 120, 92],
  [206, 198, 184],
];

/** Bed of broken branches. */
export function rubble(
  { ground, random, noise, scale }: Brush,
  x: number,
  y: number,
  radius: number,
  label: number,
): void {
  const [ox, oy] = [random.between(0, 200), random.between(0, 200)];
  const base = meanHeightAround(ground, x, y, radius);
  drawSurface(
    ground,
    x,
    y,
    radius * 1.1,
    label,
    [
      [104, 94, 78],
      [160, 148, 126],
    ],
    (u, v, out) => {
      const away = Math.hypot(u, v) * 1.1 + (noise.octaves(ox + u * 2.2, oy + v * 2.2, 3) - 0.5) * 0.9;
      if (away >= 0.9) return false;
      const fine = noise.at(((x + u * radius) * 0.2) / scale, ((y + v * radius) * 0.2) / scale);
      out.z = base + (fine * 9 + (0.9 - away) * 14) * scale;
      out.mix = fine;
      out.shade = 0.7 + 0.4 * fine;
      return true;
    },
  );
  const pieces = Math.round(230 * (radius / (100 * scale)) ** 2);
  for (let i = 0; i < pieces; i++) {
    const angle = random.between(0, TURN);
    const start = Math.sqrt(random.next()) * radius * 0.98;
    const px = x + Math.cos(angle) * start;
    const py = y + Math.sin(angle) * start;
    if (
      Math.hypot(px - x, py - y) / radius +
        (noise.octaves(ox + ((px - x) / radius) * 2, oy + ((py - y) / radius) * 2, 3) - 0.5) * 0.9 >
      0.92
    )
      continue;
    const heading = random.between(0, TURN);
    const long = random.between(6, 26) * scale;
    const thick = random.between(2.2, 4.8) * scale;
    const z = base + random.between(4, 18) * scale;
    const own = dimmed(random.pick(STICKS), random.between(0.75, 1.05));
    drawRod(
      ground,
      { x: px, y: py, z, r: thick },
      {
        x: px + Math.cos(heading) * long,
        y: py + Math.sin(heading) * long,
        z: z + random.gaussian() * 4 * scale,
        r: thick * 0.8,
      },
      label,
      own,
      dimmed(own, 0.92),
    );
  }
}
