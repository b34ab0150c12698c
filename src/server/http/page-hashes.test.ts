import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { pageHashes } from './page-hashes';

const folder = mkdtempSync(path.join(os.tmpdir(), 'reef-page-hashes-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

test('the policy names exactly the inline content of the page', () => {
  expect(pageHashes(null)).toEqual({ scripts: [], styles: [] });
  expect(pageHashes(folder)).toEqual({ scripts: [], styles: [] });
  const [script, style] = ['\n  one();\n', ':root { color: red }\n.a::before { content: "é" }'];
  writeFileSync(
    path.join(folder, 'index.html'),
    `<!doctype html><script>${script}</script><style>${style}</style><script type="module" src="/a.js"></script><p style="color:red">`,
  );
  expect(pageHashes(folder)).toEqual({ scripts: [hash(script)], styles: [hash(style)] });
});
