import type { Page } from 'playwright';
import sharp from 'sharp';
import path from 'node:path';
import { makeProfile, openBrowser } from './browser';
import type { CrewScene } from './crew-scene';
import { MouseDriver, placesBetween } from './mouse-driver';
import { paintTruth } from './paint-truth';
import type { State } from './states';
import { addPhotographs, enterPerson, pairTablet, untilCustody } from './tablet-page';

/** States in the middle of somebody's work, by group and the name of their picture. */
export const WORK_STATES = {
  custody: ['custody-one-by-one'],
  viewer: ['viewer', 'viewer-twins'],
  training: ['training-start', 'training-checked'],
  tracing: ['trace', 'trace-help', 'trace-saved'],
  labelling: ['labels', 'labels-other-tab', 'labels-question', 'labels-complete'],
  linear: ['steps-start', 'steps-labels'],
  conflict: ['conflict-note', 'conflict-dialog'],
} as const;
type WorkState = (typeof WORK_STATES)[keyof typeof WORK_STATES][number];

const still = async (): Promise<void> => undefined;

/** Plays them in sequence, the ones that write last. */
export async function* playWork(
  scene: CrewScene,
  folder: string,
  undo: (() => Promise<unknown>)[],
  wants: (names: readonly WorkState[]) => boolean,
): AsyncGenerator<State> {
  if (wants(WORK_STATES.custody)) yield* custody(scene);
  if (wants(WORK_STATES.viewer)) yield* viewer(scene, folder);
  if (wants(WORK_STATES.training)) yield* training(scene);
  if (wants(WORK_STATES.tracing)) yield* tracing(scene);
  if (wants(WORK_STATES.labelling)) yield* labelling(scene);
  if (wants(WORK_STATES.linear)) yield* linearFlow(scene);
  if (wants(WORK_STATES.conflict)) yield* conflict(scene, undo);
}

async function* custody({ page, edge }: CrewScene): AsyncGenerator<State> {
  await page.goto(`${edge.origin}/photographs`);
  const rows = page.getByText('One by one').first();
  await rows.click();
  yield { name: 'custody-one-by-one', page, show: () => rows.scrollIntoViewIfNeeded(), isPlain: false };
}

async function* viewer({ page, edge, surveyId, pictures }: CrewScene, folder: string): AsyncGenerator<State> {
  await page.setViewportSize({ width: 1180, height: 820 });
  const dialog = page.getByRole('dialog');
  await page.goto(`${edge.origin}/surveys/${surveyId}`);
  await page.getByRole('option', { name: /^1, / }).click();
  await dialog.getByRole('img').first().waitFor();
  yield { name: 'viewer', page, show: still, isPlain: false };
  await page.keyboard.press('Escape');

  // The same picture, written again by another program.
  const last = pictures.at(-1);
  if (last === undefined) throw new Error('The scene has no photograph');
  const file = path.join(folder, 'again.jpg');
  await sharp(last.file).jpeg({ quality: 60 }).toFile(file);
  await addPhotographs(page, [{ ...last, file, name: 'again.jpg' }]);
  await untilCustody(page, pictures.length + 1, ['box']);
  await page.getByRole('option', { name: /again\.jpg/ }).click();
  await dialog.getByRole('img', { name: /nearly the same/ }).waitFor();
  yield { name: 'viewer-twins', page, show: still, isPlain: false };
  await page.keyboard.press('Escape');
}

async function* training({ page, edge }: CrewScene): AsyncGenerator<State> {
  await page.setViewportSize({ width: 1180, height: 820 });
  await page.goto(`${edge.origin}/analysis/training`);
  await page.getByRole('heading', { name: 'Welcome', exact: true }).waitFor();
  yield { name: 'training-start', page, show: still, isPlain: false };
  await page.setViewportSize({ width: 1180, height: 1100 });
  await page.getByRole('button', { name: 'Begin', exact: true }).click();
  await page.getByRole('button', { name: 'Boulder coral', exact: true }).click();
  await page.locator('[data-demo="boulder-1"]').waitFor();
  await page.locator('[role="application"] [aria-hidden="true"] > canvas').waitFor();
  await paintTruth(page, 'boulder-1', 'reef_hardcoral_boulder', 0.4);
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await page.getByRole('list', { name: 'What you painted' }).waitFor();
  yield { name: 'training-checked', page, show: still, isPlain: false };
}

async function* tracing({ page, edge }: CrewScene): AsyncGenerator<State> {
  await page.setViewportSize({ width: 1180, height: 820 });
  await page.goto(`${edge.origin}/analysis`);
  await page.getByRole('button', { name: 'Trace by hand' }).click();
  await page.getByRole('toolbar', { name: 'Tools' }).waitFor();
  await page.locator('[data-ready="true"]').waitFor();
  await page.getByRole('button', { name: 'Skip training' }).click();
  await drawLines(page);
  yield { name: 'trace', page, show: still, isPlain: false };
  await page.setViewportSize({ width: 1180, height: 820 });
  await page.getByRole('button', { name: 'Help', exact: true }).click();
  await page.getByRole('dialog').getByRole('img').first().waitFor();
  yield { name: 'trace-help', page, show: still, isPlain: false };
  await page.keyboard.press('Escape');
  await page.setViewportSize({ width: 1180, height: 820 });
  await page.getByRole('button', { name: 'Fill rest', exact: true }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Fill the rest' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('heading', { name: /^Saved/ }).waitFor();
  yield { name: 'trace-saved', page, show: still, isPlain: false };
}

async function drawLines(page: Page): Promise<void> {
  const box = await page.getByRole('application').boundingBox();
  if (box === null) throw new Error('The picture is not in sight');
  const mouse = await MouseDriver.on(page);
  const at = (x: number, y: number): [number, number] => [box.x + box.width * x, box.y + box.height * y];
  for (const [y, label] of [
    [0.3, /^Branching/],
    [0.5, /^Plating/],
    [0.6, /^Soft coral/],
  ] as const) {
    await page.getByRole('radio', { name: label }).press(' ');
    await mouse.draw([at(0.4, y), ...placesBetween(at(0.4, y), at(0.65, y + 0.06), 20)]);
  }
}

async function* labelling({ page, edge }: CrewScene): AsyncGenerator<State> {
  await page.setViewportSize({ width: 1180, height: 820 });
  await page.goto(`${edge.origin}/analysis`);
  await page.getByRole('button', { name: 'Label outlines', exact: true }).click();
  await page.waitForURL(/\/analysis\/ml\//);
  await openVersion(page, '2.4');
  for (const [at, key] of ['1', '5', '2', '6'].entries()) {
    await page.keyboard.press(key);
    await page.locator('[data-labelled]').nth(at).waitFor();
  }
  yield { name: 'labels', page, show: still, isPlain: false };
  const second = await page.context().newPage();
  await second.goto(page.url());
  await second.getByRole('button', { name: 'Go on here', exact: true }).waitFor();
  yield { name: 'labels-other-tab', page: second, show: still, isPlain: false };
  await second.close();
  await page.setViewportSize({ width: 1180, height: 820 });
  const go = page.getByRole('button', { name: 'Continue', exact: true });
  for (let count = 0; count < 250 && !(await go.isVisible()); count++)
    await page.keyboard.press(String(1 + (count % 6)));
  await go.press('Enter');
  await page.getByRole('heading', { name: /hard or soft/ }).waitFor();
  yield { name: 'labels-question', page, show: still, isPlain: false };
  await page.setViewportSize({ width: 1180, height: 820 });
  await page.keyboard.press('1');
  await go.press('Enter');
  await page.getByRole('heading', { name: /bleached/ }).waitFor();
  await page.getByRole('button', { name: /^No/ }).first().click();
  await page.getByRole('button', { name: 'Submit', exact: true }).press('Enter');
  await page.getByRole('link', { name: 'Go to Dashboard' }).waitFor();
  yield { name: 'labels-complete', page, show: still, isPlain: false };
}

/** Opens the photograph at hand in a version of labelling, with its outlines. */
async function openVersion(page: Page, version: string): Promise<void> {
  const address = new URL(page.url());
  address.searchParams.set('version', version);
  await page.goto(address.href);
  await page.locator('main[data-ready="true"]').waitFor();
}

async function* linearFlow({ page, edge }: CrewScene): AsyncGenerator<State> {
  await page.setViewportSize({ width: 1180, height: 820 });
  await page.goto(`${edge.origin}/analysis/steps`);
  await page.waitForURL(/\/analysis\/steps\/.*\/analysis$/);
  const start = page.getByRole('button', { name: 'Start', exact: true });
  await start.waitFor();
  yield { name: 'steps-start', page, show: still, isPlain: false };
  await page.setViewportSize({ width: 1180, height: 820 });
  await start.press('Enter');
  await page.locator('main[data-ready="true"]').waitFor();
  yield { name: 'steps-labels', page, show: still, isPlain: false };
}

/** Two people give the duration of a dive while the box is off. */
async function* conflict({ page, edge, surveyId }: CrewScene, undo: (() => Promise<unknown>)[]): AsyncGenerator<State> {
  const profile = await makeProfile();
  undo.push(() => profile.remove());
  const other = await openBrowser({ profile: profile.folder, trusts: [edge.certificate] });
  undo.push(() => other.kill());
  await other.page.goto(edge.origin);
  await enterPerson(other.page, { first: 'Ben', last: 'Okafor', email: 'ben@example.org' });
  await pairTablet(other.page, edge.code);
  await other.page.goto(`${edge.origin}/surveys/${surveyId}`);
  await page.setViewportSize({ width: 1180, height: 820 });
  await page.goto(`${edge.origin}/surveys/${surveyId}`);
  const log = (of: Page) => of.getByRole('form', { name: 'Survey', exact: true });
  for (const each of [page, other.page])
    await log(each)
      .getByRole('textbox', { name: /Duration/ })
      .waitFor();
  await edge.stop();
  for (const [each, minutes] of [
    [page, '45'],
    [other.page, '30'],
  ] as const) {
    await log(each)
      .getByRole('textbox', { name: /Duration/ })
      .fill(minutes);
    await each.keyboard.press('Tab');
    await log(each).getByText('Saved on this tablet', { exact: true }).waitFor();
  }
  await edge.restart();
  const note = log(page).getByRole('region', { name: 'Conflicting edits' });
  await note.getByRole('button', { name: 'Compare' }).waitFor();
  // A phone shows one line of the log, which opens it.
  const line = page.getByText('Conflicting edits: open the log.').or(note).first();
  yield { name: 'conflict-note', page, show: () => line.scrollIntoViewIfNeeded(), isPlain: false };
  const compare = async (): Promise<void> => {
    // The size has changed, and with it the place of the log.
    await page.goto(`${edge.origin}/surveys/${surveyId}`);
    await line.waitFor();
    if (!(await note.isVisible())) await page.getByRole('button', { name: 'Edit the log' }).click();
    await note.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('dialog', { name: /^Two answers/ }).waitFor();
  };
  yield { name: 'conflict-dialog', page, show: compare, isPlain: false };
}
