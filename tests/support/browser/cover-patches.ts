import type { Page } from 'playwright';
import sharp from 'sharp';
import { expect } from 'vitest';

/** Colours of the cover bands in the light theme (`report-colours.ts`). */
const BANDS = ['#fff0c2', '#ffc285', '#f5808a', '#b83280', '#571063'];
/** Difference of a colour channel that still counts as the colour. */
const NEAR = 12;
/** Distance at which a reef of the map is where the picture had it, px. */
const SAME_PX = 3;
/** Middles of the patches in the colours of covers, with their colour, without what lies over the map. */
export async function coverPatches(
  page: Page,
): Promise<readonly { readonly band: number; readonly x: number; readonly y: number }[]> {
  const overMap = (visibility: string): Promise<void> =>
    page.evaluate((value) => {
      for (const element of document.querySelectorAll<HTMLElement>('main > :not(:first-child)'))
        element.style.visibility = value;
    }, visibility);
  await overMap('hidden');
  const picture = await page.getByRole('main').screenshot();
  await overMap('');
  const { data, info } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const bandAt = (at: number): number =>
    BANDS.findIndex((colour) =>
      [1, 3, 5].every(
        (from, n) => Math.abs(Number.parseInt(colour.slice(from, from + 2), 16) - (data[at * 3 + n] ?? 0)) <= NEAR,
      ),
    );
  const seen = new Set<number>();
  const found: { band: number; x: number; y: number }[] = [];
  for (let start = 0; start < info.width * info.height; start++) {
    const band = seen.has(start) ? -1 : bandAt(start);
    if (band === -1) continue;
    const [open, points]: [number[], number[]] = [[start], []];
    seen.add(start);
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      points.push(at);
      for (const next of [at - 1, at + 1, at - info.width, at + info.width])
        if (!seen.has(next) && bandAt(next) === band) {
          seen.add(next);
          open.push(next);
        }
    }
    const mean = (of: (at: number) => number): number => points.reduce((sum, at) => sum + of(at), 0) / points.length;
    // Rims of two colours that mix may look like a third.
    if (points.length >= 6)
      found.push({ band, x: mean((at) => at % info.width), y: mean((at) => Math.floor(at / info.width)) });
  }
  return found;
}

/** Expects each patch of the picture at its place on the map. */
export async function expectSamePlaces(page: Page, before: Awaited<ReturnType<typeof coverPatches>>): Promise<void> {
  expect(before.length).toBeGreaterThan(5);
  const after = await coverPatches(page);
  const lost = before.filter(
    ({ band, x, y }) => !after.some((one) => one.band === band && Math.hypot(one.x - x, one.y - y) <= SAME_PX),
  );
  expect(lost, `places on the map: ${JSON.stringify(after)}`).toEqual([]);
}
