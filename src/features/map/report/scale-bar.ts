import type { MapView } from './report-map-props';

/** Metres around the equator. */
const EQUATOR_M = 40_075_017;
const LONGEST_PX = 150;

/** Round distance and its length, px, in the middle of a view. */
export function scaleBar({ latitude, zoom }: MapView): { readonly width: number; readonly text: string } {
  const metresPerPx = (EQUATOR_M * Math.cos((latitude * Math.PI) / 180)) / (512 * 2 ** zoom);
  const longest = LONGEST_PX * metresPerPx;
  const power = 10 ** Math.floor(Math.log10(longest));
  const metres = ([5, 2, 1].find((digit) => digit * power <= longest) ?? 1) * power;
  return { width: Math.round(metres / metresPerPx), text: metres < 1000 ? `${metres} m` : `${metres / 1000} km` };
}
