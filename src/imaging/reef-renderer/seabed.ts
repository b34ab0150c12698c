import { labelOf } from './reef-classes';
import type { Colour, Ground } from './ground';
import { blend } from './ground';
import type { Noise } from './noise';
import { smoothstep } from './noise';
import type { Random } from './random';

export interface Bottom {
  /** Share of the ground that is low enough for sand. */
  readonly sand: number;
  /** Distance of the drop-off from the top edge; 0: not in the picture. */
  readonly dropOff: number;
  readonly crust: number;
  readonly turf: number;
}

const LIMESTONE: Colour = [168, 158, 138];
const TURF: Colour = [118, 100, 68];
const CRUST: Colour = [158, 104, 122];
const DARK_CRUST: Colour = [96, 58, 74];
const SAND: Colour = [226, 214, 188];
const DIM_SAND: Colour = [190, 178, 152];
const HOLE: Colour = [26, 30, 30];
const DEEP: Colour = [18, 60, 92];

/** Depth of the open water behind a drop-off, px of a picture 1200 wide. */
const DROP = 900;

export function buildSeabed(ground: Ground, noise: Noise, random: Random, bottom: Bottom, scale: number): void {
  const { width, height, z, label, colour } = ground;
  const grain = 1 / (1200 * scale);
  const ox = random.between(0, 200);
  const oy = random.between(0, 200);
  const lean = random.between(-0.35, 0.35);
  const waves = random.between(0, Math.PI);
  const [cos, sin] = [Math.cos(waves), Math.sin(waves)];
  // The noise is roughly bell-shaped around a half, so a share of the ground maps to a level.
  const level = bottom.sand <= 0 ? -1 : 0.32 + 0.36 * bottom.sand;
  const [W, N, T] = [labelOf('W'), labelOf('N'), labelOf('T')];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const i = y * width + x;
      const u = x * grain;
      const v = y * grain;
      const relief = noise.octaves(ox + u * 4.2, oy + v * 4.2, 3);
      const rough = noise.octaves(ox + 40 + u * 22, oy + v * 22, 4);
      let high = ((relief - 0.5) * 150 + (rough - 0.5) * 95) * scale;
      let value = T;
      let red: number;
      let green: number;
      let blue: number;
      const flat = level < 0 ? 0 : smoothstep(level + 0.022, level - 0.012, relief + (rough - 0.5) * 0.12);
      if (flat > 0.5) {
        value = N;
        const ripple = Math.sin((u * cos + v * sin) * 190 + noise.octaves(u * 7, v * 7, 2) * 19) * 0.5 + 0.5;
        const fine = noise.at(x * 0.45, y * 0.45);
        const tone = blend(DIM_SAND, SAND, 0.2 * ripple + 0.5 * rough + 0.3 * fine);
        high = ((level - 0.5) * 150 - 14 + ripple * (0.5 + 2 * relief) + fine * 2.4 + (rough - 0.5) * 14) * scale;
        red = tone[0];
        green = tone[1];
        blue = tone[2];
      } else {
        const crust = noise.octaves(60 + u * 13, 60 + v * 13, 3);
        const fine = noise.octaves((x * 0.16) / scale, (y * 0.16) / scale, 2);
        high += ((fine - 0.5) * 20 - flat * 16) * scale;
        let tone = blend(
          LIMESTONE,
          TURF,
          smoothstep(0.62 - 0.35 * bottom.turf, 0.8 - 0.35 * bottom.turf, rough * 0.55 + fine * 0.5),
        );
        tone = blend(
          tone,
          fine > 0.55 ? CRUST : DARK_CRUST,
          0.85 * smoothstep(0.66 - 0.25 * bottom.crust, 0.76 - 0.25 * bottom.crust, crust),
        );
        const shade = 0.62 + 0.75 * fine;
        red = tone[0] * shade;
        green = tone[1] * shade;
        blue = tone[2] * shade;
        // Deep gaps between rocks are shadow, and people label them so.
        const hole = smoothstep(0.335, 0.295, rough * 0.75 + relief * 0.25);
        if (hole > 0) {
          high -= hole * 90 * scale;
          red += (HOLE[0] - red) * hole;
          green += (HOLE[1] - green) * hole;
          blue += (HOLE[2] - blue) * hole;
          if (hole > 0.55) value = W;
        }
      }
      if (bottom.dropOff > 0) {
        const edge =
          v / (height * grain) - bottom.dropOff - lean * (u - 0.5) - (relief - 0.5) * 0.42 - (rough - 0.5) * 0.1;
        const fall = smoothstep(0.02, -0.09, edge);
        if (fall > 0) {
          high -= fall * DROP * scale;
          red += (DEEP[0] - red) * fall;
          green += (DEEP[1] - green) * fall;
          blue += (DEEP[2] - blue) * fall;
          if (fall > 0.4) value = W;
        }
      }
      z[i] = high;
      label[i] = value;
      colour[3 * i] = red;
      colour[3 * i + 1] = green;
      colour[3 * i + 2] = blue;
    }
  }
}
