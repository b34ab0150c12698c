import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import vectors from '../../tests/fixtures/protocol-v1.json';
import { canonicalJson } from './canonical';
import { fold } from './fold/fold';
import type { Json } from './json';
import type { Op } from './op/op';

const sha256 = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex');

describe('protocol vectors: canonical JSON', () => {
  it.each(vectors.canonical)('$canonical', ({ json, canonical, sha256: hash }) => {
    const text = canonicalJson(JSON.parse(json) as Json);
    expect(text).toBe(canonical);
    expect(sha256(text)).toBe(hash);
  });
});

describe('protocol vectors: fold', () => {
  it.each(vectors.fold as unknown as { name: string; ops: Op[]; expect: unknown }[])(
    '$name',
    ({ ops, expect: expected }) => {
      expect(fold(ops)).toEqual(expected);
      expect(fold([...ops].reverse())).toEqual(expected);
    },
  );

  it.each(vectors.fold)('$name: each body has the hash it states', ({ ops }) => {
    for (const op of ops) expect(sha256(canonicalJson(op.body as Json))).toBe(op.sha256);
  });
});
