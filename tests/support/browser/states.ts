import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright';
import { LIMITS } from '../../../src/domain/limits';
import { makeProfile, openBrowser } from './browser';
import type { CrewScene } from './crew-scene';
import { FURTHER_STATES, playFurtherStates } from './further-states';
import { startEdge } from '../servers/edge';
import { SHORE_STATES, playShore } from './shore-states';
import { WORK_STATES, playWork } from './work-states';
import { addPhotographs, enterPerson, startSurvey, untilCustody } from './tablet-page';

const FEET = ['surveys-foot', 'photographs-foot', 'box-foot', 'you-foot'] as const;
const ACCOUNTS = ['auth-aboard', 'profile'] as const;
const STORAGE = ['storage-low', 'storage-full', 'storage-refusal'] as const;
const RESCUES = ['rescue-made', 'rescue-failed', 'rescue-found'] as const;

/** States that a crew seldom meets, by the name of their picture. */
export const STATES = [
  ...FEET,
  ...ACCOUNTS,
  ...STORAGE,
  ...RESCUES,
  'trust',
  ...Object.values(WORK_STATES).flat(),
  ...SHORE_STATES,
  ...FURTHER_STATES,
] as const;
type StateName = (typeof STATES)[number];

/** Screen in one of these states, for review. */
export interface State {
  readonly name: StateName;
  readonly page: Page;
  /** Scrolls the important part back into view after the size or theme changed. */
  readonly show: () => Promise<unknown>;
  /** True for a page of the box itself: it follows the system's light and dark, and has no deck theme. */
  readonly isPlain: boolean;
}

/**
 * Plays the states in sequence: each lasts until the next is requested.
 *
 * @param isWanted groups in which no state is wanted are left out
 */
export async function* playStates(
  scene: CrewScene,
  isWanted: (name: StateName) => boolean = () => true,
): AsyncGenerator<State> {
  const folder = mkdtempSync(path.join(tmpdir(), 'reef-states-'));
  const undo: (() => Promise<unknown>)[] = [async () => rmSync(folder, { recursive: true, force: true })];
  const wants = (names: readonly StateName[]): boolean => names.some(isWanted);
  try {
    if (wants(FEET)) yield* feet(scene);
    if (wants(ACCOUNTS)) yield* accounts(scene);
    if (wants([...STORAGE, ...RESCUES])) {
      const other = await playOther(scene, undo);
      yield* fullStorage(other);
      yield* rescues(scene, other, folder);
    }
    if (isWanted('trust')) {
      await scene.page.goto(`${scene.edge.origin}/edge/trust`);
      yield { name: 'trust', page: scene.page, show: still, isPlain: true };
    }
    yield* playWork(scene, folder, undo, wants);
    if (wants(SHORE_STATES)) yield* playShore(undo);
    if (wants(FURTHER_STATES)) yield* playFurtherStates(scene);
  } finally {
    for (const step of undo.reverse()) await step();
  }
}

const still = async (): Promise<void> => undefined;

/** Ends of the long pages. */
async function* feet({ page, edge }: CrewScene): AsyncGenerator<State> {
  for (const place of ['surveys', 'photographs', 'box', 'you'] as const) {
    await page.goto(`${edge.origin}/${place}`);
    const foot = page.getByRole('navigation', { name: 'More pages' });
    await foot.waitFor();
    yield { name: `${place}-foot`, page, show: () => foot.scrollIntoViewIfNeeded(), isPlain: false };
  }
}

/** Sign-in and profile over the page. */
async function* accounts({ page, edge }: CrewScene): AsyncGenerator<State> {
  await page.goto(`${edge.origin}/you`);
  await page.getByRole('button', { name: 'Sign in ashore' }).click();
  await page.getByRole('dialog').waitFor();
  yield { name: 'auth-aboard', page, show: still, isPlain: false };
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Your profile' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('form', { name: 'Profile' }).waitFor();
  yield { name: 'profile', page, show: still, isPlain: false };
  await page.keyboard.press('Escape');
}

/** Second, unpaired tablet with its own photographs. */
async function playOther(scene: CrewScene, undo: (() => Promise<unknown>)[]) {
  const edge = await startEdge({ tls: true, env: { EDGE_NAME: 'Box 04' } });
  undo.push(() => edge.remove());
  const profile = await makeProfile();
  undo.push(() => profile.remove());
  const browser = await openBrowser({ profile: profile.folder, trusts: [edge.certificate] });
  undo.push(() => browser.kill());
  const { page, context } = browser;
  context.setDefaultTimeout(30_000);
  await page.goto(edge.origin);
  await enterPerson(page, { first: 'Ben', last: 'Okafor', email: 'ben@example.org' });
  const surveyId = await startSurvey(page, 'Thetford Reef 16-068');
  const pictures = scene.pictures.slice(0, 4);
  await addPhotographs(page, pictures);
  await untilCustody(page, pictures.length, ['tablet']);
  return { edge, page, context, surveyId, pictures };
}
type Other = Awaited<ReturnType<typeof playOther>>;

async function* fullStorage({ page, context, edge, surveyId, pictures }: Other): AsyncGenerator<State> {
  // Chromium reports the same quota on every tablet, whatever the debugger sets, so the page's own function is
  // replaced.
  await context.addInitScript(() => {
    const ask = StorageManager.prototype.estimate;
    StorageManager.prototype.estimate = async function () {
      const [said, free] = [await ask.call(this), sessionStorage.getItem('free')];
      return free === null ? said : { ...said, quota: (said.usage ?? 0) + Number(free) };
    };
  });
  const usual = pictures.reduce((sum, { bytes }) => sum + bytes, 0) / pictures.length;
  const setFree = (bytes: number) =>
    page.evaluate((free) => sessionStorage.setItem('free', String(free)), Math.round(bytes));
  await setFree(LIMITS.storageReserveBytes + 40 * usual);
  await page.goto(`${edge.origin}/surveys`);
  await page.getByText(/Space for about/).waitFor();
  yield { name: 'storage-low', page, show: still, isPlain: false };
  await setFree(1_000_000);
  await page.reload();
  await page.getByText('This tablet is full').waitFor();
  yield { name: 'storage-full', page, show: still, isPlain: false };
  await page.goto(`${edge.origin}/surveys/${surveyId}`);
  await page.getByText('This tablet is full').waitFor();
  await addPhotographs(page, pictures);
  const refusal = page.getByText('Not enough space for these');
  await refusal.waitFor();
  yield { name: 'storage-refusal', page, show: () => refusal.scrollIntoViewIfNeeded(), isPlain: false };
  await page.evaluate(() => sessionStorage.removeItem('free'));
}

async function* rescues(scene: CrewScene, { page, edge }: Other, folder: string): AsyncGenerator<State> {
  const copy = path.join(folder, 'reef-rescue.tar');
  const card = (of: Page) => of.getByRole('region', { name: 'If something goes wrong' });
  const show = (of: Page) => () => card(of).scrollIntoViewIfNeeded();
  await page.goto(`${edge.origin}/photographs`);
  // Headless Chromium has no save dialog, so the file is downloaded.
  await page.evaluate(() => Reflect.deleteProperty(window, 'showSaveFilePicker'));
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Make a rescue copy' }).click(),
  ]);
  await download.saveAs(copy);
  await page.getByText(/A rescue copy of/).waitFor();
  yield { name: 'rescue-made', page, show: show(page), isPlain: false };

  const take = async (of: Page, file: string | { name: string; mimeType: string; buffer: Buffer }) => {
    const [chooser] = await Promise.all([
      of.waitForEvent('filechooser'),
      of.getByRole('button', { name: 'Import a rescue copy' }).click(),
    ]);
    await chooser.setFiles(file);
  };
  await take(page, {
    name: 'holiday.tar',
    mimeType: 'application/x-tar',
    buffer: Buffer.alloc(2048, 'no rescue copy '),
  });
  await page.getByText('That did not work').waitFor();
  yield { name: 'rescue-failed', page, show: show(page), isPlain: false };

  await scene.page.goto(`${scene.edge.origin}/photographs`);
  await take(scene.page, copy);
  await scene.page.getByRole('group', { name: 'Contents of the rescue copy' }).waitFor();
  yield { name: 'rescue-found', page: scene.page, show: show(scene.page), isPlain: false };
}
