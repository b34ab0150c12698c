import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inflateSync } from 'node:zlib';
import type { Page } from 'playwright';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { setTheme, THEMES } from '../support/browser/screens';
import { openTablet } from '../support/browser/shared-browser';
import {
  addPhotographs,
  enterPerson,
  installApp,
  pairTablet,
  startSurvey,
  untilCustody,
} from '../support/browser/tablet-page';
import { makeLargePicture, type Picture } from '../support/pictures';
import { runSeed, seeded } from '../support/seed';
import { startEdge } from '../support/servers/edge';

vi.setConfig({ testTimeout: 300_000 });
const folder = mkdtempSync(path.join(tmpdir(), 'reef-sheet-'));
/** Folder for the printed pages, to look at. */
const KEEP = process.env['SHEET_PDFS'];
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PHOTOGRAPHS = 60;
const LONG_NAME = `${'a card of the second diver at the outer wall '.repeat(4).trim()}.jpg`;
const PLACE = 'Milln Reef, the outer wall between the second mooring and the channel marker';
/** Width between the margins of the page, CSS px at 96 an inch. */
const PAPERS = [
  { format: 'A4', width: ((210 - 24) / 25.4) * 96 },
  { format: 'Letter', width: (8.5 - 24 / 25.4) * 96 },
] as const;

test('3§3 a survey of 60 photographs is printed offline, whole, on A4 and Letter, in ink', async () => {
  const edge = await startEdge({ tls: 'shared' });
  closers.push(() => edge.remove());
  const tablet = await openTablet({ trusts: [edge.certificate], installs: true });
  closers.push(() => tablet.close());
  const { page, context } = tablet;
  await installApp(page, edge.origin);
  await enterPerson(page, { first: 'Mara', last: 'Lind', email: 'mara@example.org' });
  await pairTablet(page, edge.code);
  await startSurvey(page, PLACE);
  await page.getByLabel('Duration').fill('45');
  await page.keyboard.press('Tab');
  const random = seeded(runSeed());
  const pictures: Picture[] = [];
  for (let i = 1; i <= PHOTOGRAPHS; i++)
    pictures.push(await makeLargePicture(folder, i === 7 ? LONG_NAME : `P${1000 + i}.JPG`, random, 320));
  await addPhotographs(page, pictures);
  const rows = await untilCustody(page, PHOTOGRAPHS, ['box']);

  await page.getByRole('link', { name: 'Print', exact: true }).click();
  await page.getByText('Safe to wipe the card as of').waitFor();
  await context.setOffline(true);
  const print = page.getByRole('button', { name: 'Print', exact: true });

  for (const { format, width } of PAPERS) {
    for (const theme of THEMES) {
      await setTheme(page, theme);
      await page.reload();
      await expect.poll(() => print.isEnabled(), { timeout: 60_000 }).toBe(true);
      await expect.poll(() => page.locator('[data-sheet] img').count()).toBe(PHOTOGRAPHS);
      await expect.poll(() => page.getByText(/Tablet: yes. Box: (?!no)/u).count()).toBe(PHOTOGRAPHS);
      await page.getByText('Safe as of').waitFor();
      const bytes = await page.pdf({
        format,
        ...(KEEP === undefined ? {} : { path: path.join(KEEP, `${format}-${theme}.pdf`) }),
      });
      const pages = pagesOf(bytes);
      expect(pages.length, `pages of ${format}`).toBeGreaterThanOrEqual(4);
      expect(pages.length, `pages of ${format}`).toBeLessThanOrEqual(9);
      pages.forEach(({ text, inks }, i) => {
        const head = `Page${i + 1}of${pages.length}${squeeze(PLACE)},`;
        expect(text.slice(0, head.length), `head of page ${i + 1}, ${format}`).toBe(head);
        expect(inks, `ink of page ${i + 1}, ${theme}`).toEqual(['0 0 0']);
      });
      const whole = pages.map(({ text }) => text).join('');
      for (const words of ['Duration45min', 'StartedbyMaraLind', 'Visibilitynotentered', 'Safeasof', '60photographs'])
        expect(whole).toContain(words);
      for (const [i, { name, sha256 }] of rows.entries()) {
        expect(whole).toContain(`${i + 1}.${squeeze(name)}`);
        expect(whole).toContain(`SHA-256${sha256.slice(0, 16)}…`);
      }
      expect(whole.match(/Tablet:yes\.Box:(?!no)/gu)).toHaveLength(PHOTOGRAPHS);
    }
    expect(await cutOff(page, width), `cut off on ${format}`).toEqual([]);
  }

  await page.evaluate(() => (window.print = () => (document.title = 'printed')));
  await print.click();
  await expect.poll(() => page.title()).toBe('printed');
});

/** Parts of the sheet that reach out of it, or out of what holds them, at a page's width. */
async function cutOff(page: Page, width: number): Promise<string[]> {
  const before = page.viewportSize()!;
  await page.emulateMedia({ media: 'print' });
  await page.setViewportSize({ width: Math.floor(width), height: 1000 });
  const found = await page.evaluate(() => {
    const sheet = document.querySelector('[data-sheet]')!;
    const { left, right } = sheet.getBoundingClientRect();
    return [...sheet.querySelectorAll('*')].flatMap((element) => {
      const box = element.getBoundingClientRect();
      const { display, overflow } = getComputedStyle(element);
      const isOut = box.left < left - 1 || box.right > right + 1;
      const isOver =
        display !== 'inline' && (element.scrollWidth > element.clientWidth + 1 || overflow.includes('hidden'));
      return isOut || isOver ? [`${element.tagName} ${(element.textContent ?? '').slice(0, 60)}`] : [];
    });
  });
  await page.emulateMedia({ media: null });
  await page.setViewportSize(before);
  return found;
}

const squeeze = (text: string): string => text.replace(/\s+/gu, '');

/** Page of a PDF that Chromium wrote: its text without spaces, and the colours that its text is filled with. */
interface PrintedPage {
  readonly text: string;
  readonly inks: readonly string[];
}

/** Pages of a PDF of Chromium, whose objects and streams stand one after the other. */
function pagesOf(bytes: Buffer): PrintedPage[] {
  const objects = new Map<string, { readonly head: string; readonly data: string }>();
  const source = bytes.toString('latin1');
  for (const [, id = '', body = ''] of source.matchAll(/(?<=^|\n)(\d+) 0 obj\b([\s\S]*?)\nendobj/gu)) {
    const at = body.search(/stream\r?\n/u);
    const head = at < 0 ? body : body.slice(0, at);
    const length = Number(/\/Length (\d+)/u.exec(head)?.[1] ?? 0);
    const start = at < 0 ? 0 : body.indexOf('\n', at) + 1;
    const raw = Buffer.from(body.slice(start, start + length), 'latin1');
    const data = at < 0 ? '' : head.includes('FlateDecode') && !head.includes('/Image') ? inflateSync(raw) : raw;
    objects.set(id, { head, data: data.toString('latin1') });
  }
  const headOf = (id: string | undefined): string => objects.get(id ?? '')?.head ?? '';
  const refs = (text: string): string[] => [...text.matchAll(/(\d+) 0 R/gu)].map(([, id = '']) => id);
  const leaves = (id: string): string[] => {
    const head = headOf(id);
    const kids = /\/Kids\s*\[([^\]]*)\]/u.exec(head)?.[1];
    return kids === undefined ? [id] : refs(kids).flatMap(leaves);
  };
  const root = headOf(/\/Root (\d+) 0 R/u.exec(source)?.[1]);
  return leaves(/\/Pages (\d+) 0 R/u.exec(root)?.[1] ?? '').map((id) => {
    const head = headOf(id);
    const resources = /\/Resources (\d+) 0 R/u.exec(head);
    const given = resources === null ? head : headOf(resources[1]);
    const fontList = /\/Font\s*<<([\s\S]*?)>>/u.exec(given)?.[1] ?? '';
    const fonts = new Map(
      [...fontList.matchAll(/\/(\S+) (\d+) 0 R/gu)].map(([, name = '', font = '']) => {
        const map = /\/ToUnicode (\d+) 0 R/u.exec(headOf(font))?.[1];
        return [name, characterMap(objects.get(map ?? '')?.data ?? '')] as const;
      }),
    );
    const content = refs(/\/Contents\s*(\[[^\]]*\]|\d+ 0 R)/u.exec(head)?.[1] ?? '')
      .map((part) => objects.get(part)?.data ?? '')
      .join('\n');
    return readText(content, fonts);
  });
}

type CharacterMap = ReadonlyMap<string, string>;

/** Characters of a font's codes, from its ToUnicode map. */
function characterMap(cmap: string): CharacterMap {
  const map = new Map<string, string>();
  const text = (hex: string): string => Buffer.from(hex, 'hex').swap16().toString('utf16le');
  for (const [, list = ''] of cmap.matchAll(/beginbfchar([\s\S]*?)endbfchar/gu))
    for (const [, code = '', hex = ''] of list.matchAll(/<(\w+)>\s*<(\w+)>/gu)) map.set(code.toUpperCase(), text(hex));
  for (const [, list = ''] of cmap.matchAll(/beginbfrange([\s\S]*?)endbfrange/gu))
    for (const [, from = '', to = '', hex = ''] of list.matchAll(/<(\w+)>\s*<(\w+)>\s*<(\w+)>/gu))
      for (let i = 0; i <= parseInt(to, 16) - parseInt(from, 16); i++)
        map.set(
          (parseInt(from, 16) + i).toString(16).toUpperCase().padStart(from.length, '0'),
          String.fromCharCode(parseInt(hex, 16) + i),
        );
  return map;
}

/** Text in the order in which it is drawn, and the fill colours in use while it is. */
function readText(content: string, fonts: ReadonlyMap<string, CharacterMap>): PrintedPage {
  const inks = new Set<string>();
  let text = '';
  let ink = '0 0 0';
  const saved: string[] = [];
  let font: CharacterMap = new Map();
  const operators = /\/(\S+) [\d.]+ Tf|([\d.]+ [\d.]+ [\d.]+) rg|(?<=\s)(q|Q)(?=\s)|(\[[^\]]*\]|<\w*>)\s*TJ?j?(?=\s)/gu;
  for (const [, name, fill, state, shown] of content.matchAll(operators)) {
    if (name !== undefined) font = fonts.get(name) ?? new Map();
    else if (fill !== undefined) ink = fill.split(' ').map(Number).join(' ');
    else if (state === 'q') saved.push(ink);
    else if (state === 'Q') ink = saved.pop() ?? '0 0 0';
    else {
      inks.add(ink);
      const digits = [...font.keys()][0]?.length ?? 4;
      for (const [, hex = ''] of (shown ?? '').matchAll(/<(\w*)>/gu))
        for (let i = 0; i < hex.length; i += digits) text += font.get(hex.slice(i, i + digits).toUpperCase()) ?? '?';
    }
  }
  return { text: squeeze(text), inks: [...inks] };
}

if (KEEP !== undefined) mkdirSync(KEEP, { recursive: true });
