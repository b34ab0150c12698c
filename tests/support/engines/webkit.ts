import { readFileSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '../servers/free-port';
import type { EngineDriver, NamedKey, Point } from './engine-driver';
import { startGuarded } from './guarded-process';
import { openVirtualScreen } from './virtual-screen';
import { WebDriverSession } from './webdriver-client';

const BROWSER = path.join(import.meta.dirname, 'webkit-browser.py');
/** Limit for one command, after which the page counts as stuck. */
const COMMAND_LIMIT_MS = 50_000;
/** Line of an error: place in the script, source (none for `console.error`) and text. */
const ERROR_LINE = /^(?:\S+: )?CONSOLE (?:[A-Z]+ )?ERROR /;
/** Keys by the code points of WebDriver. */
const KEYS: Readonly<Record<NamedKey, string>> = { Tab: '\uE004', Enter: '\uE007' };

/** Opens WebKitGTK, the engine of Safari, over a profile; certificates of boxes are accepted as they are. */
export async function openWebKit(profile: string): Promise<EngineDriver> {
  const screen = await openVirtualScreen();
  const port = await freePort();
  const driver = startGuarded('WebKitWebDriver', [`--port=${port}`, '--host=127.0.0.1'], screen.env);
  const close = async (): Promise<void> => {
    await driver.end();
    await screen.close();
  };
  try {
    const session = await WebDriverSession.open(`http://127.0.0.1:${port}`, {
      acceptInsecureCerts: true,
      unhandledPromptBehavior: 'accept',
      timeouts: { script: COMMAND_LIMIT_MS, pageLoad: COMMAND_LIMIT_MS },
      'webkitgtk:browserOptions': { binary: BROWSER, args: [`--profile=${profile}`] },
    });
    return new WebKitDriver(session, path.join(profile, 'console.log'), close);
  } catch (error) {
    await close();
    throw error;
  }
}

class WebKitDriver implements EngineDriver {
  readonly version: string;

  readonly #session: WebDriverSession;
  readonly #console: string;
  readonly #end: () => Promise<void>;

  constructor(session: WebDriverSession, console: string, end: () => Promise<void>) {
    this.#session = session;
    this.#console = console;
    this.#end = end;
    const { browserName, browserVersion } = session.capabilities;
    this.version = `${String(browserName)} ${String(browserVersion)}`;
  }

  async goto(url: string): Promise<void> {
    await this.#session.post('/url', { url });
  }

  async evaluate(expression: string): Promise<unknown> {
    // Its synchronous command does not wait for a promise.
    const script = `const answer = arguments[0];
      Promise.resolve().then(() => ${expression}).then(
        (value) => answer({ value }),
        (error) => answer({ error: String(error) }),
      );`;
    const { value, error } = (await this.#session.post('/execute/async', { script, args: [] })) as {
      value?: unknown;
      error?: string;
    };
    if (error !== undefined) throw new Error(error);
    return value;
  }

  async type(text: string): Promise<void> {
    await this.#session.post(`/element/${await this.#session.focused()}/value`, { text });
  }

  async press(key: NamedKey): Promise<void> {
    await this.type(KEYS[key]);
  }

  async drag([first, ...others]: readonly Point[]): Promise<void> {
    if (first === undefined) return;
    const move = ([x, y]: Point): object => ({
      type: 'pointerMove',
      x: Math.round(x),
      y: Math.round(y),
      duration: 0,
      origin: 'viewport',
    });
    const actions = [
      move(first),
      { type: 'pointerDown', button: 0 },
      ...others.map(move),
      { type: 'pointerUp', button: 0 },
    ];
    await this.#session.post('/actions', {
      actions: [{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions }],
    });
  }

  async chooseFiles(selector: string, files: readonly string[]): Promise<void> {
    const input = await this.#session.elementOf(selector);
    await this.#session.post(`/element/${input}/value`, { text: files.join('\n') });
  }

  complaints(): Promise<readonly string[]> {
    const lines = readFileSync(this.#console, 'utf8').split('\n');
    return Promise.resolve(lines.filter((line) => ERROR_LINE.test(line)));
  }

  async screenshot(): Promise<Buffer> {
    return Buffer.from((await this.#session.get('/screenshot')) as string, 'base64');
  }

  close(): Promise<void> {
    return this.#end();
  }
}
