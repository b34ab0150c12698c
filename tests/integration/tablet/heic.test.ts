import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { until } from '../../support/tablet/tablet';
import { closers } from '../../support/tablet/closers';
import { edge, survey, tablet } from '../../support/tablet/real-scene';

/** HEIC file of 1200 × 900 px, as a phone takes it. */
async function heicFile(): Promise<File> {
  const folder = mkdtempSync(path.join(tmpdir(), 'reef-heic-'));
  try {
    const [jpeg, heic] = [path.join(folder, 'a.jpg'), path.join(folder, 'a.heic')];
    await sharp({ create: { width: 1200, height: 900, channels: 3, background: '#c33' } }).toFile(jpeg);
    execFileSync('heif-enc', ['-q', '60', jpeg, '-o', heic], { stdio: 'ignore' });
    return new File([readFileSync(heic)], 'IMG_5195.HEIC', { type: 'image/heic' });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('1§3 the box makes the preview of a HEIC photograph, and its tablet keeps it', async () => {
  const box = await edge();
  const one = await tablet();
  const { images } = one.repositories.census;
  const id = await survey(one);
  const added = await images.addPhotograph(await heicFile(), id);
  const shown = images.ofSurvey(id);
  const stop = shown.subscribe(() => undefined);
  closers.push(async () => stop());
  await until(() => shown.get().items.length === 1, 'the photograph');
  expect(shown.get().items[0]).toMatchObject({ preview: 'none', type: 'image/heic' });
  expect(await images.boxPreview(added)).toBeNull();

  await one.repositories.edge.link.pair(box.url, box.code);
  await until(() => shown.get().items[0]?.custody.status === 'box', 'aboard');
  const preview = await images.boxPreview(added);
  expect(await sharp(await preview?.arrayBuffer()).metadata()).toMatchObject({
    format: 'webp',
    width: 800,
    height: 600,
  });

  await box.kill();
  expect((await images.boxPreview(added))?.size).toBe(preview?.size);

  // Opened while the box is away, the tablet is told when it answers.
  let answers = 0;
  const stopListening = images.boxAnswers(() => void answers++);
  closers.push(async () => stopListening());
  await until(() => one.context.connectivity.answeringEdge.get() === null, 'the silence');
  expect(answers).toBe(0);
  await box.restart();
  await until(() => answers === 1, 'the answer');
});

test('1§3 without the program that decodes HEIC, the box’s console says what to install', async () => {
  const box = await edge({ env: { EDGE_ADMIN_TOKEN: 'the-admin-token-of-the-test', PATH: '/nowhere' } });
  const consoleText = async (): Promise<string> => {
    const authorization = `Basic ${Buffer.from('admin:the-admin-token-of-the-test').toString('base64')}`;
    return (await fetch(`${box.url}/edge/console`, { headers: { authorization } })).text();
  };
  const one = await tablet();
  const { images } = one.repositories.census;
  const id = await survey(one);
  await one.repositories.edge.link.pair(box.url, box.code);
  const added = await images.addPhotograph(await heicFile(), id);
  const shown = images.ofSurvey(id);
  const stop = shown.subscribe(() => undefined);
  closers.push(async () => stop());
  await until(() => shown.get().items[0]?.custody.status === 'box', 'aboard');
  expect(await consoleText()).not.toContain('HEIC');
  expect(await images.boxPreview(added)).toBeNull();
  expect(await consoleText()).toContain('install the package libheif-examples on the box');
});
