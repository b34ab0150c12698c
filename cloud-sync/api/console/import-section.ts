import { formatCount } from '../../../src/base/plural';
import type { RegionId } from '../../../src/domain/region/region-id';
import { html, type Html } from '../../../src/server/pages/html';
import { formatMoment, formatNumber, table } from '../../../src/server/pages/page-parts';
import { exampleCommand, IMPORT_OPTIONS } from '../../region-import/import-options';
import type { StoredImport } from '../region-data/map-imports';

/** Report of a region's last import, and the command for the next one. */
export function importSection(regionId: RegionId, lastImport: StoredImport | null): Html {
  return html`${lastImport === null ? html`<p>Nothing was imported yet.</p>` : importReport(lastImport)}${commandHelp(regionId)}`;
}

function importReport({ at, by, layers }: StoredImport): Html {
  const rows = layers.map(({ layer, imported, left, lines }) => [
    html`<b>${layer}</b>`,
    formatNumber(imported),
    formatNumber(left),
    lines.length === 0
      ? ''
      : html`<details><summary>${formatCount(lines.length, 'line')}</summary><pre class="small">${lines.join('\n')}</pre></details>`,
  ]);
  return html`<p>Last import ${formatMoment(at)}, by ${by}.</p>${table(
    'import',
    [
      { head: 'Layer' },
      { head: 'Imported', kind: 'count' },
      { head: 'Left out', kind: 'count' },
      { head: 'Report', kind: 'wide' },
    ],
    rows,
  )}`;
}

function commandHelp(regionId: RegionId): Html {
  const rows = IMPORT_OPTIONS.map(({ option, layer, content }) => [
    html`<span class="mono">${option}</span>`,
    html`<span class="mono">${layer}</span>`,
    content,
  ]);
  return html`<h3>Import a map</h3><p>Run this where the service runs, in the folder of the project. Each layer replaces what it had, and needs its attribution; what cannot be used is left out and listed here.</p><pre>${exampleCommand(regionId)}</pre><details><summary>All options</summary>${table(
    'options',
    [{ head: 'Option' }, { head: 'Attribution of', kind: 'short' }, { head: 'Content', kind: 'wide' }],
    rows,
  )}</details>`;
}
