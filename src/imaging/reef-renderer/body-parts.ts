import type { Brush, Colour, Ground, Joint } from './ground';
import { blend, drawRod } from './ground';

/** Draws a subject of `radius` px around a point. */
export type SubjectPainter = (brush: Brush, x: number, y: number, radius: number, label: number) => void;

/** Place in a body that swims along a heading: `along` and `across` in radii. */
export const bodyAt =
  (x: number, y: number, radius: number, heading: number) =>
  (along: number, across: number): { readonly x: number; readonly y: number } => ({
    x: x + (Math.cos(heading) * along - Math.sin(heading) * across) * radius,
    y: y + (Math.sin(heading) * along + Math.cos(heading) * across) * radius,
  });

type BodyAt = ReturnType<typeof bodyAt>;

/** Part of a body: joints as [along, across, half width], all in radii. */
export type Part = readonly (readonly [along: number, across: number, half: number])[];

export function drawPart(
  ground: Ground,
  at: BodyAt,
  radius: number,
  z: number,
  part: Part,
  label: number,
  [one, two]: readonly [Colour, Colour],
): void {
  const joints = part.map(([along, across, half]): Joint => ({ ...at(along, across), z, r: half * radius }));
  joints.slice(1).forEach((joint, i) => {
    const before = joints[i];
    if (before !== undefined)
      drawRod(
        ground,
        before,
        joint,
        label,
        blend(one, two, i / joints.length),
        blend(one, two, (i + 1) / joints.length),
      );
  });
}

export const mirrored = (part: Part): Part => part.map(([along, across, half]) => [along, -across, half]);
