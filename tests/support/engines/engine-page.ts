import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { EngineDriver, NamedKey, Point } from './engine-driver';

/** Limit for a step, after which it counts as stuck. */
const PATIENCE_MS = 90_000;
/** The same for a page that was stuck before: the steps after it fail for the same reason. */
const STUCK_PATIENCE_MS = 5_000;

/** Limit for describing a page that is stuck. */
const DESCRIPTION_MS = 10_000;
/** Time in which an element must not move before it is pressed. */
const REST_MS = 250;

/** Roles that steps name. */
export type Role = 'button' | 'link' | 'field' | 'heading' | 'option' | 'radio' | 'picture';

/** Page in an engine, and a person's steps on it: what is named is found by role and name, and used by mouse and keys. */
export class EnginePage {
  readonly #driver: EngineDriver;
  #isStuck = false;

  constructor(driver: EngineDriver) {
    this.#driver = driver;
  }

  /** Runs a function in the page; it may use nothing around it. */
  evaluate<Args extends readonly unknown[], Result>(
    work: (...args: Args) => Result,
    ...args: Args
  ): Promise<Awaited<Result>> {
    return this.#driver.evaluate(`(${work.toString()})(...${JSON.stringify(args)})`) as Promise<Awaited<Result>>;
  }

  goto(url: string): Promise<void> {
    return this.#driver.goto(url);
  }

  press(key: NamedKey): Promise<void> {
    return this.#driver.press(key);
  }

  drag(places: readonly Point[]): Promise<void> {
    return this.#driver.drag(places);
  }

  chooseFiles(selector: string, files: readonly string[]): Promise<void> {
    return this.#driver.chooseFiles(selector, files);
  }

  /** Console errors and uncaught errors so far. */
  complaints(): Promise<readonly string[]> {
    return this.#driver.complaints();
  }

  close(): Promise<void> {
    return this.#driver.close();
  }

  /** Leaves for another address as a link of the page does, and waits until the next page has begun. */
  leaveFor(address: string): Promise<void> {
    return this.#leave((to) => void setTimeout(() => (location.href = to)), address);
  }

  /** Returns to the page before, as the button Back does. */
  back(): Promise<void> {
    return this.#leave(() => void setTimeout(() => history.back()), '');
  }

  /** Waits until a value of the page fits; a page that is just left has none. */
  async until<Value>(what: string, read: () => Promise<Value>, fits: (value: Value) => boolean): Promise<Value> {
    let last: unknown = 'nothing';
    const patience = this.#isStuck ? STUCK_PATIENCE_MS : PATIENCE_MS;
    for (const end = Date.now() + patience; Date.now() < end; await pause(50)) {
      try {
        const value = await read();
        if (fits(value)) return value;
        last = value;
      } catch (error) {
        last = error;
      }
    }
    this.#isStuck = true;
    const shown = last instanceof Error ? last.message : JSON.stringify(last);
    throw new Error(`after ${patience / 1000} s ${what} is ${shown}; ${await this.#describe()}`);
  }

  /** Address and text of a page that is stuck, and a picture of it; it may answer nothing any more. */
  async #describe(): Promise<string> {
    const read = async (): Promise<string> => {
      const [address, text] = await this.evaluate(() => [location.href, document.body.innerText.slice(0, 1500)]);
      const picture = path.join(mkdtempSync(path.join(tmpdir(), 'reef-stuck-')), 'page.png');
      writeFileSync(picture, await this.#driver.screenshot());
      return `${String(address)} (${picture}) shows:\n${String(text)}`;
    };
    const silent = pause(DESCRIPTION_MS, 'the page does not answer', { ref: false });
    return Promise.race([read().catch(String), silent]);
  }

  /** Waits for a text anywhere on the page. */
  async see(text: string): Promise<void> {
    await this.until(
      `the text "${text}"`,
      () => this.evaluate((wanted) => document.body.innerText.includes(wanted), text),
      (isThere) => isThere,
    );
  }

  /** Middle of an element, once it can be pressed and rests: a dialog moves as its picture arrives. */
  async find(role: Role, name: string): Promise<Point> {
    let before: Point | null = null;
    let restsSince = Date.now();
    const found = await this.until(
      `the ${role} "${name}"`,
      () => this.evaluate(locate, role, name),
      (point) => {
        if (point === null || point[0] !== before?.[0] || point[1] !== before[1]) restsSince = Date.now();
        before = point;
        return point !== null && Date.now() - restsSince >= REST_MS;
      },
    );
    return found as Point;
  }

  async click(role: Role, name: string): Promise<void> {
    await this.#driver.drag([await this.find(role, name)]);
  }

  async fill(label: string, text: string): Promise<void> {
    await this.click('field', label);
    await this.#driver.type(text);
  }

  async #leave(begin: (to: string) => void, to: string): Promise<void> {
    const readOrigin = (): Promise<number> => this.evaluate(() => performance.timeOrigin);
    const before = await readOrigin();
    await this.evaluate(begin, to);
    await this.until('the start of the next page', readOrigin, (origin) => origin !== before);
  }
}

/**
 * Middle of the first element in sight with a role and a name (its whole name, or the start of it for an option or a
 * radio); null while there is none, or something covers it. Runs in the page.
 */
function locate(role: Role, name: string): Point | null {
  const selectors: Readonly<Record<Role, string>> = {
    button: 'button, [role="button"]',
    link: 'a[href]',
    field: 'input, textarea, [role="combobox"]',
    heading: 'h1, h2, h3',
    option: '[role="option"]',
    radio: 'input[type="radio"], [role="radio"]',
    picture: '[role="application"]',
  };
  const textOf = (node: Element | null): string => (node?.textContent ?? '').replace(/\s+/g, ' ').trim();
  const nameOf = (element: Element): string =>
    element.getAttribute('aria-label') ??
    (element.getAttribute('aria-labelledby')
      ? (element.getAttribute('aria-labelledby') ?? '')
          .split(' ')
          .map((id) => textOf(document.getElementById(id)))
          .join(' ')
      : element instanceof HTMLInputElement
        ? textOf(element.labels?.[0] ?? null)
        : textOf(element));
  for (const element of document.querySelectorAll(selectors[role])) {
    const own = nameOf(element);
    if (role === 'option' || role === 'radio' ? !own.startsWith(name) : role !== 'picture' && own !== name) continue;
    // A radio of a screen is a hidden input in its label.
    const shown = role === 'radio' ? (element.closest('label') ?? element) : element;
    shown.scrollIntoView({ block: 'center', inline: 'center' });
    const { left, top, width, height } = shown.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    const top0 = document.elementFromPoint(x, y);
    if (width > 0 && top0 !== null && (shown.contains(top0) || top0.contains(shown))) return [x, y];
  }
  return null;
}
