import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'vitest';
import { composeBridge } from '../../cloud-sync/bridge/compose-bridge';
import { readBridgeSettings } from '../../cloud-sync/bridge/settings';
import { makeProfile } from '../support/browser/browser';
import { readPersonUid } from '../support/browser/sign-in-page';
import { hashBlobs, type ShownRow } from '../support/browser/tablet-page';
import type { OpenEngine, Point } from '../support/engines/engine-driver';
import { EnginePage } from '../support/engines/engine-page';
import { makePicture, type Picture } from '../support/pictures';
import { runSeed, seeded } from '../support/seed';
import { hashOnBox, wholeFeed } from '../support/servers/client';
import { STAFF_TOKEN, startCloud } from '../support/servers/cloud';
import { type TestEdge, startEdge } from '../support/servers/edge';

const PLACE = 'Moore Reef 16-071';
const PERSON = 'Mara Lind';
const FILES = 'input[type="file"]:not([webkitdirectory]):not([capture])';
/**
 * Moments at which a page is left, ms after its start: before its scripts run, while it opens its storage, while it reads.
 */
const LEAVING_MS = [20, 60, 100, 140, 180, 220, 260, 300];
/** Text of the error that a journey writes itself, to know that errors are heard. */
export const PLANTED = 'an error that the journey planted';

/** Notes of a page about its end and return. */
export const RETURNED_FROM_CACHE = 'pagehide true, pageshow true, pagehide false, ';
export const LOADED_AGAIN = 'pagehide false, ';

/** A tablet's way through one engine, step by step: each step begins where the last one ended. */
export class Journey {
  readonly #page: EnginePage;
  readonly #edge: TestEdge;
  readonly #folder: string;
  readonly #removeProfile: () => Promise<void>;
  readonly #random = seeded(runSeed());
  #pictures: readonly Picture[] = [];
  /** Path of the survey's page. */
  #survey = '';

  private constructor(page: EnginePage, edge: TestEdge, removeProfile: () => Promise<void>) {
    this.#page = page;
    this.#edge = edge;
    this.#removeProfile = removeProfile;
    this.#folder = mkdtempSync(path.join(tmpdir(), 'reef-engine-'));
  }

  /** Starts a box over https and opens an engine with an empty profile. */
  static async begin(open: OpenEngine): Promise<Journey> {
    const edge = await startEdge({ tls: true });
    const profile = await makeProfile();
    try {
      const driver = await open(profile.folder);
      console.log(`${driver.version}, seed ${runSeed()}`);
      return new Journey(new EnginePage(driver), edge, profile.remove);
    } catch (error) {
      await profile.remove();
      await edge.remove();
      throw error;
    }
  }

  async end(): Promise<void> {
    await this.#page.close();
    await this.#edge.remove();
    await this.#removeProfile();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Enters a name, waits until the app is installed, and pairs. */
  async enterAndPair(): Promise<void> {
    const page = this.#page;
    await page.goto(this.#edge.url);
    await page.fill('First name', 'Mara');
    await page.fill('Last name', 'Lind');
    await page.fill('Email', 'mara@example.org');
    await page.click('button', 'Continue');
    await page.find('button', 'New survey');
    await page.until(
      'the installed app',
      () => page.evaluate(() => navigator.serviceWorker.controller?.state ?? 'none'),
      (state) => state === 'activated',
    );
    await page.evaluate((text) => void setTimeout(() => console.error(text)), PLANTED);
    await page.click('link', 'Box');
    await page.fill('Code', this.#edge.code);
    await page.click('button', 'Pair');
    await page.see('Box in reach');
  }

  /** Starts a survey and adds photographs until both lights of each are on; tablet and box have their bytes. */
  async photograph(): Promise<void> {
    const page = this.#page;
    await page.click('link', 'Surveys');
    await page.click('button', 'New survey');
    await page.fill('Reef or place', PLACE);
    await page.press('Tab');
    await page.click('button', 'Start this survey');
    await page.find('heading', PLACE);
    this.#survey = await page.evaluate(() => location.pathname);
    await this.#make(5);
    await page.chooseFiles(FILES, this.#files(0));
    await this.#untilCustody(['box']);
    await this.#compareBytes();
  }

  /** Paints two strokes, reloads, fills the rest and saves. Returns the preview of the analysis as the box has it. */
  async paintAndSave(): Promise<Buffer> {
    const page = this.#page;
    // Mara has learned to paint.
    const uid = await page.evaluate(readPersonUid);
    await page.evaluate((key) => localStorage.setItem(key, '3'), `learn.mode.${uid}`);
    await page.click('option', '1, ');
    await page.click('link', 'Trace');
    let cover = 0;
    for (const height of [0.35, 0.5]) {
      await this.#stroke(height);
      cover = await this.#untilCover((now) => now > cover + 0.5);
    }
    await page.see('every stroke is stored on this tablet');
    cover = await this.#untilCover(() => true);
    await page.leaveFor(await page.evaluate(() => location.href));
    await page.see('Your marks are back');
    await this.#untilCover((now) => now === cover);
    await page.click('button', 'Fill rest');
    await page.click('button', 'Fill the rest');
    await this.#untilCover((now) => now === 100);
    await page.click('button', 'Save');
    await page.see('Saved. Next one:');
    const saved = await page.until(
      'the analysis on the box',
      async () => (await wholeFeed(this.#edge.audited)).entries.filter(({ op }) => op?.kind === 'analysis'),
      (entries) => entries.length > 0,
    );
    expect(saved).toHaveLength(1);
    return Buffer.from(String(saved[0]?.op?.body['preview']), 'base64');
  }

  /** Stops the box and opens the survey from the tablet alone, twice. */
  async openOffline(): Promise<void> {
    await this.#edge.stop();
    for (let time = 1; time <= 2; time++) {
      await this.#openSurvey();
      await this.#untilCustody(['box']);
    }
  }

  /** Leaves the survey's page at several moments of its start: each time the next page opens. */
  async leaveAtOnce(): Promise<void> {
    const page = this.#page;
    for (const moment of LEAVING_MS) {
      await page.leaveFor(this.#survey);
      await page.evaluate((at) => {
        setTimeout(() => (location.href = '/you'), Math.max(0, at - performance.now()));
      }, moment);
      await page.find('heading', PERSON);
    }
  }

  /** Leaves the survey's page and returns by Back: it lists its photographs. Returns what the page noted. */
  async leaveAndReturn(): Promise<string> {
    const page = this.#page;
    await this.#openSurvey();
    await this.#untilCustody(['box']);
    await page.evaluate(() => {
      sessionStorage.setItem('events', '');
      for (const type of ['pagehide', 'pageshow'] as const)
        addEventListener(type, ({ persisted }) => {
          sessionStorage.setItem('events', `${sessionStorage.getItem('events') ?? ''}${type} ${String(persisted)}, `);
        });
    });
    await this.#leaveAndReturn();
    await this.#untilCustody(['box']);
    return page.evaluate(() => sessionStorage.getItem('events') ?? '');
  }

  /** Leaves while photographs are stored, returns by Back, adds them again, and sends them to the box. */
  async leaveWhileStoring(): Promise<void> {
    const before = this.#pictures.length;
    await this.#make(3);
    await this.#page.chooseFiles(FILES, this.#files(before));
    await this.#leaveAndReturn();
    await this.#page.until(
      'the photographs from before',
      () => this.#page.evaluate(readShownRows),
      (rows) => rows.filter(({ custody }) => custody === 'box').length === before,
    );
    await this.#page.chooseFiles(FILES, this.#files(before));
    await this.#untilCustody(['tablet', 'box']);
    await this.#edge.restart();
    await this.#untilCustody(['box']);
    await this.#compareBytes();
  }

  /** Brings what the box has to a real cloud by its bridge: the shore's light of each photograph is on. */
  async reachShore(): Promise<void> {
    const shore = await startCloud();
    const { body: registered } = await shore.post<{ token: string }>('/api/fleet/boxes', { name: 'Box' }, STAFF_TOKEN);
    const settings = readBridgeSettings(['--edge', this.#edge.url, '--cloud', shore.url], {
      REEF_HOME: path.join(this.#folder, 'bridge'),
      BRIDGE_TOKEN: registered.token,
      EDGE_ADMIN_TOKEN: this.#edge.adminToken,
    });
    const { bridge, close } = composeBridge(settings, this.#edge.ca, {
      log: () => undefined,
      limits: { cloudPollMs: 0 },
    });
    try {
      await this.#page.until(
        'the bridge',
        async () => {
          await bridge.step(new AbortController().signal);
          const { text, owed } = await bridge.status();
          return { text, owed: owed.ops };
        },
        ({ text, owed }) => owed === 0 && text === 'Everything aboard is ashore.',
      );
      // The tablet hears of the cloud's keys at its next connection.
      await this.#openSurvey();
      await this.#untilCustody(['shore']);
    } finally {
      close();
      await shore.close();
    }
  }

  /** Console errors that no pattern lists, each once. */
  async complaints(listed: readonly RegExp[]): Promise<string[]> {
    const all = new Set(await this.#page.complaints());
    return [...all].filter((text) => !listed.some((pattern) => pattern.test(text)));
  }

  async #make(count: number): Promise<void> {
    const first = this.#pictures.length;
    const made = Array.from({ length: count }, (_, i) =>
      makePicture(this.#folder, `reef-${first + i}.jpg`, this.#random, 700),
    );
    this.#pictures = [...this.#pictures, ...(await Promise.all(made))];
  }

  #files(from: number): string[] {
    return this.#pictures.slice(from).map(({ file }) => file);
  }

  /** Compares every photograph on tablet and box, byte for byte. */
  async #compareBytes(): Promise<void> {
    const hashes = this.#pictures.map(({ sha256 }) => sha256).sort();
    const kept = await this.#page.evaluate(hashBlobs);
    expect(kept.map(({ actual }) => actual).sort()).toEqual(hashes);
    expect(await Promise.all(hashes.map((hash) => hashOnBox(this.#edge.audited, hash)))).toEqual(hashes);
  }

  /** Waits until the open survey shows each photograph in one of these custodies. */
  async #untilCustody(custodies: readonly string[]): Promise<void> {
    await this.#page.until(
      'the photographs',
      () => this.#page.evaluate(readShownRows),
      (rows) => rows.length === this.#pictures.length && rows.every(({ custody }) => custodies.includes(custody)),
    );
  }

  /** Loads the survey's page from within the app, as its address does. */
  async #openSurvey(): Promise<void> {
    await this.#page.leaveFor(this.#survey);
    await this.#page.find('heading', PLACE);
  }

  async #leaveAndReturn(): Promise<void> {
    await this.#page.leaveFor('/you');
    await this.#page.find('heading', PERSON);
    await this.#page.back();
    await this.#page.find('heading', PLACE);
  }

  /** Waits for a cover that fits and rests, of a picture that can be painted: it follows a stroke. Percent. */
  #untilCover(fits: (cover: number) => boolean): Promise<number> {
    return this.#page.until(
      'the cover',
      () => this.#page.evaluate(readRestingCover),
      (cover) => cover !== null && fits(cover),
    ) as Promise<number>;
  }

  /** Draws a line across the picture at a height, fraction 0..1. */
  async #stroke(height: number): Promise<void> {
    await this.#untilCover(() => true);
    const stage = await this.#page.evaluate(() => {
      const { left, top, width, height } = (
        document.querySelector('[role="application"]') ?? document.body
      ).getBoundingClientRect();
      return { left, top, width, height };
    });
    const y = stage.top + stage.height * height;
    const places = Array.from({ length: 13 }, (_, i): Point => [stage.left + stage.width * (0.4 + i / 30), y]);
    await this.#page.drag(places);
  }
}

function readShownRows(): ShownRow[] {
  return [...document.querySelectorAll('li[data-sha256]')].map((row) => ({
    name: row.getAttribute('data-name') ?? '',
    sha256: row.getAttribute('data-sha256') ?? '',
    custody: row.getAttribute('data-custody') ?? '',
  }));
}

/** Cover of the open picture in percent; null if it cannot be painted yet, or the cover changed within half a second. */
async function readRestingCover(): Promise<number | null> {
  const read = (): string | null =>
    document.querySelector('[data-ready="true"]') === null
      ? null
      : (document.querySelector('[aria-label="Painted"]')?.getAttribute('aria-valuenow') ?? null);
  const before = read();
  await new Promise((resolve) => setTimeout(resolve, 500));
  return before === null || read() !== before ? null : Number(before);
}
