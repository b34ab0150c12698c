import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import encodeQR from 'qr';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { encodeClockCode } from '../../src/domain/survey/camera-clock';
import type { TestTablet } from '../support/browser/browser';
import { openTablet } from '../support/browser/shared-browser';
import { hashOnBox } from '../support/servers/client';
import { type TestEdge, startEdge } from '../support/servers/edge';
import { makeEvidence, makeImpostors, type Picture } from '../support/pictures';
import { seeded } from '../support/seed';
import {
  addPhotographs,
  enterPerson,
  pairTablet,
  refusedRows,
  startSurvey,
  untilCustody,
} from '../support/browser/tablet-page';

vi.setConfig({ testTimeout: 300_000 });
const folder = mkdtempSync(path.join(tmpdir(), 'reef-photographs-'));
let edge: TestEdge;
let browser: TestTablet;

beforeAll(async () => {
  edge = await startEdge({ tls: 'shared' });
  browser = await openTablet({ trusts: [edge.certificate] });
  await browser.page.goto(edge.origin);
  await enterPerson(browser.page, { first: 'Mara', last: 'Lind', email: 'mara@example.org' });
});
afterAll(async () => {
  await browser.close();
  await edge.remove();
  rmSync(folder, { recursive: true, force: true });
});

interface Kept {
  readonly name: string;
  readonly doc: Record<string, unknown> & {
    readonly meta?: Record<string, unknown>;
    readonly quality?: { readonly v: number; readonly sharpness?: number };
  };
  /** Pixels of preview and thumbnail, and the colour in the upper left corner. */
  readonly pictures: readonly { readonly width: number; readonly height: number; readonly corner: readonly number[] }[];
}

/** Database content of each photograph, read without any app code. */
function keptPhotographs(): Promise<Kept[]> {
  return browser.page.evaluate(async () => {
    const ask = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error ?? new Error('IndexedDB'));
      });
    const database = await ask(indexedDB.open('reef-ops'));
    const rows = (await ask(database.transaction('ops').objectStore('ops').getAll())) as {
      kind: string;
      op: { body: Record<string, unknown> };
    }[];
    const found = [];
    for (const {
      kind,
      op: { body },
    } of rows) {
      if (kind !== 'image') continue;
      const row = (await ask(database.transaction('previews').objectStore('previews').get(String(body['sha256'])))) as
        { picture: Blob; thumbnail?: Blob } | undefined;
      const pictures = [];
      for (const blob of row === undefined ? [] : [row.picture, row.thumbnail]) {
        if (blob === undefined) continue;
        const bitmap = await createImageBitmap(blob);
        const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
        context?.drawImage(bitmap, 0, 0);
        pictures.push({
          width: bitmap.width,
          height: bitmap.height,
          corner: [...(context?.getImageData(4, 4, 1, 1).data ?? [])].slice(0, 3),
        });
      }
      found.push({ name: String(body['path']), doc: body, pictures });
    }
    database.close();
    return found;
  }) as Promise<Kept[]>;
}

function keep(name: string, bytes: Buffer): Picture {
  const file = path.join(folder, name);
  writeFileSync(file, bytes);
  return { name, file, sha256: '', bytes: bytes.length };
}

/** Photograph that is red in the upper left corner when upright; stored as the camera was held. */
async function cornered(name: string, orientation: number, size: { width: number; height: number }): Promise<Picture> {
  const upright = await sharp({ create: { ...size, channels: 3, background: '#1060a0' } })
    .composite([
      {
        input: await sharp({ create: { width: 200, height: 200, channels: 3, background: '#f02010' } })
          .png()
          .toBuffer(),
        left: 0,
        top: 0,
      },
    ])
    .png()
    .toBuffer();
  const turned = { 1: 0, 3: 180, 6: 270, 8: 90 }[orientation] ?? 0;
  return keep(
    name,
    await sharp(await sharp(upright).rotate(turned).toBuffer())
      .withExif({ IFD0: { Make: 'OLYMPUS', Model: 'TG-6' }, IFD2: { DateTimeOriginal: '2026:11:20 08:09:10' } })
      .withMetadata({ orientation })
      .jpeg()
      .toBuffer(),
  );
}

test('3§3 preview and thumbnail are upright for every camera orientation', async () => {
  await startSurvey(browser.page, 'Milln Reef');
  const pictures = [
    await cornered('o1.jpg', 1, { width: 2400, height: 1600 }),
    await cornered('o3.jpg', 3, { width: 2400, height: 1600 }),
    await cornered('o6.jpg', 6, { width: 1600, height: 2400 }),
    await cornered('o8.jpg', 8, { width: 1600, height: 2400 }),
  ];
  await addPhotographs(browser.page, pictures);
  await untilCustody(browser.page, 4, ['tablet']);
  const kept = (await keptPhotographs()).filter(({ name }) => name.startsWith('o'));
  expect(kept.map(({ name }) => name).sort()).toEqual(['o1.jpg', 'o3.jpg', 'o6.jpg', 'o8.jpg']);
  for (const { name, pictures: made, doc } of kept) {
    const isWide = name === 'o1.jpg' || name === 'o3.jpg';
    expect(
      made.map(({ width, height }) => [width, height]),
      name,
    ).toEqual(
      isWide
        ? [
            [800, 533],
            [320, 213],
          ]
        : [
            [533, 800],
            [213, 320],
          ],
    );
    for (const {
      corner: [red = 0, , blue = 255],
    } of made)
      expect(red > 180 && blue < 90, `${name}: its red corner`).toBe(true);
    expect(doc.meta).toMatchObject({ camera: { make: 'OLYMPUS', model: 'TG-6' }, taken: '2026-11-20T08:09:10' });
    expect(doc.quality).toMatchObject({ v: 1 });
  }
});

test('3§3 files other than photographs are named and skipped; unshowable photographs are stored', async () => {
  await startSurvey(browser.page, 'Moore Reef');
  const random = seeded(4);
  const evidence = await makeEvidence(folder, random);
  const impostors = [
    ...makeImpostors(folder),
    keep('notes.jpg', Buffer.from('Dive 3, 12 m, strong current')),
    keep('Thumbs.db', Buffer.from([0xd0, 0xcf, 0x11, 0xe0])),
    keep('clip.mp4', Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from('ftypisom')])),
    keep('wave.gif', Buffer.from('GIF89a')),
    keep('._DSC1.jpg', Buffer.from([0, 5, 22, 7])),
  ];
  await addPhotographs(browser.page, [...impostors, ...evidence]);
  await untilCustody(browser.page, evidence.length, ['tablet']);
  await expect.poll(async () => (await refusedRows(browser.page)).length).toBe(impostors.length);
  const words = new Map((await refusedRows(browser.page)).map((row) => [row.name, row.words]));
  expect(words.get('drawing.jpg')).toContain('drawing');
  expect(words.get('page.jpg')).toContain('web page');
  expect(words.get('empty.jpg')).toContain('empty');
  expect(words.get('clip.mp4')).toContain('video');
  const kept = await keptPhotographs();
  expect(kept.find(({ name }) => name === 'cut-short.jpg')?.doc).toMatchObject({
    preview: 'none',
    previewReason: 'truncated',
  });
  expect(kept.find(({ name }) => name === 'phone.heic')?.doc).toMatchObject({
    preview: 'none',
    previewReason: 'format',
    type: 'image/heic',
  });
});

test('3§3 an animated picture shows its first frame; an undecodable file delays no other', async () => {
  await startSurvey(browser.page, 'Hastings Reef');
  const frames = await Promise.all(
    ['#f02010', '#1060a0'].map((background) =>
      sharp({ create: { width: 900, height: 600, channels: 3, background } })
        .png()
        .toBuffer(),
    ),
  );
  const animated = keep(
    'moving.webp',
    await sharp(frames, { join: { animated: true } })
      .webp({ loop: 0, delay: [100, 100] })
      .toBuffer(),
  );
  const whole = readFileSync((await cornered('whole.jpg', 1, { width: 1200, height: 900 })).file);
  const broken = Buffer.from(whole);
  seeded(8)
    .bytes(4000)
    .forEach((byte, i) => (broken[700 + i] = byte));
  await addPhotographs(browser.page, [animated, keep('broken.jpg', broken), keep('sound.jpg', whole)]);
  await untilCustody(browser.page, 3, ['tablet']);
  const kept = await keptPhotographs();
  expect(kept.find(({ name }) => name === 'moving.webp')?.pictures[0]?.corner[0]).toBeGreaterThan(180);
  expect(kept.find(({ name }) => name === 'sound.jpg')?.doc['preview']).toBe('made');
});

test('3§3 the box’s clock code is read from a photograph', async () => {
  await startSurvey(browser.page, 'Saxon Reef');
  const modules = encodeQR(encodeClockCode(Date.UTC(2026, 10, 19, 22, 12, 52)), 'raw', { ecc: 'medium', border: 4 });
  const code = await sharp(Buffer.from(modules.flatMap((row) => row.map((isDark) => (isDark ? 10 : 245)))), {
    raw: { width: modules.length, height: modules.length, channels: 1 },
  })
    .resize(700, 700, { kernel: 'nearest' })
    .toColourspace('srgb')
    .png()
    .toBuffer();
  const screen = await sharp({ create: { width: 2400, height: 1800, channels: 3, background: '#506070' } })
    .composite([{ input: code, left: 800, top: 500 }])
    .withExif({ IFD2: { DateTimeOriginal: '2026:11:20 08:09:10' } })
    .jpeg()
    .toBuffer();
  await addPhotographs(browser.page, [keep('clock.jpg', screen)]);
  await untilCustody(browser.page, 1, ['tablet']);
  expect((await keptPhotographs()).find(({ name }) => name === 'clock.jpg')?.doc['boxClock']).toBe(
    '2026-11-19T22:12:52.000Z',
  );
});

// The last one: from here on the tablet sends.
test('protocol: 100 megapixels are evidence: stored and sent unchanged, marked "no preview"', async () => {
  const { page } = browser;
  await pairTablet(page, edge.code);
  await startSurvey(page, 'Agincourt Reef');
  // In one colour, so that the test stays fast.
  const bytes = await sharp({ create: { width: 11_600, height: 8_700, channels: 3, background: '#0a6a8a' } })
    .jpeg()
    .toBuffer();
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await addPhotographs(page, [keep('huge.jpg', bytes)]);
  const [row] = await untilCustody(page, 1, ['box']);
  expect(row?.sha256).toBe(sha256);
  await page.getByText('The original is saved and safe.').waitFor();
  expect(await hashOnBox(edge.audited, sha256)).toBe(sha256);
});
