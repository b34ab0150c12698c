import type { Brush, Colour, Joint } from './ground';
import { blend, dimmed, meanHeightAround, drawRod, drawSurface } from './ground';
import { smoothstep } from './noise';

export interface ColonyStyle {
  readonly label: number;
  readonly flesh: Colour;
  readonly tip: Colour;
}

/** Draws a colony of `radius` px around a point. */
export type ColonyPainter = (brush: Brush, x: number, y: number, radius: number, style: ColonyStyle) => void;

const TURN = 2 * Math.PI;

/** Lumpy dome, with the maze of a brain coral or the cups of a Porites. */
export const boulder: ColonyPainter = ({ ground, random, noise, scale }, x, y, radius, { label, flesh, tip }) => {
  const base = meanHeightAround(ground, x, y, radius) - radius * 0.22;
  const [ox, oy] = [random.between(0, 200), random.between(0, 200)];
  const maze = random.chance(0.5);
  const steep = random.between(0.5, 0.85);
  const lumps = random.between(0.05, 0.3);
  const fine = (maze ? 0.15 : 0.3) / scale;
  drawSurface(ground, x, y, radius * 1.25, label, [dimmed(flesh, 0.72), tip], (u, v, out) => {
    const px = u * 1.25;
    const py = v * 1.25;
    const lump = noise.octaves(ox + px * 2.3, oy + py * 2.3, 2) - 0.5;
    const away = px * px + py * py + lump * 0.9;
    if (away >= 1) return false;
    const dome = Math.sqrt(1 - away);
    const gx = x + px * radius;
    const gy = y + py * radius;
    let carved: number;
    if (maze) {
      const bend = noise.at((gx * 0.03) / scale + ox, (gy * 0.03) / scale + oy) * 3;
      carved = noise.ridge(gx * fine + bend + ox, gy * fine - bend + oy);
      carved = smoothstep(0.35, 0.95, carved);
    } else {
      carved = noise.at(gx * fine + ox, gy * fine + oy) * 0.7 + 0.15;
    }
    const patch = noise.octaves(ox + px * 3.1 + 20, oy + py * 3.1, 2);
    out.z = base + dome * radius * steep + lump * radius * lumps - carved * (maze ? 3.4 : 1.6) * scale;
    out.mix = Math.max(0, Math.min(1, 0.75 - carved * (maze ? 0.62 : 0.45) + (patch - 0.5) * 0.7));
    out.shade = 0.8 + 0.3 * dome;
    return true;
  });
};

/** Thicket of antlers that grow outwards, with pale tips. */
export const antlers: ColonyPainter = ({ ground, random, scale }, x, y, radius, { label, flesh, tip }) => {
  const base = meanHeightAround(ground, x, y, radius) - 6 * scale;
  const thick = random.between(3.6, 5.6) * scale * (0.75 + radius / (400 * scale));
  const stems = Math.round(random.between(34, 48) * (radius / (95 * scale)) ** 1.2) + 10;
  const lean = random.between(0, TURN);
  const under = dimmed(flesh, 0.42);
  drawSurface(ground, x, y, radius * 0.8, label, [dimmed(flesh, 0.25), under], (u, v, out) => {
    const away = u * u + v * v;
    if (away >= 1) return false;
    out.z = base + (1 - away) * radius * 0.2;
    out.mix = away;
    out.shade = 0.7;
    return true;
  });
  for (let i = 0; i < stems; i++) {
    const angle = random.between(0, TURN);
    const start = random.next() ** 0.8 * radius * 0.62;
    const rise = (1 - start / radius) * radius * 0.45;
    let joint: Joint = {
      x: x + Math.cos(angle) * start,
      y: y + Math.sin(angle) * start,
      z: base + rise * 0.5,
      r: thick,
    };
    let heading = angle + random.gaussian() * 0.9 + Math.sin(lean - angle) * 0.3;
    const steps = 3;
    const length = radius * random.between(0.3, 0.52);
    for (let step = 0; step < steps; step++) {
      const next: Joint = {
        x: joint.x + (Math.cos(heading) * length) / steps,
        y: joint.y + (Math.sin(heading) * length) / steps,
        z: joint.z + random.between(0.02, 0.2) * radius * (1 - start / radius + 0.25),
        r: thick * (1 - (step + 1) * 0.16),
      };
      const [from, to] = [blend(flesh, tip, (step / steps) ** 2), blend(flesh, tip, ((step + 1) / steps) ** 2)];
      drawRod(ground, joint, next, label, step === 0 ? dimmed(from, 0.72) : from, to);
      for (let side = 0; side < 2; side++) {
        const off = heading + (random.chance(0.5) ? 1 : -1) * random.between(0.5, 1.1);
        const twig = radius * random.between(0.09, 0.2);
        drawRod(
          ground,
          next,
          {
            x: next.x + Math.cos(off) * twig,
            y: next.y + Math.sin(off) * twig,
            z: next.z + random.between(0.1, 0.6) * twig,
            r: next.r * 0.72,
          },
          label,
          to,
          tip,
        );
      }
      joint = next;
      heading += random.gaussian() * 0.35;
    }
  }
};

/** Cushion of short fingers, like Acropora humilis and Pocillopora. */
export const fingers: ColonyPainter = ({ ground, random, noise, scale }, x, y, radius, { label, flesh, tip }) => {
  const base = meanHeightAround(ground, x, y, radius) - radius * 0.1;
  const thick = random.between(4.2, 8) * scale;
  const gap = thick * random.between(2.05, 2.5);
  const [ox, oy] = [random.between(0, 200), random.between(0, 200)];
  const rise = random.between(0.35, 0.6);
  const outline = (angle: number, away: number): number =>
    away - (noise.at(ox + Math.cos(angle) * 1.3, oy + Math.sin(angle) * 1.3) - 0.5) * 0.6;
  drawSurface(ground, x, y, radius * 1.2, label, [dimmed(flesh, 0.3), dimmed(flesh, 0.45)], (u, v, out) => {
    const away = Math.hypot(u, v) * 1.2;
    if (outline(Math.atan2(v, u), away) >= 0.94) return false;
    out.z = base + Math.max(0, 1 - away * away) * radius * rise * 0.75;
    out.mix = 0.5;
    out.shade = 1;
    return true;
  });
  for (let row = -radius * 1.2; row <= radius * 1.2; row += gap * 0.87) {
    const shift = (Math.round(row / (gap * 0.87)) & 1) * gap * 0.5;
    for (let column = -radius * 1.2 + shift; column <= radius * 1.2; column += gap) {
      const px = column + random.gaussian() * gap * 0.27;
      const py = row + random.gaussian() * gap * 0.27;
      const away = Math.hypot(px, py) / radius;
      if (outline(Math.atan2(py, px), away) >= 1) continue;
      const dome = Math.sqrt(Math.max(0, 1 - 0.8 * away * away)) * radius * rise;
      const out = 1 + 0.1 + away * 0.07;
      const long = random.between(0.6, 1.5);
      const own = thick * random.between(0.78, 1.16);
      const foot: Joint = { x: x + px, y: y + py, z: base + dome * 0.82, r: own };
      const head: Joint = {
        x: x + px * out * 1.02,
        y: y + py * out * 1.02,
        z: base + dome + thick * 1.3 * long,
        r: own * 0.74,
      };
      drawRod(ground, foot, head, label, dimmed(flesh, 0.85), blend(flesh, tip, random.between(0.6, 1)));
    }
  }
};

/** Plate of a whorl, or a single table: thin, higher and pale at its edge, ribbed outwards. */
function plate(
  { ground, random, noise, scale }: Brush,
  x: number,
  y: number,
  radius: number,
  high: number,
  turned: number,
  { label, flesh, tip }: ColonyStyle,
  table: boolean,
): void {
  const [ox, oy] = [random.between(0, 200), random.between(0, 200)];
  const [cos, sin] = [Math.cos(turned), Math.sin(turned)];
  const tilt = random.between(0.05, 0.2);
  const lobes = random.between(0.14, 0.34);
  const ribs = ((table ? 0.26 : 0.11) * radius) / scale;
  drawSurface(ground, x, y, radius * 1.2, label, [dimmed(flesh, 0.7), tip], (u, v, out) => {
    const px = u * 1.2;
    const py = v * 1.2;
    const away = Math.hypot(px, py);
    if (away > 1.2) return false;
    const angle = Math.atan2(py, px);
    const lobe = noise.octaves(ox + (px / Math.max(0.2, away)) * 1.9, oy + (py / Math.max(0.2, away)) * 1.9, 3) - 0.5;
    let edge = 1 + lobe * lobes * 2.4;
    const rib = noise.at(ox + angle * ribs, oy + away * (table ? 9 : 2.2));
    if (table) edge += (rib - 0.5) * 0.1;
    const r = away / edge;
    if (r >= 1) return false;
    const ring = table ? 0 : Math.sin(away * 26 + lobe * 8) * 0.5 + 0.5;
    const gx = (x + px * radius) / scale;
    const gy = (y + py * radius) / scale;
    const grain = noise.at(gx * 0.34, gy * 0.34);
    const fine = table ? rib * 0.55 + grain * 0.45 : grain * 0.6 + rib * 0.4;
    out.z =
      high +
      (px * cos + py * sin) * tilt * radius +
      r * r * radius * 0.1 +
      (table ? (fine - 0.5) * 13 : (fine - 0.5) * 4 + ring * 1.6) * scale -
      (r > 0.97 ? 3 * scale : 0);
    out.mix = Math.min(1, 0.18 + smoothstep(0.86, 0.99, r) * 0.75 + (fine - 0.4) * (table ? 0.85 : 0.45));
    out.shade = 0.82 + 0.22 * r;
    return true;
  });
}

/** Plates in a whorl, or one large table of Acropora. */
export function plates(brush: Brush, x: number, y: number, radius: number, coat: ColonyStyle): void {
  const { ground, random, scale } = brush;
  const base = meanHeightAround(ground, x, y, radius) + 10 * scale;
  if (random.chance(0.45)) {
    plate(brush, x, y, radius, base + radius * 0.24, random.between(0, TURN), coat, true);
    return;
  }
  const count = random.integer(3, 6);
  const facing = random.between(0, TURN);
  for (let i = 0; i < count; i++) {
    const t = i / count;
    const angle = facing + random.gaussian() * 1.2;
    const off = radius * (0.55 - 0.4 * t);
    const size = radius * (0.72 - 0.32 * t) * random.between(0.85, 1.15);
    plate(
      brush,
      x + Math.cos(angle) * off,
      y + Math.sin(angle) * off,
      size,
      base + radius * (0.06 + 0.26 * t),
      angle,
      coat,
      false,
    );
  }
}
