import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { CDPSession, Page } from 'playwright';
import sharp from 'sharp';
import { HABITATS, sceneOf } from '../../../src/imaging/reef-renderer/habitats';
import { renderReef } from '../../../src/imaging/reef-renderer/render-reef';
import { makeProfile, openBrowser, type TestBrowser } from '../../support/browser/browser';
import { becomeExpert, imagesOnTablet } from '../../support/browser/stored-on-tablet';
import { addPhotographs, enterPerson, pairTablet, startSurvey, untilCustody } from '../../support/browser/tablet-page';
import type { Picture } from '../../support/pictures';
import { startEdge } from '../../support/servers/edge';

/** Outlines of each photograph: as many as the segmentation makes, in the sizes of experts. */
export const OUTLINES = 200;
/** Longer side at which a reef is made before it is enlarged, px: no more of it reaches the segmentation. */
const MADE_SIDE = 800;
const LIMIT_MS = 300_000;

/** Tablet with the built app, paired with a real box that has its photographs. */
export interface LabelTablet {
  readonly page: Page;
  readonly browser: TestBrowser;
  /** Opens a photograph for labelling, with {@link OUTLINES} outlines; in the steps of the public by default. */
  readonly open: (photograph: number, version?: number) => Promise<void>;
  /** Waits until this many photographs have stored outlines. */
  readonly untilOutlined: (photographs: number) => Promise<void>;
  /** Starts its browser again: the page's process has only what it opens from now on. */
  readonly restart: () => Promise<LabelTablet>;
  readonly stop: () => Promise<void>;
}

/** Photographs of made reefs, JPEG. @param width px, three quarters of it high */
export function reefPhotographs(count: number, width: number): Promise<readonly Buffer[]> {
  return Promise.all(
    Array.from({ length: count }, (_, seed) => {
      const size = { width: MADE_SIDE, height: (MADE_SIDE * 3) / 4 };
      const { rgb } = renderReef(sceneOf(HABITATS[seed % 5] ?? 'crest', 3 + seed, size));
      return sharp(rgb, { raw: { ...size, channels: 3 } })
        .resize(width)
        .jpeg({ quality: 88 })
        .toBuffer();
    }),
  );
}

/** Adds photographs to a survey through the app, waits until the box has them, and makes the person an expert. */
export async function labelTablet(photographs: readonly Buffer[]): Promise<LabelTablet> {
  const folder = mkdtempSync(path.join(tmpdir(), 'reef-label-bench-'));
  const profile = await makeProfile();
  const edge = await startEdge({ tls: true });
  const start = () =>
    openBrowser({ profile: profile.folder, trusts: [edge.certificate], installs: false, charts: false });
  let browser = await start();
  const stop = async (): Promise<void> => {
    await browser.kill();
    await edge.remove();
    await profile.remove();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const { page } = browser;
    await page.goto(edge.origin);
    await enterPerson(page, { first: 'Mara', last: 'Lind', email: 'mara@example.org' });
    await pairTablet(page, edge.code);
    const survey = await startSurvey(page, 'Moore Reef 16-071');
    await addPhotographs(
      page,
      photographs.map((bytes, at): Picture => {
        const file = path.join(folder, `reef-${at}.jpg`);
        writeFileSync(file, bytes);
        return { name: path.basename(file), file, sha256: '', bytes: bytes.length };
      }),
    );
    await untilCustody(page, photographs.length, ['box'], LIMIT_MS);
    const images = await imagesOnTablet(page);
    await becomeExpert(page);
    const tablet = (): LabelTablet => ({
      page: browser.page,
      browser,
      open: async (photograph, version = 2.4) => {
        await browser.page.goto(`${edge.origin}/analysis/ml/${survey}/${images[photograph]}?version=${version}`);
        await browser.page.locator('main[data-ready="true"] [data-active]').waitFor({ timeout: LIMIT_MS });
        const count = await browser.page.locator('[data-outline]').count();
        if (count !== OUTLINES) throw new Error(`the photograph has ${count} outlines, not ${OUTLINES}`);
      },
      untilOutlined: (count) => untilOutlined(browser.page, count),
      restart: async () => {
        await browser.close();
        browser = await start();
        return tablet();
      },
      stop,
    });
    return tablet();
  } catch (error) {
    await stop();
    throw error;
  }
}

async function untilOutlined(page: Page, count: number): Promise<void> {
  for (const end = Date.now() + LIMIT_MS; Date.now() < end; await page.waitForTimeout(200)) {
    const stored = await page.evaluate(`(async () => {
      let most = 0;
      for (const { name } of await indexedDB.databases()) {
        const db = await new Promise((done, fail) => {
          const opening = indexedDB.open(name);
          opening.onsuccess = () => done(opening.result);
          opening.onerror = () => fail(opening.error);
        });
        if (db.objectStoreNames.contains('outlines')) {
          const asking = db.transaction('outlines').objectStore('outlines').count();
          most = Math.max(most, await new Promise((done) => { asking.onsuccess = () => done(asking.result); }));
        }
        db.close();
      }
      return most;
    })()`);
    if (Number(stored) >= count) return;
  }
  throw new Error(`fewer than ${count} photographs have stored outlines`);
}

/**
 * Taps a place and measures until it shows: from the pointer event that lifts the finger to the end of the first frame
 * that finds `isShown` true, ms. The frame's style, layout and paint are in it; rasterising and the screen are not.
 *
 * @param isShown expression of the page
 */
export async function tapTime(
  page: Page,
  devtools: CDPSession,
  { x, y }: { readonly x: number; readonly y: number },
  isShown: string,
): Promise<number> {
  await page.evaluate(`(() => {
    window.tapped = new Promise((resolve) => {
      window.addEventListener('pointerup', ({ timeStamp }) => {
        const frame = () => {
          if (!(${isShown})) return requestAnimationFrame(frame);
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => resolve(performance.now() - timeStamp);
          port2.postMessage(null);
        };
        requestAnimationFrame(frame);
      }, { capture: true, once: true });
    });
  })()`);
  const finger = { x, y, id: 1, radiusX: 14, radiusY: 14, force: 0.6 };
  await devtools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [finger] });
  await page.waitForTimeout(50 + Math.random() * 17);
  await devtools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  return Number(await page.evaluate('window.tapped'));
}

export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? NaN;
}
