import { expect, it } from 'vitest';
import { foundText } from './AnalysisList';

it('2§6 a list of analyses says what was found', () => {
  const found = [
    { label: 'Sand', coverage: 0.624 },
    { label: 'Boulder, bleached', coverage: 0.004 },
  ];
  expect(foundText({ found, kind: 'free-draw', coverage: 0.63 })).toBe('Sand 62%, Boulder, bleached under 1%');
  expect(foundText({ found: [], kind: 'form', coverage: null })).toBe('Percentages');
  expect(foundText({ found: [], kind: 'free-draw', coverage: 0.5 })).toBe('50.0% painted');
  expect(foundText({ found: [], kind: 'labels', coverage: 0.5 })).toBe('50.0% labelled');
  expect(foundText({ found: [], kind: 'labels', coverage: null })).toBe('Cannot be read here');
});
