import { COVER_BANDS } from '../../domain/results/bands';
import pictures from '../../features/map/first-picture/FirstPicture.module.css';
import { reportColours } from '../../features/map/report/report-colours';
import { insetsOf, NO_SIZE, sizeOf } from '../../features/report-map/panels/insets';
import panels from '../../features/report-map/panels/panels.module.css';
import sheets from '../../features/report-map/panels/Sheet.module.css';
import { bandRange } from '../../features/report-map/reef/cover-text';
import page from '../../features/report-map/ReportPage.module.css';
import { element, iconOf, waitingButton, withAttributes } from './elements';

/** Width up to which the drawer is a sheet at the bottom (`RegionReport.tsx`). */
const PHONE = '(max-width: 700px)';

/** Elements of the report's first frame, as `RegionReport.tsx` has them. */
export interface EarlyPage {
  readonly main: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  /** Place of the list; null without one. */
  readonly body: HTMLElement | null;
  /** Parts of the map that the drawer covers; once the page is shown. */
  readonly insets: () => ReturnType<typeof insetsOf>;
}

export function earlyPage({ isBlurred, list }: { isBlurred: boolean; list: { hasLegend: boolean } | null }): EarlyPage {
  const canvas = withAttributes(element('canvas', pictures.picture), { 'aria-hidden': 'true' });
  const map = withAttributes(element('div', page.map, canvas), { 'data-blurred': String(isBlurred) });
  map.inert = isBlurred;
  const main = element('main', page.page, map);
  if (list === null) return { main, canvas, body: null, insets: () => insetsOf(NO_SIZE, NO_SIZE, noCard(false)) };
  const isPhone = matchMedia(PHONE).matches;
  const body = element('div', sheets.body);
  const handle = isPhone ? element('div', sheets.handle, waitingButton('Show more map', 'quiet', 'down')) : null;
  const sheet = withAttributes(element('aside', sheets.sheet, handle, body), {
    'aria-label': 'Results',
    'data-folded': 'false',
    ...(isPhone ? { 'data-foot': 'true' } : {}),
  });
  const figures = element('div', page.figures);
  main.append(sheet, figures);
  if (list.hasLegend) main.append(element('div', page.legend, legend(isPhone)));
  return { main, canvas, body, insets: () => insetsOf(sizeOf(sheet), sizeOf(figures), noCard(isPhone)) };
}

const noCard = (isPhone: boolean) => ({ isBesideCard: false, isPhone });

/** Legend with the markup of `ResultsLegend.tsx`. */
function legend(isPhone: boolean): HTMLElement {
  const { bands } = reportColours();
  const rows = COVER_BANDS.map((band, n) => {
    const swatch = element('i', undefined);
    swatch.style.background = bands[n] ?? '';
    const words = element('span', undefined, `${band.label} `, element('small', undefined, bandRange(band)));
    return element('li', undefined, swatch, words);
  });
  const section = element(
    'section',
    panels.legend,
    element('h2', undefined, heading(isPhone)),
    element('ul', undefined, ...rows),
  );
  return withAttributes(section, { 'aria-label': 'Coral cover', 'data-words': 'false' });
}

function heading(isPhone: boolean): HTMLElement | string {
  if (!isPhone) return 'Coral cover';
  return withAttributes(element('button', undefined, 'Coral cover', iconOf('down')), {
    type: 'button',
    disabled: '',
    'aria-expanded': 'false',
  });
}
