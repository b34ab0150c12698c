import type { Colour } from './ground';
import { blend, dimmed, drawSurface, greatestHeightAround } from './ground';
import { bodyAt, drawPart, mirrored, type Part, type SubjectPainter } from './body-parts';
import { smoothstep } from './noise';

const SHARK: readonly [Colour, Colour] = [
  [104, 112, 116],
  [142, 146, 144],
];

/** Reef shark from above: a long body, two pairs of fins, and a tail bent to one side. */
export const shark: SubjectPainter = ({ ground, random, scale }, x, y, radius, label) => {
  const at = bodyAt(x, y, radius, random.between(-0.5, 0.1));
  const z = greatestHeightAround(ground, x, y, radius) + 40 * scale;
  const [back, side] = SHARK;
  const fin: Part = [
    [0.36, 0.1, 0.075],
    [0.2, 0.3, 0.05],
    [0.06, 0.48, 0.015],
  ];
  const small: Part = [
    [-0.4, 0.06, 0.04],
    [-0.52, 0.2, 0.012],
  ];
  for (const each of [fin, small])
    for (const part of [each, mirrored(each)])
      drawPart(ground, at, radius, z - 6 * scale, part, label, [side, dimmed(back, 0.7)]);
  const body: Part = [
    [0.98, 0, 0.05],
    [0.8, 0, 0.11],
    [0.45, 0, 0.15],
    [0, 0, 0.14],
    [-0.45, 0.02, 0.08],
    [-0.8, 0.07, 0.035],
  ];
  drawPart(ground, at, radius, z, body, label, [back, side]);
  drawPart(
    ground,
    at,
    radius,
    z,
    [
      [-0.78, 0.07, 0.035],
      [-0.95, 0.16, 0.03],
      [-1.1, 0.3, 0.012],
    ],
    label,
    [back, dimmed(back, 0.45)],
  );
  drawPart(
    ground,
    at,
    radius,
    z + radius * 0.12,
    [
      [0.2, 0, 0.035],
      [0.02, 0.03, 0.016],
    ],
    label,
    [dimmed(back, 0.9), dimmed(back, 0.4)],
  );
};

const SHELL: readonly [Colour, Colour] = [
  [64, 58, 36],
  [156, 132, 78],
];
const SKIN: readonly [Colour, Colour] = [
  [92, 92, 66],
  [196, 188, 148],
];

/** Turtle from above: a shell of scutes, a head, and four flippers. */
export const turtle: SubjectPainter = ({ ground, random, noise, scale }, x, y, radius, label) => {
  const heading = random.between(-0.9, -0.3);
  const at = bodyAt(x, y, radius, heading);
  const z = greatestHeightAround(ground, x, y, radius) + 20 * scale;
  const front: Part = [
    [0.36, 0.4, 0.1],
    [0.42, 0.72, 0.11],
    [0.2, 0.98, 0.07],
    [-0.02, 1.1, 0.02],
  ];
  const rear: Part = [
    [-0.5, 0.34, 0.09],
    [-0.78, 0.5, 0.08],
    [-0.9, 0.56, 0.03],
  ];
  for (const each of [front, rear])
    for (const part of [each, mirrored(each)])
      drawPart(ground, at, radius, z, part, label, [SKIN[0], blend(SKIN[0], SKIN[1], 0.5)]);
  drawPart(
    ground,
    at,
    radius,
    z + 8 * scale,
    [
      [0.62, 0, 0.11],
      [0.86, 0, 0.14],
      [0.99, 0, 0.07],
    ],
    label,
    [SKIN[0], SKIN[1]],
  );
  const [cos, sin] = [Math.cos(heading), Math.sin(heading)];
  drawSurface(ground, x, y, radius * 0.8, label, SHELL, (u, v, out) => {
    const along = ((u * cos + v * sin) * 0.8) / 0.72;
    const across = ((v * cos - u * sin) * 0.8) / 0.56;
    const away = along * along + across * across * (1 + 0.25 * along);
    if (away >= 1) return false;
    const row = Math.abs(across) < 0.3 ? 0 : Math.sign(across);
    const cell = along * 3 + (row === 0 ? 0 : 0.5);
    const seam = Math.min(
      Math.abs(cell - Math.round(cell)) / 3,
      Math.abs(Math.abs(across) - 0.3),
      Math.abs(1 - away) * 0.5,
    );
    const ray = noise.octaves(40 + along * 7, 40 + across * 7 + row * 9, 3);
    out.z = z + radius * 0.1 + Math.sqrt(1 - away) * radius * 0.28;
    out.mix = smoothstep(0, 0.05, seam) * (0.25 + 0.75 * ray);
    out.shade = seam < 0.018 ? 0.55 : 0.95;
    return true;
  });
};

const SUIT: Colour = [34, 36, 42];
const TANK: Colour = [214, 186, 54];
const FIN: Colour = [44, 116, 190];
const FACE: Colour = [196, 152, 122];

/** Diver from above: suit, cylinder, arms ahead and long fins. */
export const diver: SubjectPainter = ({ ground, random, scale }, x, y, radius, label) => {
  const at = bodyAt(x, y, radius, random.between(-0.6, 0.2));
  const z = greatestHeightAround(ground, x, y, radius) + 30 * scale;
  const suit: readonly [Colour, Colour] = [SUIT, [62, 66, 76]];
  const draw = (part: Part, colours: readonly [Colour, Colour], rise = 0): void =>
    drawPart(ground, at, radius, z + rise * radius, part, label, colours);
  for (const side of [1, -1]) {
    const on = (part: Part): Part => (side === 1 ? part : mirrored(part));
    draw(
      on([
        [-0.12, 0.1, 0.085],
        [-0.5, 0.15, 0.065],
        [-0.74, 0.17 + 0.03 * side, 0.045],
      ]),
      suit,
    );
    draw(
      on([
        [-0.74, 0.17 + 0.03 * side, 0.05],
        [-0.9, 0.19, 0.085],
        [-1.1, 0.2, 0.095],
      ]),
      [FIN, dimmed(FIN, 0.7)],
      0.02,
    );
    draw(
      on([
        [0.4, 0.16, 0.06],
        [0.56, 0.27, 0.05],
        [0.8, 0.13, 0.035],
      ]),
      suit,
    );
    draw(
      on([
        [0.8, 0.13, 0.036],
        [0.86, 0.11, 0.032],
      ]),
      [FACE, FACE],
      0.01,
    );
  }
  draw(
    [
      [0.42, 0, 0.19],
      [0.1, 0, 0.16],
      [-0.14, 0, 0.15],
    ],
    suit,
    0.02,
  );
  draw(
    [
      [0.62, 0, 0.12],
      [0.68, 0, 0.11],
    ],
    [SUIT, SUIT],
    0.04,
  );
  draw(
    [
      [0.4, 0, 0.085],
      [-0.12, 0, 0.085],
    ],
    [TANK, dimmed(TANK, 0.85)],
    0.2,
  );
  draw(
    [
      [0.44, 0, 0.035],
      [0.5, 0, 0.03],
    ],
    [
      [60, 60, 62],
      [120, 120, 122],
    ],
    0.24,
  );
};
