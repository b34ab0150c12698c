import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright';
import { request } from '../../independent/wire';
import { makeProfile, openBrowser } from './browser';
import type { CrewScene } from './crew-scene';
import { makeLargePicture } from '../pictures';
import { seeded } from '../seed';
import { readPersonUid } from './sign-in-page';
import { imagesOnTablet } from './stored-on-tablet';
import { addPhotographs, enterPerson, installApp, pairTablet, startSurvey, untilCustody } from './tablet-page';

/** States that follow from an address, from staff, and from a box that is away or lost photographs. */
export const FURTHER_STATES = [
  'flags',
  'last-open',
  'region-lost',
  'region-closed',
  'shown-size',
  'box-lost',
  'box-lost-rows',
] as const;

export interface FurtherState {
  readonly name: (typeof FURTHER_STATES)[number];
  readonly page: Page;
  readonly show: () => Promise<unknown>;
  readonly isPlain: false;
}

const still = async (): Promise<void> => undefined;

/** Plays the states; the last ones damage the box of the scene. */
export async function* playFurtherStates(scene: CrewScene): AsyncGenerator<FurtherState> {
  const { page, edge } = scene;
  await page.goto(`${edge.origin}/you?featureFlagsOn=trial&featureFlagsOff=ffCms`);
  const flags = page.getByRole('button', { name: /^Feature flags/ });
  await flags.click();
  await page.getByRole('switch', { name: 'trial' }).waitFor();
  const lastFlag = page.locator('label', { has: page.getByRole('switch', { name: 'trial' }) });
  yield { name: 'flags', page, show: () => lastFlag.scrollIntoViewIfNeeded(), isPlain: false };

  await startSurvey(page, 'Thetford Reef 16-068');
  await page.getByRole('link', { name: 'Back to the surveys' }).click();
  await page.getByText('Last open:').waitFor();
  yield { name: 'last-open', page, show: still, isPlain: false };

  await changeRegions(scene, [
    { id: 'hawaii', isActive: false },
    { id: 'redsea', isSurveyOpen: false },
  ]);
  await page.goto(`${edge.origin}/hawaii`);
  // The tablet hears of it at its next connection.
  while (!(await page.getByRole('heading', { name: 'You got lost :(' }).isVisible())) {
    await page.waitForTimeout(2_000);
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
  }
  yield { name: 'region-lost', page, show: still, isPlain: false };
  await page.goto(`${edge.origin}/surveys?region=redsea`);
  await page.getByRole('button', { name: 'New survey', exact: true }).click();
  await page.getByText('Red Sea is not open for surveys now.').first().waitFor();
  yield { name: 'region-closed', page, show: still, isPlain: false };
  await page.goto(`${edge.origin}/surveys?region=gbr`);
  yield* playMate(scene);
}

/** Second tablet of the same box, which has no photograph of its own. */
async function* playMate({ page: other, edge, surveyId, pictures }: CrewScene): AsyncGenerator<FurtherState> {
  const folder = mkdtempSync(path.join(tmpdir(), 'reef-states-'));
  const profile = await makeProfile();
  const browser = await openBrowser({ profile: profile.folder, trusts: [edge.certificate] });
  try {
    const { page } = browser;
    browser.context.setDefaultTimeout(30_000);
    await installApp(page, edge.origin);
    await enterPerson(page, { first: 'Ben', last: 'Okafor', email: 'ben@example.org' });
    await pairTablet(page, edge.code);
    await page.goto(`${edge.origin}/surveys/${surveyId}`);
    const before = await imagesOnTablet(other);
    await other.goto(`${edge.origin}/surveys/${surveyId}`);
    await other.locator('li[data-sha256]').first().waitFor();
    const count = await other.locator('li[data-sha256]').count();
    await addPhotographs(other, [await makeLargePicture(folder, 'wide.jpg', seeded(99), 2600)]);
    await untilCustody(other, count + 1, ['box']);
    await untilCustody(page, count + 1, ['box']);
    const wide = (await imagesOnTablet(other)).find((id) => !before.includes(id));
    // Its owner's tablet is away: what the box loses comes from nowhere.
    await other.goto('about:blank');
    // Ben has learned to paint.
    const uid = await page.evaluate(readPersonUid);
    await page.evaluate((key) => localStorage.setItem(key, '3'), `learn.mode.${uid}`);
    await page.goto(`${edge.origin}/analysis/${surveyId}/${wide ?? ''}`);
    await page.getByText(/^Shown at/).waitFor();
    yield { name: 'shown-size', page, show: still, isPlain: false };

    await page.goto(`${edge.origin}/photographs`);
    await edge.stop();
    const blobs = path.join(edge.home, 'edge', 'blobs');
    const files = readdirSync(blobs, { recursive: true, encoding: 'utf8' }).filter((name) =>
      pictures.slice(0, 3).some(({ sha256 }) => name.endsWith(sha256)),
    );
    for (const name of files) rmSync(path.join(blobs, name));
    await edge.restart();
    await page.goto(`${edge.origin}/photographs`);
    const note = page.getByText(/damaged or missing on the box/).first();
    await note.waitFor();
    yield { name: 'box-lost', page, show: still, isPlain: false };
    const row = page.getByText(/^missing: the copy on/).first();
    await row.waitFor();
    yield { name: 'box-lost-rows', page, show: () => row.scrollIntoViewIfNeeded(), isPlain: false };
  } finally {
    await browser.kill();
    await profile.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function changeRegions({ edge }: CrewScene, documents: readonly object[]): Promise<void> {
  await request(`${edge.url}/edge/reference/regions`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${edge.adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(documents),
    ca: edge.ca,
  });
}
