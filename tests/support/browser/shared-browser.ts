import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium, type Browser, type BrowserContextOptions } from 'playwright';
import {
  ACTION_LIMIT_MS,
  CHROMIUM,
  VIEWPORT,
  chromiumArgs,
  listen,
  withoutSound,
  withoutWebgl,
  type TestTablet,
} from './browser';
import { DebuggingPipe, PIPE_ARG, PIPED } from './debugging-pipe';

interface SharedBrowser {
  readonly browser: Browser;
  readonly trusts: readonly string[];
  readonly close: () => Promise<void>;
}

export interface TabletOptions extends Omit<BrowserContextOptions, 'serviceWorkers'> {
  /** PEM of the certificates of boxes, which were started with `tls: 'shared'`. */
  readonly trusts?: readonly string[];
  /** The app installs itself, to open offline. Not by default: it takes a third of a short test's CPU. */
  readonly installs?: boolean;
  /** The chart is drawn. Not by default: without a graphics card Chromium computes each of its frames. */
  readonly charts?: boolean;
  /** Screens move. Not by default, as for a person who asked the tablet for less motion: each frame is computed. */
  readonly moves?: boolean;
  /** Arrivals sound. Not by default: from the first touch on a page, silence too is computed and played. */
  readonly sounds?: boolean;
}

/** Chromium of this process. */
let shared: Promise<SharedBrowser> | undefined;

/**
 * Opens an empty tablet in the Chromium that all tests of this process share: starting one takes two seconds of a core.
 * A test that kills its browser, or opens a profile twice, uses `openBrowser`.
 */
export async function openTablet({
  trusts = [],
  installs = false,
  charts = false,
  moves = false,
  sounds = false,
  ...options
}: TabletOptions = {}): Promise<TestTablet> {
  const present = await shared;
  if (present !== undefined && trusts.some((pem) => !present.trusts.includes(pem))) {
    shared = undefined;
    await present.close();
  }
  shared ??= startShared(trusts);
  const context = await (
    await shared
  ).browser.newContext({
    viewport: VIEWPORT,
    serviceWorkers: installs ? 'allow' : 'block',
    reducedMotion: moves ? 'no-preference' : 'reduce',
    ...options,
  });
  if (!charts) await context.addInitScript(withoutWebgl);
  if (!sounds) await context.addInitScript(withoutSound);
  context.setDefaultTimeout(ACTION_LIMIT_MS);
  const complaints = listen(context);
  return { context, page: await context.newPage(), complaints, close: () => context.close() };
}

/** Ends with this process, however that ends: its shell reads from a pipe that closes then. */
const GUARDED = 'profile=$1; shift; "$@" < /dev/null & read -r end; kill -KILL $!; wait; rm -rf "$profile"';

async function startShared(trusts: readonly string[]): Promise<SharedBrowser> {
  const profile = mkdtempSync(path.join(tmpdir(), 'reef-browser-'));
  const guard = spawn('/bin/sh', ['-c', GUARDED, 'sh', profile, CHROMIUM, PIPE_ARG, ...chromiumArgs(profile, trusts)], {
    stdio: ['pipe', ...PIPED.slice(1)],
    detached: true,
  });
  const pipe = new DebuggingPipe(guard);
  const browser = await chromium.connectOverCDP(pipe);
  // None keeps this process from ending.
  guard.unref();
  (guard.stdin as unknown as Socket).unref();
  pipe.unref();
  const close = async (): Promise<void> => {
    const gone = once(guard, 'exit');
    guard.stdin?.end();
    await gone;
    await browser.close();
  };
  return { browser, trusts, close };
}
