/** Grammar of malformed messages: valid ones, and ways to spoil them, drawn from one seeded stream. */
import { canonicalJson, sha256, type Json, type JsonObject } from '../independent/canonical';
import type { Seeded } from '../support/seed';

/** JSON as it is sent: also own keys such as `__proto__`, half surrogate pairs, and bytes. */
export type Wild = null | boolean | number | string | Buffer | Wild[] | { [key: string]: Wild };

const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Id of the right form. */
export function idFrom(random: Seeded, length = 16): string {
  return Array.from({ length }, () => LETTERS[random.below(62)]).join('');
}

function nest(depth: number, kind: 'array' | 'object'): Wild {
  let value: Wild = 1;
  for (let i = 0; i < depth; i += 1) value = kind === 'array' ? [value] : { a: value };
  return value;
}

/** Sets an own key that a literal could not set. */
function withKey(base: { [key: string]: Wild }, key: string, value: Wild): { [key: string]: Wild } {
  const copy = { ...base };
  Object.defineProperty(copy, key, { value, enumerable: true, configurable: true, writable: true });
  return copy;
}

/** Value of a kind that hardly any member has. */
export function wildValue(random: Seeded): Wild {
  const makers: (() => Wild)[] = [
    () => null,
    () => true,
    () => 0,
    () => -1,
    () => 1.5,
    () => 2 ** 53 + 2,
    () => 1e308,
    () => '',
    () => ' ',
    () => '\u0000',
    () => '\ud800',
    () => 'caf\u00e9\udc00',
    () => '../../../../etc/passwd',
    () => '__proto__',
    () => "'; DROP TABLE ops; --",
    () => '%00%2e%2e%2f',
    () => 'x'.repeat(random.pick([100, 5_000, 70_000])),
    () => '\u{1F41F}'.repeat(random.below(2_000)),
    () => [],
    () => ({}),
    () => nest(random.pick([50, 1_000, 4_000]), random.pick(['array', 'object'])),
    () => Array.from({ length: random.below(2_000) }, (_, i) => i),
    () => withKey({}, '__proto__', { admin: true }),
    () => ({ constructor: { prototype: { admin: true } } }),
    () => random.bytes(random.below(300)),
    () => ({ _placeholder: true, num: random.below(9) }),
    () => ({ toString: 1, valueOf: null, length: 1e9 }),
    () => '2026-11-20T00:00:00.000Z',
    () => 'a'.repeat(64),
    () => idFrom(random, random.pick([1, 11, 12, 19, 20, 200])),
  ];
  return random.pick(makers)();
}

/** Spoils one place of a value: another type, missing, extra, twice, swapped. */
export function spoil(value: Wild, random: Seeded): Wild {
  if (Array.isArray(value) && value.length > 0 && random.fraction() < 0.7) {
    const at = random.below(value.length);
    return value.map((one, i) => (i === at ? spoil(one, random) : one));
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && !Buffer.isBuffer(value)) {
    const keys = Object.keys(value);
    const key = keys.length === 0 ? undefined : random.pick(keys);
    const way = random.below(10);
    if (key !== undefined && way < 5) return withKey(value, key, spoil(value[key] ?? null, random));
    if (key !== undefined && way < 6) {
      const { [key]: _gone, ...rest } = value;
      return rest;
    }
    if (key !== undefined && way < 7) return withKey(value, key, value[random.pick(keys)] ?? null);
    if (way < 9)
      return withKey(
        value,
        random.pick(['__proto__', 'constructor', 'extra', '', '\ud800', 'a.b', '$where', 'toJSON']),
        wildValue(random),
      );
  }
  return wildValue(random);
}

/** Operation that a box would accept, for a document of this kind. */
export function soundOp(
  random: Seeded,
  kind: string,
  docId: string,
  links: { uid: string; surveyId: string; photo: { sha256: string; bytes: number } },
): JsonObject {
  const bodies: Record<string, JsonObject> = {
    profile: { uid: docId, name: { first: 'Fuzz', last: 'Er' }, email: 'fuzz@example.org' },
    survey: {
      id: docId,
      name: 'Fuzzed',
      date: '2026-11-20',
      user: { uid: links.uid, org: null },
      loc: { id: 'x', regionId: 'gbr', name: 'x' },
      isDeleted: false,
    },
    image: {
      id: docId,
      survey: { id: links.surveyId, name: 'Fuzzed' },
      user: { uid: links.uid },
      isDeleted: false,
      ...links.photo,
    },
    analysis: { id: docId, image: { id: links.surveyId }, labels: [1, 2, 3] },
  };
  const body = bodies[kind] ?? {};
  return {
    v: 1,
    opId: `${idFrom(random)}-${1 + random.below(1_000)}`,
    kind,
    docId,
    by: kind === 'profile' ? docId : links.uid,
    madeAt: '2026-11-20T00:00:00.000Z',
    schema: 1,
    body,
    sha256: sha256(canonicalJson(body)),
  };
}

/** Repairs the body hash, so that the damage is deeper than the hash check. */
export function rehash(op: Wild): Wild {
  if (typeof op !== 'object' || op === null || Array.isArray(op) || Buffer.isBuffer(op)) return op;
  try {
    return { ...op, sha256: sha256(canonicalJson(op['body'] as Json)) };
  } catch {
    return op; // Values without a canonical form (a lone surrogate, bytes) retain their wrong hash.
  }
}
