import puppeteer, { type Browser, type ElementHandle, type Page } from 'puppeteer-core';
import type { EngineDriver, NamedKey, Point } from './engine-driver';
import { openVirtualScreen } from './virtual-screen';

const FIREFOX = process.env['FIREFOX'] ?? '/usr/bin/firefox-esr';
/** Limit for one command, after which the page counts as stuck. */
const COMMAND_LIMIT_MS = 50_000;

const PREFERENCES = {
  // Less motion, as a person may ask for: without a graphics card each frame is computed.
  'ui.prefersReducedMotion': 1,
};

/** Opens Firefox over a profile; certificates of boxes are accepted as they are. */
export async function openFirefox(profile: string): Promise<EngineDriver> {
  const screen = await openVirtualScreen();
  try {
    const browser = await puppeteer.launch({
      browser: 'firefox',
      executablePath: FIREFOX,
      headless: false,
      acceptInsecureCerts: true,
      userDataDir: profile,
      env: screen.env,
      defaultViewport: null,
      // The window's own frame takes 85 px.
      args: ['--width=1180', '--height=905'],
      extraPrefsFirefox: PREFERENCES,
      protocolTimeout: COMMAND_LIMIT_MS,
    });
    const page = (await browser.pages())[0] ?? (await browser.newPage());
    page.setDefaultTimeout(COMMAND_LIMIT_MS);
    return new FirefoxDriver(browser, await browser.version(), page, screen.close);
  } catch (error) {
    await screen.close();
    throw error;
  }
}

class FirefoxDriver implements EngineDriver {
  readonly version: string;

  readonly #browser: Browser;
  readonly #page: Page;
  readonly #closeScreen: () => Promise<void>;
  readonly #complaints: string[] = [];

  constructor(browser: Browser, version: string, page: Page, closeScreen: () => Promise<void>) {
    this.#browser = browser;
    this.version = version;
    this.#page = page;
    this.#closeScreen = closeScreen;
    page.on('console', (message) => {
      if (message.type() === 'error') this.#complaints.push(message.text());
    });
    // A page that is left while it stores photographs asks first.
    page.on('dialog', (dialog) => void dialog.accept());
    page.on('pageerror', (error) => this.#complaints.push(`uncaught: ${String(error)}`));
  }

  async goto(url: string): Promise<void> {
    await this.#page.goto(url, { waitUntil: 'load' });
  }

  evaluate(expression: string): Promise<unknown> {
    return this.#page.evaluate(expression);
  }

  async type(text: string): Promise<void> {
    await this.#page.keyboard.type(text);
  }

  async press(key: NamedKey): Promise<void> {
    await this.#page.keyboard.press(key);
  }

  async drag([first, ...others]: readonly Point[]): Promise<void> {
    if (first === undefined) return;
    const { mouse } = this.#page;
    await mouse.move(...first);
    await mouse.down();
    for (const place of others) await mouse.move(...place);
    await mouse.up();
  }

  async chooseFiles(selector: string, files: readonly string[]): Promise<void> {
    const input = (await this.#page.waitForSelector(selector)) as ElementHandle<HTMLInputElement> | null;
    if (input === null) throw new Error(`the page has no ${selector}`);
    await input.uploadFile(...files);
  }

  complaints(): Promise<readonly string[]> {
    return Promise.resolve(this.#complaints);
  }

  async screenshot(): Promise<Buffer> {
    return Buffer.from(await this.#page.screenshot());
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.#closeScreen();
  }
}
