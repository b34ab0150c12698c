import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalJson } from '../../domain/canonical';
import type { JsonObject } from '../../domain/json';
import type { Op } from '../../domain/op/op';
import { signedOpText } from '../../protocol/op-signature';
import { opTexts } from './op-texts';

it('protocol: canonical JSON: the texts of an operation equal those computed one by one', () => {
  const op = fc
    .dictionary(fc.string(), fc.jsonValue(), { maxKeys: 6 })
    .map((more) => ({
      ...more,
      sig: { key: 'k', value: 'v' },
      lc: undefined,
      body: { b: 1, a: [2] },
    })) as unknown as fc.Arbitrary<Op>;
  fc.assert(
    fc.property(op, (one) => {
      expect(opTexts(one)).toEqual({ whole: canonicalJson(one as unknown as JsonObject), signed: signedOpText(one) });
      expect(opTexts(one)).toBe(opTexts(one));
    }),
    { numRuns: 100 },
  );
});
