import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstNamedReefs, namedReefs, type FirstReef } from './first-reefs';

const label = fc.oneof(fc.constant(null), fc.constantFrom('Reef 2', 'reef 10', 'Réef 2', 'Bay', ''), fc.string());

test('3§2 the first reefs by name are those of the whole list, equal names in order of their rows', () => {
  fc.assert(
    fc.property(fc.array(label, { maxLength: 40 }), fc.integer({ min: 0, max: 12 }), (labels, count) => {
      const reefs = labels.map((text, row): FirstReef => ({ row, id: null, label: text, cover: null }));
      const named = namedReefs(reefs);
      expect(firstNamedReefs(reefs, count)).toEqual({ first: named.slice(0, count), total: named.length });
    }),
  );
});
