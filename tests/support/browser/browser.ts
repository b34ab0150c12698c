import { spawn, type ChildProcess } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright';
import { DebuggingPipe, PIPE_ARG, PIPED } from './debugging-pipe';

/** Name of every test box in the browser: not localhost, so that features missing on a tablet are missing here too. */
export const BOX_NAME = 'box.lan';

/**
 * Processes that a browser starts for its own toolbars and for later pages; they cost a sixth of the app's first load.
 */
const BESIDE_THE_PAGE = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxFullPopup',
  'WebUIOmniboxAimPopup',
  'PreloadTopChromeWebUI',
  'PreloadTopChromeWebUILessNavigations',
  'SpareRendererForSitePerProcess',
];

/** Program of the browser. */
export const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
/** A tablet's screen, CSS px. */
export const VIEWPORT = { width: 1180, height: 820 } as const;
/** Limit for one action on a page, after which it counts as stuck. */
export const ACTION_LIMIT_MS = 90_000;

const ARGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  // The chart draws with WebGL; without a graphics card Chromium computes it.
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--disable-quic',
  '--no-first-run',
  '--no-default-browser-check',
  // Each frame of a motion is computed; `openTablet` can ask for them.
  '--force-prefers-reduced-motion',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // A tablet behind another one is drawn and runs its timers as if it were alone.
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  '--disable-background-timer-throttling',
  `--disable-features=${[...BESIDE_THE_PAGE, 'Translate', 'OptimizationHints', 'MediaRouter'].join(',')}`,
  `--host-resolver-rules=MAP ${BOX_NAME} 127.0.0.1`,
  '--remote-debugging-port=0',
  '--window-size=1180,820',
];

/** Tablet: a context of its own in a browser. */
export interface TestTablet {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Console errors of pages, and uncaught errors. */
  readonly complaints: string[];
  /** Ends it with all that it stored. */
  readonly close: () => Promise<void>;
}

/** A tablet with a browser process of its own and a profile that outlives it. */
export interface TestBrowser extends TestTablet {
  readonly pid: number;
  /** Ends every process of the browser at once, as a power cut or the system's memory killer does. */
  readonly kill: () => Promise<void>;
}

export interface BrowserOptions {
  /** Folder of the profile: reopened after `kill`, it still has its data. */
  readonly profile: string;
  /** PEM of the box certificates that this tablet trusts. */
  readonly trusts?: readonly string[];
  /** False: the app does not install itself, which takes several seconds of a core. */
  readonly installs?: boolean;
  /** False: the chart is not drawn; without a graphics card Chromium computes each of its frames. */
  readonly charts?: boolean;
  /** True: it is controlled through its port, so that it survives when Playwright detaches. */
  readonly detachable?: boolean;
}

/** Creates a folder for a profile; `remove` deletes it. */
export async function makeProfile(): Promise<{ readonly folder: string; readonly remove: () => Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'reef-tablet-'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }) };
}

/** Starts Chromium over a profile and attaches to it. */
export async function openBrowser({
  profile,
  trusts = [],
  installs = true,
  charts = true,
  detachable = false,
}: BrowserOptions): Promise<TestBrowser> {
  // Files left by a killed browser would name the old port or block the new one.
  await Promise.all(
    ['DevToolsActivePort', 'SingletonLock', 'SingletonCookie', 'SingletonSocket'].map((name) =>
      rm(path.join(profile, name), { force: true }),
    ),
  );
  const child = detachable
    ? spawn(CHROMIUM, chromiumArgs(profile, trusts), { stdio: 'ignore', detached: true })
    : spawn(CHROMIUM, [PIPE_ARG, ...chromiumArgs(profile, trusts)], { stdio: [...PIPED], detached: true });
  if (child.pid === undefined) throw new Error('Chromium did not start; set-up installs it, or CHROMIUM names it.');
  try {
    const browser = await (detachable
      ? attachByPort(child, profile)
      : chromium.connectOverCDP(new DebuggingPipe(child)));
    const context = browser.contexts()[0];
    if (context === undefined) throw new Error('Chromium has no default context');
    const page = context.pages()[0] ?? (await context.newPage());
    await page.setViewportSize(VIEWPORT);
    await context.addInitScript(withoutSound);
    if (!installs) await context.addInitScript(withoutInstalling);
    if (!charts) await context.addInitScript(withoutWebgl);
    context.setDefaultTimeout(ACTION_LIMIT_MS);
    const complaints = listen(context);
    return {
      pid: child.pid,
      context,
      page,
      complaints,
      kill: () => end(child, browser),
      close: async () => {
        // A closed page writes what it still holds, which completes the profile; a kill is tested elsewhere.
        await Promise.allSettled(context.pages().map((open) => open.close()));
        await end(child, browser);
      },
    };
  } catch (error) {
    await end(child, undefined);
    throw error;
  }
}

/** Makes the page's browser one that supports no WebGL. */
export function withoutWebgl(): void {
  const { getContext } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, id: string, ...rest: unknown[]) {
    return /webgl/.test(id) ? null : (getContext as (...all: unknown[]) => unknown).call(this, id, ...rest);
  } as typeof getContext;
}

/** Makes the page's browser one that lets no page sound. */
export function withoutSound(): void {
  window.AudioContext = class {
    readonly state = 'suspended';
    readonly resume = (): Promise<void> => new Promise(() => undefined);
  } as unknown as typeof AudioContext;
}

/** Makes the page's browser one that never installs, as Playwright does for a context of its own. */
function withoutInstalling(): void {
  ServiceWorkerContainer.prototype.register = () => Promise.resolve(undefined as unknown as ServiceWorkerRegistration);
}

/** Public key of the certificate in Chromium's trust list: base64 SHA-256 of its SPKI. */
export function spkiOf(pem: string): string {
  return createHash('sha256')
    .update(new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64');
}

/** Arguments of a Chromium over a profile. */
export function chromiumArgs(profile: string, trusts: readonly string[]): string[] {
  return [...ARGS, `--user-data-dir=${profile}`, ...trustArgs(trusts), 'about:blank'];
}

function trustArgs(trusts: readonly string[]): string[] {
  return trusts.length === 0 ? [] : [`--ignore-certificate-errors-spki-list=${trusts.map(spkiOf).join(',')}`];
}

/** Connects to a Chromium as soon as its debugging port is open. */
async function attachByPort(child: ChildProcess, profile: string): Promise<Browser> {
  const place = path.join(profile, 'DevToolsActivePort');
  for (let tries = 0; tries < 600; tries++) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`Chromium ended unexpectedly (${child.exitCode ?? child.signalCode})`);
    const port = (await readFile(place, 'utf8').catch(() => '')).split('\n')[0];
    if (port !== undefined && port !== '') return chromium.connectOverCDP(`http://127.0.0.1:${port}`);
    await pause(50);
  }
  throw new Error('Chromium did not open its debugging port within 30 s');
}

/** Collects console errors and uncaught errors of a context from now on. */
export function listen(context: BrowserContext): string[] {
  const complaints: string[] = [];
  context.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  context.on('weberror', (error) => complaints.push(`uncaught: ${error.error().message}`));
  return complaints;
}

/** Kills Chromium's process group: the renderers and the storage process too. */
async function end(child: ChildProcess, browser: Browser | undefined): Promise<void> {
  const gone = child.exitCode !== null || child.signalCode !== null ? Promise.resolve() : once(child, 'exit');
  if (child.pid !== undefined) {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
  await gone;
  await browser?.close().catch((error: unknown) => {
    // The connection died with the process; nothing is left to close.
    if (browser.isConnected()) throw error;
  });
}
