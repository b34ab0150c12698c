import type { Brush, Colour, Joint } from './ground';
import { dimmed, meanHeightAround, drawRod, drawSurface, palette } from './ground';
import { smoothstep } from './noise';

const TURN = 2 * Math.PI;

const SPONGES = palette('965028 ce824a', '78343c b05c5c', '927a38 cab268', '54446c 8874a4', '546060 8c9a92');

/** Tubes of sponge, open at the top. */
export function sponge({ ground, random, scale }: Brush, x: number, y: number, radius: number, label: number): void {
  const [flesh, tip] = random.pick(SPONGES);
  const base = meanHeightAround(ground, x, y, radius);
  const count = random.integer(3, 7);
  for (let i = 0; i < count; i++) {
    const angle = random.between(0, TURN);
    const away = i === 0 ? 0 : radius * random.between(0.35, 0.8);
    const size = radius * random.between(0.24, 0.42);
    const high = base + size * random.between(0.9, 1.8);
    drawSurface(
      ground,
      x + Math.cos(angle) * away,
      y + Math.sin(angle) * away,
      size,
      label,
      [flesh, tip],
      (u, v, out) => {
        const r = Math.hypot(u, v);
        if (r >= 1) return false;
        const lip = 1 - ((r - 0.62) / 0.38) ** 2;
        out.z =
          r > 0.34
            ? high + Math.sqrt(Math.max(0, lip)) * size * 0.35 - (r > 0.8 ? (r - 0.8) * size * 3 : 0)
            : high - (1 - r / 0.34) * 26 * scale;
        out.mix = smoothstep(0.3, 0.6, r) * 0.9;
        out.shade = r > 0.34 ? 1 : 0.3;
        return true;
      },
    );
  }
}

/** Giant clam: two wavy lips of a blue that nothing else has. */
export function clam({ ground, random, noise }: Brush, x: number, y: number, radius: number, label: number): void {
  const base = meanHeightAround(ground, x, y, radius) + radius * 0.2;
  const turned = random.between(0, TURN);
  const [cos, sin] = [Math.cos(turned), Math.sin(turned)];
  const lips: readonly [Colour, Colour] = random.chance(0.6)
    ? [
        [20, 66, 130],
        [72, 196, 214],
      ]
    : [
        [62, 82, 40],
        [150, 186, 92],
      ];
  const o = random.between(0, 100);
  drawSurface(ground, x, y, radius * 1.1, label, lips, (u, v, out) => {
    const along = (u * cos + v * sin) * 1.1;
    const across = (v * cos - u * sin) * 1.1;
    const wave = Math.sin(along * 11) * 0.09 * (1 - along * along);
    const half = 0.46 * Math.sqrt(Math.max(0, 1 - along * along)) + Math.abs(wave) * 0.5;
    if (Math.abs(across) >= half) return false;
    const lip = Math.abs(across - wave) / Math.max(0.05, half);
    const spots = noise.at(o + u * 16, o + v * 16);
    out.z = base + radius * 0.25 * Math.sqrt(Math.max(0, 1 - (lip - 0.5) ** 2 * 4)) - (lip < 0.14 ? radius * 0.4 : 0);
    out.mix = spots > 0.58 ? 0.9 : 0.25 + 0.4 * lip;
    out.shade = lip < 0.14 ? 0.25 : 1;
    return true;
  });
}

export function star({ ground, random, scale }: Brush, x: number, y: number, radius: number, label: number): void {
  const base = meanHeightAround(ground, x, y, radius) + 7 * scale;
  const own: Colour = random.chance(0.7) ? [46, 92, 196] : [196, 84, 52];
  const turned = random.between(0, TURN);
  for (let arm = 0; arm < 5; arm++) {
    const angle = turned + (arm * TURN) / 5 + random.gaussian() * 0.12;
    const bend = angle + random.gaussian() * 0.3;
    const middle: Joint = {
      x: x + Math.cos(angle) * radius * 0.5,
      y: y + Math.sin(angle) * radius * 0.5,
      z: base + 2 * scale,
      r: radius * 0.14,
    };
    drawRod(ground, { x, y, z: base + 3 * scale, r: radius * 0.19 }, middle, label, own, own);
    drawRod(
      ground,
      middle,
      {
        x: middle.x + Math.cos(bend) * radius * 0.5,
        y: middle.y + Math.sin(bend) * radius * 0.5,
        z: base,
        r: radius * 0.09,
      },
      label,
      own,
      dimmed(own, 0.9),
    );
  }
}

const FISH = palette(
  'e47a2e f6be60 ec963c',
  '2e60ce 60a8ec f0d646',
  'ecce3c faec96 ecce3c',
  '5ca896 aadcce 6eaaa0',
  '282a38 e2e2dc 282a38',
);

/** Small school of fish above the reef, with its shadow. */
export function fish({ ground, random, scale }: Brush, x: number, y: number, radius: number, label: number): void {
  const [back, side, tail] = random.pick(FISH);
  const base = meanHeightAround(ground, x, y, radius) + 74 * scale;
  const swims = random.between(0, TURN);
  const count = random.integer(2, 7);
  for (let i = 0; i < count; i++) {
    const [px, py] = [x + random.gaussian() * radius, y + random.gaussian() * radius];
    const heading = swims + random.gaussian() * 0.35;
    const long = random.between(13, 21) * scale;
    const z = base + random.gaussian() * 12 * scale;
    const [cos, sin] = [Math.cos(heading), Math.sin(heading)];
    const at = (along: number, across: number): { x: number; y: number } => ({
      x: px + cos * along * long - sin * across * long,
      y: py + sin * along * long + cos * across * long,
    });
    drawRod(
      ground,
      { ...at(-0.55, 0), z, r: long * 0.12 },
      { ...at(-1.05, 0.22), z, r: long * 0.07 },
      label,
      tail,
      tail,
    );
    drawRod(
      ground,
      { ...at(-0.55, 0), z, r: long * 0.12 },
      { ...at(-1.05, -0.22), z, r: long * 0.07 },
      label,
      tail,
      tail,
    );
    drawRod(
      ground,
      { ...at(-0.5, 0), z, r: long * 0.16 },
      { ...at(0.15, 0), z: z + 2 * scale, r: long * 0.34 },
      label,
      back,
      side,
    );
    drawRod(
      ground,
      { ...at(0.15, 0), z: z + 2 * scale, r: long * 0.33 },
      { ...at(0.62, 0), z, r: long * 0.15 },
      label,
      side,
      back,
    );
  }
}
