import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from './canonical';
import { ReefError } from './errors';
import type { Json } from './json';
import { checkJson, isObject, MAX_JSON_DEPTH } from './json';

const nested = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);

function fault(value: unknown): { code: string; field: unknown } {
  try {
    checkJson(value, 'body');
  } catch (error) {
    if (error instanceof ReefError) return { code: error.code, field: error.details['field'] };
    throw error;
  }
  return { code: 'none', field: undefined };
}

describe('protocol: accepted JSON', () => {
  it.each([null, true, 0, -1.5, 'é', '😀', [], {}, { a: [{ b: null }] }, Object.create(null), nested(MAX_JSON_DEPTH)])(
    'protocol: accepts %j',
    (value) => {
      expect(fault(value).code).toBe('none');
    },
  );

  it.each([
    ['a lone surrogate', { a: ['x\ud83d'] }, 'body.a[0]'],
    ['a key that is a lone surrogate', { '\udc00': 1 }, 'body'],
    ['a key __proto__', JSON.parse('{"a":{"__proto__":{"admin":true}}}'), 'body.a'],
    ['infinity', { n: Infinity }, 'body.n'],
    ['not a number', [NaN], 'body[0]'],
    ['undefined', { a: undefined }, 'body.a'],
    ['a function', { a: () => 1 }, 'body.a'],
    ['a date', { a: new Date(0) }, 'body.a'],
    ['a hole in a list', { a: new Array<number>(1) }, 'body.a[0]'],
    ['bytes', { a: new Uint8Array(2) }, 'body.a'],
  ])('protocol: refuses %s as bad-message and names the place', (_name, value, field) => {
    expect(fault(value)).toEqual({ code: 'bad-message', field });
  });

  it('protocol: a thousand levels are refused without a crash, and the named place is bounded', () => {
    const { code, field } = fault(nested(1000));
    expect(code).toBe('bad-message');
    expect(String(field).length).toBeLessThan(100);
    expect(fault(nested(MAX_JSON_DEPTH + 2)).code).toBe('bad-message');
  });

  it('protocol: an object is neither null nor a list', () => {
    expect([{}, null, [], 'x'].map(isObject)).toEqual([true, false, false, false]);
  });
});

describe('protocol: canonical JSON', () => {
  it('protocol: any value survives canonical JSON and parsing, with keys in one order', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const text = canonicalJson(value as Json);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(JSON.parse(text) as Json)).toBe(text);
      }),
    );
  });

  it('protocol: the order in which keys were set does not matter', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.integer(), { noNullPrototype: true }), (value) => {
        expect(canonicalJson(Object.fromEntries(Object.entries(value).reverse()))).toBe(canonicalJson(value));
      }),
    );
  });

  it('protocol: a number that is not finite has no canonical form', () => {
    expect(() => canonicalJson([Infinity])).toThrow(TypeError);
  });

  it('protocol: an undefined member is left out, as by JSON.stringify', () => {
    expect(canonicalJson({ a: undefined as unknown as Json, b: 1 })).toBe('{"b":1}');
  });
});
