import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { BoxState } from '../store/box-state';
import { TrustedTime } from './trusted-time';

const home = mkdtempSync(path.join(os.tmpdir(), 'reef-time-'));
afterEach(() => rmSync(home, { recursive: true, force: true }));

it('protocol, verify: trusted time only grows, persists and ignores leaping commits', () => {
  const state = new BoxState(
    home,
    () => new Date(),
    (message) => expect.fail(message),
  );
  const time = new TrustedTime(state);
  const start = time.now();
  const day = 86_400_000;
  time.commit(start + day);
  expect(time.now()).toBe(start + day);
  time.commit(start - 3650 * day);
  time.commit(start + 3650 * day);
  time.commit(Number.NaN);
  expect(time.now(), 'neither back nor ten years ahead').toBe(start + day);
  time.trust(start + 3000 * day);
  time.trust(start);
  expect(time.now()).toBe(start + 3000 * day);
  time.commit(start + 3650 * day);
  expect(time.now(), 'plausible next to the cloud’s time').toBe(start + 3650 * day);
  expect(new TrustedTime(state).now()).toBe(start + 3650 * day);
  state.close();
});
