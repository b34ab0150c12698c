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
});
