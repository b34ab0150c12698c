import { formatCount } from '../../../src/base/plural';
import type { Theme } from '../../../src/domain/theme';
import type { QuarantineFilter, QuarantineGroup } from '../../../src/protocol/quarantine';
import { html, type Html, type HtmlValue } from '../../../src/server/pages/html';
import { page } from '../../../src/server/pages/page';
import { formatNumber, table } from '../../../src/server/pages/page-parts';
import type { QuarantinedOp } from '../intake/quarantine';
import { filterFields, heldAddress } from './held-address';
import type { BoxName } from './quarantine-section';
import { KINDS, boxName, heldTable, reasonText, spanText } from './quarantine-section';

interface HeldPage {
  readonly filter: QuarantineFilter;
  readonly items: readonly QuarantinedOp[];
  readonly submitters: readonly QuarantineGroup[];
  readonly total: number;
  /** Continues after this page; null at its end. */
  readonly next: number | null;
  readonly boxes: readonly BoxName[];
  readonly theme: Theme;
}

export function heldPage(held: HeldPage): Html {
  const { filter, items, total, next } = held;
  const isDismissed = filter.dismissed === true;
  const lead =
    total === 0
      ? 'Nothing matches.'
      : `${formatCount(total, 'record')} ${isDismissed ? 'dismissed' : 'on hold'}${describe(held)}.`;
  const more =
    next === null
      ? ''
      : html`<p class="actions"><a class="button line" href="${heldAddress(filter, { after: String(next) })}">Next page</a></p>`;
  return page(
    isDismissed ? 'Dismissed records' : 'Records on hold',
    html`<div class="first"><p class="lead">${lead}</p><a class="button line" href="/console#held">Back to the fleet</a></div>
<section class="card"><form method="get" action="/console/held">${hiddenFields({ ...filter, q: undefined })}<label for="q">Search in records and reasons</label><input id="q" name="q" maxlength="200" value="${filter.q ?? ''}"><p class="actions"><button class="button line">Search</button></p></form></section>
${submitterSection(held)}
<section class="card" aria-labelledby="held"><h2 id="held">Records</h2>${
      items.length === 0
        ? html`<p class="small">None on this page.</p>`
        : html`<form method="post" action="/console/held">${hiddenFields(filter)}${heldTable(items, held.boxes, tick)}<p class="actions">${
            isDismissed
              ? html`<button class="button line" name="do" value="restore">Put selected back on hold</button>`
              : html`<button class="button line" name="do" value="dismiss">Dismiss selected</button>`
          }<button class="button line" name="do" value="release">Release selected</button></p></form>${more}`
    }</section>${isDismissed || total === 0 ? '' : allSection(held)}`,
    { of: 'Great Reef Census, ashore', theme: held.theme },
  );
}

const tick = (opId: string, name: string): HtmlValue =>
  html`<label><input type="checkbox" name="op:${opId}" value="yes" aria-label="Select: ${name}"> Select</label>`;

function hiddenFields(filter: QuarantineFilter): Html[] {
  return Object.entries(filterFields(filter)).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
}

function describe({ filter: { kind, reason, submitter, q }, boxes }: Pick<HeldPage, 'filter' | 'boxes'>): string {
  return [
    kind === undefined ? '' : `, ${KINDS[kind].toLowerCase()}`,
    submitter === undefined ? '' : `, ${submitterName(submitter, boxes)}`,
    reason === undefined ? '' : `: ${reasonText(reason)}`.replace(/\.$/, ''),
    q === undefined ? '' : ` with “${q}”`,
  ].join('');
}

function submitterSection({ submitters, filter, boxes }: HeldPage): HtmlValue {
  if (submitters.length < 2) return '';
  const rows = submitters.map(({ submitter = '', count, firstAt, lastAt }) => [
    html`<b>${submitterName(submitter, boxes)}</b>`,
    formatNumber(count),
    spanText(firstAt, lastAt),
    html`<a class="button line" href="${heldAddress({ ...filter, submitter })}" aria-label="See the records ${submitterName(submitter, boxes)}">See them</a>`,
  ]);
  return html`<section class="card" aria-labelledby="from"><h2 id="from">Who sent them</h2>${table('from', [{ head: 'Sender' }, { head: 'Records', kind: 'count' }, { head: 'Received', kind: 'wide' }, { head: '' }], rows)}</section>`;
}

function allSection({ filter, total, submitters }: HeldPage): Html {
  const upTo = String(Math.max(...submitters.map(({ lastSeq }) => lastSeq)));
  return html`<section class="card" aria-labelledby="all"><h2 id="all">All of them</h2><p class="small">For all ${formatCount(total, 'record')} that match, on every page. Records received after this page was opened are not included.</p><form method="post" action="/console/held" class="actions">${hiddenFields(filter)}<input type="hidden" name="upTo" value="${upTo}"><button class="button line" name="do" value="dismiss">Dismiss all</button><button class="button line" name="do" value="release">Release all</button></form></section>`;
}

/** Asks before many records are released or dismissed. */
export function sureSection(
  action: 'release' | 'dismiss',
  { filter, count, upTo }: { readonly filter: QuarantineFilter; readonly count: number; readonly upTo: number },
): Html {
  const text =
    action === 'release'
      ? 'They are shown like any other record, and their senders get new receipts. This cannot be undone.'
      : 'They leave the list and stay stored. A dismissed record can be released later, and one that waits for something is still released when that arrives.';
  return html`<p>${text}</p><form method="post" action="/console/held" class="actions">${hiddenFields(filter)}<input type="hidden" name="upTo" value="${String(upTo)}"><input type="hidden" name="sure" value="yes"><button class="button" name="do" value="${action}">${action === 'release' ? 'Release' : 'Dismiss'} ${formatCount(count, 'record')}</button><a class="button line" href="${heldAddress(filter)}">Leave them</a></form>`;
}

function submitterName(submitter: string, boxes: readonly BoxName[]): string {
  const [what, id = ''] = submitter.split(' ');
  if (what === 'box') return boxName(id, boxes);
  if (what === 'tablet') return `from tablet ${id}`;
  return what === 'person' ? `from person ${id}` : 'from an unknown sender';
}
