import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { announce, photograph } from '../../../tests/conformance/blob-store';
import type { Disk } from '../files/disk';
import { realDisk } from '../files/disk';
import { FileBlobStore } from './file-blob-store';

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'reef-addresses-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function noted(log: string[]): Disk {
  return {
    ...realDisk,
    async fsyncDir(folder) {
      const name = path.relative(root, folder);
      log.push(`begin ${name}`);
      await realDisk.fsyncDir(folder);
      log.push(`end ${name}`);
    },
  };
}

describe('protocol: durable, before any receipt: the move to the content address', () => {
  it.each([
    ['bytes that were acknowledged before keep their old name until the new one is durable', 1000, true],
    ['bytes sent in one piece: both folders are fsynced at once', 3000, false],
  ])('%s', async (_name, chunk, oneAfterTheOther) => {
    const log: string[] = [];
    const fail = (error: Error): void => {
      throw error;
    };
    const store = await FileBlobStore.open({ root, minFreeBytes: 0, onFatal: fail, disk: noted(log) });
    const bytes = photograph(3000);
    const announcement = announce(bytes);
    const { uploadId } = await store.begin(announcement);
    for (let at = 0; at < bytes.length; at += chunk) {
      log.length = 0;
      await store.write(uploadId, at, bytes.subarray(at, at + chunk));
    }
    const target = `blobs/${announcement.sha256.slice(0, 2)}/${announcement.sha256.slice(2, 4)}`;
    expect(log).toEqual(expect.arrayContaining([`end ${target}`, 'end partials']));
    expect(log.indexOf('begin partials') > log.indexOf(`end ${target}`)).toBe(oneAfterTheOther);
    await store.close();
  });
});
