import { formatCount } from '../../../src/base/plural';
import type { Theme } from '../../../src/domain/theme';
import type { ErrorGroup } from '../../../src/protocol/cloud-http';
import { html, type Html, type HtmlValue } from '../../../src/server/pages/html';
import { page } from '../../../src/server/pages/page';
import { formatMoment, formatNumber, note, table } from '../../../src/server/pages/page-parts';

interface ErrorsPage {
  readonly groups: readonly ErrorGroup[];
  /** True if the closed groups are shown. */
  readonly isClosed: boolean;
  /** Number of groups of this kind, more than are shown perhaps. */
  readonly total: number;
  readonly closed: number;
  /** Reason that the last action was not done. */
  readonly problem: string | null;
  readonly theme: Theme;
}

export function errorsPage(errors: ErrorsPage): Html {
  const { groups, isClosed, closed, problem, theme } = errors;
  const other = isClosed
    ? html`<a class="button line" href="/console/errors">Open errors</a>`
    : closed === 0
      ? ''
      : html`<a class="button line" href="/console/errors?closed=true">Closed errors (${formatNumber(closed)})</a>`;
  return page(
    isClosed ? 'Closed errors of apps' : 'Errors of apps',
    html`<div class="first"><p class="lead">${leadText(errors)}</p><p class="actions">${other}<a class="button line" href="/console">Back to the fleet</a></p></div>
${problem === null ? '' : note('look', html`<p>${problem}</p>`, 'alert')}
<section class="card" aria-labelledby="errors"><h2 id="errors">By message and version</h2>${
      groups.length === 0 ? html`<p class="small">Nothing to show.</p>` : errorsTable(groups, isClosed)
    }</section>`,
    { of: 'Great Reef Census, ashore', theme },
  );
}

function leadText({ groups, isClosed, total }: ErrorsPage): string {
  if (total === 0)
    return isClosed ? 'No closed errors.' : 'No open errors. Apps report errors when they reach the shore.';
  const more = total > groups.length ? ` The latest ${groups.length} are shown.` : '';
  return isClosed
    ? `${formatCount(total, 'error')} closed. The next report of one opens it again.${more}`
    : `${formatCount(total, 'error')} open, the latest first. Reports contain no email, file name or token.${more}`;
}

function errorsTable(groups: readonly ErrorGroup[], isClosed: boolean): Html {
  const rows = groups.map((group) => [
    html`<b>${group.title}</b>${exampleText(group)}`,
    group.version === '' ? 'not reported' : group.version,
    formatNumber(group.count),
    formatMoment(group.firstAt),
    formatMoment(group.lastAt),
    isClosed ? formatMoment(group.closedAt ?? '') : closeForm(group),
  ]);
  return table(
    'errors',
    [
      { head: 'Message', kind: 'wide' },
      { head: 'Version' },
      { head: 'Reports', kind: 'count' },
      { head: 'First' },
      { head: 'Last' },
      { head: isClosed ? 'Closed' : '' },
    ],
    rows,
  );
}

function exampleText({ example }: ErrorGroup): HtmlValue {
  return html`<details><summary>Latest report</summary><pre class="small">${JSON.stringify(example, null, 2).replaceAll('\\n', '\n')}</pre></details>`;
}

function closeForm({ id, title, count }: ErrorGroup): Html {
  return html`<form method="post" action="/console/errors"><input type="hidden" name="id" value="${id}"><input type="hidden" name="count" value="${String(count)}"><button class="button line" aria-label="Close: ${title}">Close</button></form>`;
}
