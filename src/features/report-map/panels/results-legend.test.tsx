import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test, vi } from 'vitest';
import { COVER_BANDS } from '../../../domain/results/bands';
import { ResultsLegend } from './ResultsLegend';

vi.mock('../drawer/use-report-colours', () => ({ useReportColours: () => ({ bands: [] }) }));

test('3§2 the legend has the words of every band in its markup, and on a phone a button that shows them', () => {
  const [phone, wide] = [true, false].map((isPhone) => renderToStaticMarkup(<ResultsLegend isPhone={isPhone} />));
  for (const markup of [phone, wide])
    for (const { label } of COVER_BANDS) expect(markup).toContain(`<span>${label} <small>`);
  expect(phone).toMatch(/<button [^>]*aria-expanded="false"[^>]*>Coral cover/);
  expect(wide).not.toContain('<button');
});
