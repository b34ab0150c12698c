import { canonicalJson } from '../../domain/canonical';
import type { Json } from '../../domain/json';
import type { Op } from '../../domain/op/op';

/** Canonical JSON of an operation: all of it, and what its signature covers. */
export interface OpTexts {
  readonly whole: string;
  readonly signed: string;
}

const cache = new WeakMap<Op, OpTexts>();

/**
 * Texts of an operation, computed once: looking it up, checking its signature and storing it need them. The operation
 * must not change afterwards.
 */
export function opTexts(op: Op): OpTexts {
  const known = cache.get(op);
  if (known !== undefined) return known;
  const all = op as unknown as { readonly [name: string]: Json | undefined };
  const members = Object.keys(all)
    .sort()
    .flatMap((name) =>
      all[name] === undefined ? [] : [{ name, text: `${JSON.stringify(name)}:${canonicalJson(all[name])}` }],
    );
  const textOf = (some: typeof members): string => `{${some.map(({ text }) => text).join(',')}}`;
  const texts = { whole: textOf(members), signed: textOf(members.filter(({ name }) => name !== 'sig')) };
  cache.set(op, texts);
  return texts;
}
