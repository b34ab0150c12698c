import { formatDay } from '../../domain/survey/day';
import { html, type Html, type HtmlValue } from './html';

/** Column of a table with its heading; empty for buttons. */
interface Column {
  readonly head: string;
  /** `count`: right-aligned; `short`: one line; `wide`: long text, below its heading on a phone. */
  readonly kind?: 'count' | 'short' | 'wide';
}

/**
 * Table whose first column names its row. A phone shows rows as cards, so explicit roles restore the lost semantics.
 *
 * @param labelledBy id of its heading
 * @param rows content of each cell
 */
export function table(labelledBy: string, columns: readonly Column[], rows: readonly (readonly HtmlValue[])[]): Html {
  const heads = columns.map(({ head, kind }) =>
    head === ''
      ? html`<td role="cell"></td>`
      : html`<th scope="col" role="columnheader"${kind === 'count' ? html` class="count"` : ''}>${head}</th>`,
  );
  const cells = (row: readonly HtmlValue[]): Html[] =>
    row.map((cell, n) => {
      const { head = '', kind } = columns[n] ?? {};
      if (n === 0) return html`<th scope="row" role="rowheader">${cell}</th>`;
      return html`<td role="cell"${kind === undefined ? '' : html` class="${kind}"`}${head === '' ? '' : html` data-of="${head}"`}><div>${cell}</div></td>`;
    });
  return html`<div class="scroll" tabindex="0" role="group" aria-labelledby="${labelledBy}"><table role="table" aria-labelledby="${labelledBy}"><thead role="rowgroup"><tr role="row">${heads}</tr></thead><tbody role="rowgroup">${rows.map((row) => html`<tr role="row">${cells(row)}</tr>`)}</tbody></table></div>`;
}

/** List of names and values, one per line. */
export function definitionList(rows: readonly (readonly [string, string])[]): Html {
  return html`<dl>${rows.map(([what, value]) => html`<div><dt>${what}</dt><dd>${value}</dd></div>`)}</dl>`;
}

const ICONS = {
  look: html`<path d="M12 4 2.8 20h18.4zM12 10v4.5M12 17.3v.2"/>`,
  wait: html`<circle cx="12" cy="12" r="9"/><path d="M12 7v5l3.5 2"/>`,
  good: html`<path d="m5 12.5 4.5 4.5L19 7.5"/>`,
};

/** Important note with an icon that does not depend on colour. */
export function note(tone: keyof typeof ICONS, content: HtmlValue, role?: 'alert'): Html {
  return html`<div class="note${tone === 'wait' ? '' : ` ${tone}`}"${role === undefined ? '' : html` role="${role}"`}><svg viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">${ICONS[tone]}</svg><div>${content}</div></div>`;
}

/** List of notes; empty if there are none. */
export function notes(items: readonly HtmlValue[]): Html {
  return items.length === 0 ? html`` : html`<ul class="notes">${items.map((item) => html`<li>${item}</li>`)}</ul>`;
}

/** Fill bar; its value also appears as text. @param part 0..1 @param limit position of a line, 0..1 */
export function bar(part: number, limit: number | null): Html {
  const at = (share: number): number => Math.round(1000 * Math.max(0, Math.min(1, Number.isFinite(share) ? share : 0)));
  const line = limit === null || limit <= 0 || limit >= 1 ? '' : html`<path class="limit" d="M${at(limit)} 0V24"/>`;
  return html`<svg class="bar${part > 0.9 ? ' over' : ''}" viewBox="0 0 1000 24" preserveAspectRatio="none" aria-hidden="true"><rect class="fill" width="${at(part)}" height="24"/>${line}</svg>`;
}

export function formatNumber(n: number): string {
  return n.toLocaleString('en');
}

/** Formats a time: `Fri 20 Nov 2026, 10:04 UTC`; invalid input is returned unchanged. @param at ISO 8601 UTC */
export function formatMoment(at: string): string {
  const time = /^\d{4}-\d{2}-\d{2}T(\d{2}:\d{2})/.exec(at)?.[1];
  return time === undefined ? at : `${formatDay(at)}, ${time} UTC`;
}
