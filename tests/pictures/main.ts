// `npm run pictures`: takes every screen in every theme and size, from the real app against a real box, for review; and
// states that a crew seldom meets. `npm run pictures -- --keep` also renews the pictures that the README and the
// installed app show.
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright';
import sharp from 'sharp';
import { playCrewScene } from '../support/browser/crew-scene';
import { realPhotographs } from '../support/pictures';
import { SCREENS, SIZES, THEMES, openScreen, switchTheme, setTheme } from '../support/browser/screens';
import { STATES, playStates } from '../support/browser/states';
import { takeReport } from './report';
import provideDatabases from '../support/postgres/postgres-server';

const TOP = fileURLToPath(new URL('../..', import.meta.url));
const ALL = path.join(TOP, '.cache', 'pictures');

/** Pictures stored in the project: a screen, a size, a theme, and where each is shown. */
const KEPT = [
  { screen: 'capture', size: 'tablet', theme: 'light', to: 'docs/pictures/capture.webp' },
  { screen: 'photographs', size: 'tablet', theme: 'light', to: 'docs/pictures/photographs.webp' },
  { screen: 'box', size: 'tablet', theme: 'light', to: 'docs/pictures/box.webp' },
  { screen: 'photographs', size: 'tablet', theme: 'deck', to: 'docs/pictures/photographs-deck.webp' },
  { screen: 'capture', size: 'phone', theme: 'dark', to: 'docs/pictures/capture-phone.webp' },
  { screen: 'report-visitor', size: 'tablet', theme: 'light', to: 'docs/pictures/report.webp' },
  { screen: 'capture', size: 'tablet', theme: 'light', to: 'public/screenshots/capture.webp' },
  { screen: 'photographs', size: 'tablet', theme: 'light', to: 'public/screenshots/photographs.webp' },
  { screen: 'photographs', size: 'phone', theme: 'light', to: 'public/screenshots/photographs-phone.webp' },
] as const;

const keep = process.argv.includes('--keep');
/** `--only=capture,rescue-made` and `--in=tablet-light,phone-deck` narrow the selection. */
const [only, within] = ['--only=', '--in='].map((name) =>
  process.argv
    .find((word) => word.startsWith(name))
    ?.slice(name.length)
    .split(','),
);

await rm(ALL, { recursive: true, force: true });
await mkdir(ALL, { recursive: true });
const endDatabases = await provideDatabases();
const scene = await playCrewScene(realPhotographs());
let shots = 0;

/** Takes a picture of a page as it is, and keeps it where it is shown. */
async function take(name: string, size: string, theme: string, page: Page): Promise<void> {
  const picture = await page.screenshot();
  await sharp(picture).toFile(path.join(ALL, `${name}-${size}-${theme}.png`));
  shots++;
  for (const { to } of KEPT.filter((one) => keep && one.screen === name && one.size === size && one.theme === theme)) {
    await mkdir(path.dirname(path.join(TOP, to)), { recursive: true });
    await sharp(picture).webp({ quality: 82, effort: 6 }).toFile(path.join(TOP, to));
  }
}
try {
  for (const theme of THEMES) {
    await setTheme(scene.page, theme);
    for (const { name: size, width, height } of SIZES) {
      await scene.page.setViewportSize({ width, height });
      for (const screen of SCREENS) {
        if (only?.includes(screen.name) === false || within?.includes(`${size}-${theme}`) === false) continue;
        await openScreen(scene.page, scene.edge.origin, screen, scene);
        // Animations have ended.
        await scene.page.waitForTimeout(700);
        await take(screen.name, size, theme, scene.page);
      }
    }
  }
  const ofReport = ['report', 'report-visitor'];
  if (only === undefined || ofReport.some((name) => only.includes(name)))
    await takeReport(
      async (name, ...rest) => (only?.includes(name) === false ? undefined : take(name, ...rest)),
      (place) => within?.includes(place) !== false,
    );
  if (only === undefined || STATES.some((name) => only.includes(name))) {
    for await (const { name, page, show, isPlain } of playStates(scene, (name) => only?.includes(name) !== false)) {
      if (only?.includes(name) === false) continue;
      for (const theme of isPlain ? THEMES.slice(0, 2) : THEMES) {
        await switchTheme(page, theme);
        for (const { name: size, width, height } of SIZES) {
          if (within?.includes(`${size}-${theme}`) === false) continue;
          await page.setViewportSize({ width, height });
          await page.waitForTimeout(500);
          await show();
          await page.waitForTimeout(200);
          await sharp(await page.screenshot()).toFile(path.join(ALL, `${name}-${size}-${theme}.png`));
          shots++;
        }
      }
    }
  }
} finally {
  await scene.end();
  await endDatabases();
}
console.log(
  `${shots} pictures in ${path.relative(process.cwd(), ALL)}${keep ? `, ${KEPT.length} kept in docs/pictures and public/screenshots` : ''}.`,
);
