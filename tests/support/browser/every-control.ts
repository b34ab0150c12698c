/** Presses each control of a screen with a real pointer, as a person might, and reports what moved the frame. */
import type { Page } from 'playwright';

/** Control of a screen: how it is found again, and where it is pressed. */
interface Spot {
  readonly x: number;
  readonly y: number;
}

/** Choices, whose hidden inputs are pressed by their labels. */
const CHOICES = 'label:has(input[type="radio"], input[type="checkbox"])';
const CONTROLS = `a[href], button, summary, [role="button"], [role="tab"], [role="combobox"], [role="slider"], textarea, input:not([type="hidden"], [type="file"], [type="radio"], [type="checkbox"], [type="range"]), ${CHOICES}`;
const OVERLAYS = '[role="dialog"], [role="alertdialog"], [role="listbox"], [role="menu"]';
/** Dialogs that one control may open from another. */
const DEPTH_MAX = 3;
/** Buttons of a dialog that end the scene: without its person, its box or its survey no other control can be pressed. */
const ENDS = /sign out|another name|someone else|hand over|switch to|forget|unpair|revoke|end this/iu;

/** Overlay on top, named by its title. */
interface Overlay {
  readonly title: string;
}

/**
 * Presses every control of the open screen once, and every control of the dialogs that open, and of theirs.
 *
 * @param open shows the screen, complete
 * @returns number of controls pressed, and each fault with the control it followed
 */
export async function pressEveryControl(
  page: Page,
  open: () => Promise<unknown>,
): Promise<{ pressed: number; inDialogs: number; faults: string[] }> {
  const faults = new Set<string>();
  const seen = new Set<string>();
  let inDialogs = 0;
  await open();
  const start = new URL(page.url());
  const press = async (key: string, within: string): Promise<void> => {
    const spot = await page.evaluate(showControl, { key, within, controls: CONTROLS });
    if (spot === null) return;
    await page.mouse.click(spot.x, spot.y);
    await settle(page);
    for (const fault of await whenLoaded(page, () => page.evaluate(frameFaults))) faults.add(`${key}: ${fault}`);
  };
  const topOverlay = (): Promise<Overlay | null> => whenLoaded(page, () => page.evaluate(markTopOverlay, OVERLAYS));
  const listTop = (): Promise<string[]> => page.evaluate(listControls, { within: TOP, controls: CONTROLS });

  /** Shows the dialog again to which these presses lead. */
  const replay = async (path: readonly string[], title: string): Promise<boolean> => {
    await comeBack(page, start, open);
    await page.evaluate(listControls, { within: 'body', controls: CONTROLS });
    for (const [i, key] of path.entries()) {
      if (i > 0 && (await topOverlay()) !== null) await listTop();
      await press(key, i === 0 ? 'body' : TOP);
    }
    return (await topOverlay())?.title === title;
  };
  const pressDialog = async (path: readonly string[]): Promise<void> => {
    const title = (await topOverlay())?.title;
    if (title === undefined) return;
    for (;;) {
      const key = (await listTop()).find((one) => !seen.has(`${title}: ${one}`) && !ENDS.test(one));
      if (key === undefined) return;
      seen.add(`${title}: ${key}`);
      inDialogs++;
      await press(key, TOP);
      const after = (await topOverlay())?.title;
      if (after !== undefined && after !== title && path.length < DEPTH_MAX) await pressDialog([...path, key]);
      if ((await topOverlay())?.title !== title && !(await replay(path, title))) return;
    }
  };
  for (;;) {
    const key = (await page.evaluate(listControls, { within: 'body', controls: CONTROLS })).find(
      (one) => !seen.has(one),
    );
    if (key === undefined) break;
    seen.add(key);
    await press(key, 'body');
    await pressDialog([key]);
    await comeBack(page, start, open);
  }
  return { pressed: seen.size, inDialogs, faults: [...faults] };
}

const TOP = '[data-top-overlay]';

/** Marks the overlay that opened last, for {@link TOP}; null if none is open. */
function markTopOverlay(overlays: string): Overlay | null {
  for (const marked of document.querySelectorAll<HTMLElement>('[data-top-overlay]'))
    delete marked.dataset['topOverlay'];
  const top = [...document.querySelectorAll<HTMLElement>(overlays)]
    .filter((one) => one.getBoundingClientRect().width > 0 && one.closest('[inert], [aria-hidden="true"]') === null)
    .at(-1);
  if (top === undefined) return null;
  top.dataset['topOverlay'] = '';
  const labels = (top.getAttribute('aria-labelledby') ?? '').split(' ').map((id) => document.getElementById(id));
  const title = top.getAttribute('aria-label') ?? labels.map((label) => label?.textContent ?? '').join(' ');
  return { title: `dialog “${title.trim().slice(0, 60).replace(/\d+/gu, '#')}”` };
}

/** Closes what a press opened; shows the screen again if the press left it. */
async function comeBack(page: Page, start: URL, open: () => Promise<unknown>): Promise<void> {
  for (const other of page.context().pages()) if (other !== page) await other.close();
  for (let i = 0; i < 3 && (await page.locator(OVERLAYS).count()) > 0; i++) {
    await page.keyboard.press('Escape');
    await settle(page);
  }
  const { origin, pathname } = new URL(page.url());
  if (origin !== start.origin || pathname !== start.pathname || (await page.locator(OVERLAYS).count()) > 0)
    await open();
}

/** Reads from the page; again if the press before it has led to another page. */
async function whenLoaded<Value>(page: Page, read: () => Promise<Value>): Promise<Value> {
  for (let tries = 0; ; tries++) {
    try {
      return await read();
    } catch (error) {
      if (tries === 3 || !String(error).includes('context was destroyed')) throw error;
      await page.waitForLoadState();
    }
  }
}

/** Two frames, in which focus scrolls and layout follows. */
function settle(page: Page): Promise<unknown> {
  return page
    .evaluate(
      () =>
        new Promise<void>((resolve) =>
          requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, 30))),
        ),
    )
    .catch(() => page.waitForLoadState());
}

interface Selection {
  readonly within: string;
  readonly controls: string;
}

/** Names of the controls that can be pressed; numbers do not count, as they change. */
function listControls({ within, controls }: Selection): string[] {
  const counts = new Map<string, number>();
  return [...document.querySelectorAll<HTMLElement>(within)].flatMap((root) =>
    [...root.querySelectorAll<HTMLElement>(controls)]
      .filter((control) => {
        const { width, height } = control.getBoundingClientRect();
        return (
          width > 1 &&
          height > 1 &&
          getComputedStyle(control).visibility !== 'hidden' &&
          control.closest('[inert], [aria-hidden="true"]') === null
        );
      })
      .map((control) => {
        const name = (control.getAttribute('aria-label') ?? control.textContent ?? '').trim().slice(0, 60);
        const key = `${control.tagName.toLowerCase()} “${name.replace(/\d+/gu, '#')}”`;
        const nth = counts.get(key) ?? 0;
        counts.set(key, nth + 1);
        control.dataset['pressKey'] = `${key} ${nth}`;
        return `${key} ${nth}`;
      }),
  );
}

/** Scrolls a control into view, no further than needed: at the edge, a jump shows. Its middle; null if it is gone. */
function showControl({ key, within }: Selection & { key: string }): Spot | null {
  const control = [...document.querySelectorAll<HTMLElement>(within)]
    .flatMap((root) => [...root.querySelectorAll<HTMLElement>('[data-press-key]')])
    .find((one) => one.dataset['pressKey'] === key);
  if (control === undefined) return null;
  const isHit = (): Spot | null => {
    const { left, right, top, bottom } = control.getBoundingClientRect();
    const spot = { x: (left + right) / 2, y: (top + bottom) / 2 };
    const hit = document.elementFromPoint(spot.x, spot.y);
    return hit !== null && (control.contains(hit) || hit.contains(control)) ? spot : null;
  };
  control.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
  const near = isHit();
  if (near !== null) return near;
  control.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
  return isHit();
}

/** Faults: scrolled parts that no one can scroll back, and hidden inputs outside the label that a person presses. */
function frameFaults(): string[] {
  const faults: string[] = [];
  const nameOf = (element: Element): string =>
    `${element.tagName.toLowerCase()}.${(element.getAttribute('class') ?? '').split(' ')[0] ?? ''}`;
  if (window.scrollX !== 0 || (document.querySelector('.shell') !== null && window.scrollY !== 0))
    faults.push(`the window is scrolled to ${window.scrollX}, ${window.scrollY}`);
  const shell = document.querySelector('.shell')?.getBoundingClientRect();
  if (shell !== undefined && (shell.left !== 0 || shell.top !== 0 || Math.abs(shell.height - innerHeight) > 1))
    faults.push(`the frame is at ${shell.left}, ${shell.top}, ${shell.height} px high`);
  for (const element of document.querySelectorAll('body *')) {
    if (element.scrollTop === 0 && element.scrollLeft === 0) continue;
    // A field scrolls its own text; a pixel for screen readers shows nothing.
    if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) continue;
    if (element.clientWidth <= 1 || element.clientHeight <= 1) continue;
    const { overflowX, overflowY } = getComputedStyle(element);
    if (element.scrollTop !== 0 && overflowY === 'hidden')
      faults.push(`${nameOf(element)} is scrolled down ${element.scrollTop} px, and nobody can scroll it back`);
    if (element.scrollLeft !== 0 && overflowX === 'hidden')
      faults.push(`${nameOf(element)} is scrolled aside ${element.scrollLeft} px, and nobody can scroll it back`);
  }
  // Someone who speaks to the tablet says what they read.
  for (const control of document.querySelectorAll('button[aria-label], a[aria-label], [role="button"][aria-label]')) {
    const copy = control.cloneNode(true) as Element;
    for (const hidden of copy.querySelectorAll('[aria-hidden="true"], svg, [role="img"]')) hidden.remove();
    const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    const name = words(control.getAttribute('aria-label') ?? '');
    const unsaid = words(copy.textContent ?? '').filter((word) => !name.includes(word));
    if (unsaid.length > 0)
      faults.push(`“${control.getAttribute('aria-label') ?? ''}” is read as “${copy.textContent ?? ''}”`);
  }
  for (const input of document.querySelectorAll('label input[type="radio"], label input[type="checkbox"]')) {
    const label = input.closest('label')?.getBoundingClientRect();
    const { left, right, top, bottom, width } = input.getBoundingClientRect();
    if (label === undefined || width === 0) continue;
    if (left < label.left - 2 || right > label.right + 2 || top < label.top - 2 || bottom > label.bottom + 2)
      faults.push(`the input of “${input.closest('label')?.textContent ?? ''}” is outside its label`);
  }
  return faults;
}
