import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseRescueManifest } from './rescue';
import { parseTarHeader, TAR_BLOCK, tarBytes, tarHeader, tarPadding } from './tar';

function archive(members: readonly { name: string; content: Uint8Array }[]): Buffer {
  const parts = members.flatMap(({ name, content }) => [
    tarHeader({ name, size: content.length }, 1_700_000_000),
    content,
    new Uint8Array(tarPadding(content.length)),
  ]);
  return Buffer.concat([...parts, new Uint8Array(2 * TAR_BLOCK)]);
}

describe('protocol: a rescue copy is a plain tar', () => {
  test('an archive reads back and has the announced length', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({ name: fc.stringMatching(/^[a-z0-9/._-]{1,100}$/), content: fc.uint8Array({ maxLength: 1200 }) }),
          { maxLength: 6 },
        ),
        (members) => {
          const file = archive(members);
          expect(file.length).toBe(tarBytes(members.map(({ name, content }) => ({ name, size: content.length }))));
          let at = 0;
          for (const { name, content } of members) {
            expect(parseTarHeader(file.subarray(at, at + TAR_BLOCK))).toEqual({ name, size: content.length });
            expect([...file.subarray(at + TAR_BLOCK, at + TAR_BLOCK + content.length)]).toEqual([...content]);
            at += TAR_BLOCK + content.length + tarPadding(content.length);
          }
          expect(parseTarHeader(file.subarray(at, at + TAR_BLOCK))).toBeNull();
        },
      ),
    );
  });

  test('the system’s tar opens it', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'reef-tar-'));
    try {
      writeFileSync(
        path.join(folder, 'copy.tar'),
        archive([
          { name: 'manifest.json', content: Buffer.from('{}') },
          { name: `blobs/${'a'.repeat(64)}`, content: Buffer.alloc(1000, 7) },
        ]),
      );
      execFileSync('tar', ['-xf', 'copy.tar'], { cwd: folder });
      expect(readFileSync(path.join(folder, 'blobs', 'a'.repeat(64)))).toEqual(Buffer.alloc(1000, 7));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('a flipped bit in a header is detected', () => {
    fc.assert(
      fc.property(fc.nat(TAR_BLOCK * 8 - 1), (bit) => {
        const block = tarHeader({ name: 'ops.ndjson', size: 12345 }, 1_700_000_000);
        block[bit >> 3] = (block[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        let read: unknown;
        try {
          read = parseTarHeader(block);
        } catch {
          return;
        }
        // An equivalent checksum digit or blank is harmless.
        expect(read).toEqual({ name: 'ops.ndjson', size: 12345 });
      }),
      { numRuns: 2000 },
    );
  });

  test('names and sizes that do not fit a header are refused', () => {
    expect(() => tarHeader({ name: 'x'.repeat(101), size: 1 }, 0)).toThrow('cannot be a name');
    expect(() => tarHeader({ name: 'x', size: 9e9 }, 0)).toThrow('cannot be a size');
    expect(() => parseTarHeader(new Uint8Array(100))).toThrow('cut off');
  });

  test('other files and copies of a newer app are refused as rescue copies', () => {
    expect(() => parseRescueManifest('<html>')).toThrow('not a rescue copy');
    expect(() => parseRescueManifest('{"format":"zip"}')).toThrow('not a rescue copy');
    const newer = {
      format: 'reef-rescue',
      version: 2,
      madeAt: '',
      device: { id: '', name: '' },
      ops: { count: 0, bytes: 0, sha256: 'a'.repeat(64) },
      blobs: [],
      surveys: [],
    };
    expect(() => parseRescueManifest(JSON.stringify(newer))).toThrow('newer app');
  });
});
