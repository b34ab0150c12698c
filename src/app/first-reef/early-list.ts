import { formatCount } from '../../base/plural';
import { reefName } from '../../domain/reef/reef-label';
import {
  detailOf,
  figureOf,
  LIST_LABEL,
  READING_TEXT,
  resultsTitle,
  type FirstReef,
} from '../../features/report-map/drawer/first-reefs';
import list from '../../features/report-map/drawer/list.module.css';
import drawer from '../../features/report-map/drawer/ReportDrawer.module.css';
import type { FirstRows } from './first-rows';
import { element, waitingButton, withAttributes } from './elements';

interface ListOptions {
  readonly censusYear: string;
  /** Feature id of the reef that is open or was picked. */
  readonly selected: string | null;
  readonly onPick: (featureId: string) => void;
}

/** Content of the drawer: the markup of `FirstResults.tsx`, until that takes its place. */
export function earlyList({ first, total }: FirstRows, options: ListOptions): readonly HTMLElement[] {
  const rows = element('ul', list.list, ...first.map((reef) => card(reef, options)));
  withAttributes(rows, { 'aria-label': `${LIST_LABEL}: ${formatCount(total, 'reef')}` });
  const reading = withAttributes(element('p', list.reading, READING_TEXT), { role: 'status' });
  const more = first.length < total ? element('div', list.more, waitingButton('Load More', 'line')) : null;
  return [
    element(
      'div',
      drawer.head,
      element('h1', drawer.title, resultsTitle(options.censusYear)),
      waitingButton('Sign in', 'line'),
    ),
    withAttributes(element('div', drawer.content, element('div', list.pane, reading, rows, more)), {
      tabindex: '-1',
      'data-drawer-content': 'true',
    }),
  ];
}

function card({ id, label, cover }: FirstReef, { selected, onPick }: ListOptions): HTMLElement {
  const { percent, band } = figureOf(cover);
  const row = element(
    'button',
    list.row,
    element(
      'span',
      list.words,
      element('strong', undefined, reefName({ name: label ?? '', gid: '' })),
      element('small', undefined, detailOf(cover)),
    ),
    element(
      'span',
      list.count,
      percent === null ? null : element('b', undefined, percent),
      element('small', undefined, band),
    ),
  );
  row.type = 'button';
  if (id === null) row.disabled = true;
  else {
    row.dataset['step'] = id;
    if (id === selected) row.setAttribute('aria-current', 'true');
    row.addEventListener('click', () => {
      for (const other of row.closest('ul')?.querySelectorAll('[aria-current]') ?? [])
        other.removeAttribute('aria-current');
      row.setAttribute('aria-current', 'true');
      onPick(id);
    });
  }
  return element('li', list.item, row);
}
