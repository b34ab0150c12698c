import { canonicalJson } from '../../domain/canonical';
import type { Json } from '../../domain/json';
import type { Op } from '../../domain/op/op';

/** Canonical JSON of an operation: all of it, and what its signature covers. */
interface OpTexts {
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
  let [whole, signed] = ['', ''];
  for (const name of Object.keys(all).sort()) {
    const value = all[name];
    if (value === undefined) continue;
    const member = `${JSON.stringify(name)}:${canonicalJson(value)}`;
    whole += whole === '' ? member : `,${member}`;
    if (name !== 'sig') signed += signed === '' ? member : `,${member}`;
  }
  const texts = { whole: `{${whole}}`, signed: `{${signed}}` };
  cache.set(op, texts);
  return texts;
}
