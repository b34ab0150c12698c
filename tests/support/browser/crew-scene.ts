import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright';
import { type TestBrowser, makeProfile, openBrowser } from './browser';
import { type TestEdge, startEdge } from '../servers/edge';
import { type Receiver, startReceiver } from '../doubles/nmea-receiver';
import { makePicture, type Picture } from '../pictures';
import { seeded } from '../seed';
import { addPhotographs, enterPerson, pairTablet, startSurvey, untilCustody } from './tablet-page';

/** Course off Moore Reef, inbound from the north-west. */
const COURSE = [
  { lat: -16.82, lng: 146.16 },
  { lat: -16.835, lng: 146.18 },
  { lat: -16.85, lng: 146.2 },
  { lat: -16.8647, lng: 146.2233 },
] as const;

/** Vessel at work: a box with a receiver, and a tablet with a person and a survey whose photographs are on the box. */
export interface CrewScene {
  readonly edge: TestEdge;
  readonly browser: TestBrowser;
  readonly page: Page;
  readonly surveyId: string;
  readonly pictures: readonly Picture[];
  /** Debugging port of the browser. */
  readonly port: number;
  readonly end: () => Promise<void>;
}

/**
 * Plays the scene over HTTPS at a name that is not localhost.
 *
 * @param real photographs to add; without any, generated ones, which take a tenth of the time
 */
export async function playCrewScene(real: readonly Picture[] = []): Promise<CrewScene> {
  const folder = mkdtempSync(path.join(tmpdir(), 'reef-scene-'));
  const undo: (() => Promise<unknown>)[] = [async () => rmSync(folder, { recursive: true, force: true })];
  const end = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const receiver: Receiver = await startReceiver(COURSE);
    undo.push(() => receiver.close());
    const edge = await startEdge({ tls: true, env: { GPS_URL: receiver.url, EDGE_NAME: 'Box 03' } });
    undo.push(() => edge.remove());
    const profile = await makeProfile();
    undo.push(() => profile.remove());
    const browser = await openBrowser({ profile: profile.folder, trusts: [edge.certificate] });
    undo.push(() => browser.kill());
    const { page } = browser;
    await page.goto(edge.origin);
    await enterPerson(page, { first: 'Mara', last: 'Lind', email: 'mara@example.org' });
    await pairTablet(page, edge.code);
    const surveyId = await startSurvey(page, 'Moore Reef 16-071');
    const pictures =
      real.length > 0
        ? real
        : await Promise.all(
            Array.from({ length: 13 }, (_, i) => makePicture(folder, `reef-${i}.jpg`, seeded(i + 1), 640)),
          );
    await addPhotographs(page, pictures);
    await untilCustody(page, pictures.length, ['box']);
    const port = Number((await readFile(path.join(profile.folder, 'DevToolsActivePort'), 'utf8')).split('\n')[0]);
    return { edge, browser, page, surveyId, pictures, port, end };
  } catch (error) {
    await end();
    throw error;
  }
}
