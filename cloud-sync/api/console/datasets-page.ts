import { formatCount } from '../../../src/base/plural';
import type { Dataset } from '../../../src/domain/dataset/dataset';
import type { RegionId } from '../../../src/domain/region/region-id';
import { REGION_LIST, REGIONS } from '../../../src/domain/region/regions';
import type { Theme } from '../../../src/domain/theme';
import { html, type Html, type HtmlValue } from '../../../src/server/pages/html';
import { page } from '../../../src/server/pages/page';
import { formatNumber, note, table } from '../../../src/server/pages/page-parts';
import type { StoredImport } from '../region-data/map-imports';
import { importSection } from './import-section';

/** Dataset with what is computed over it. */
export type ListedDataset = Dataset & { readonly censusYear?: string };

type NamedDataset = Pick<Dataset, 'id' | 'shortName'>;

interface DatasetsPage {
  readonly regionId: RegionId;
  readonly datasets: readonly ListedDataset[];
  readonly deleted: readonly Dataset[];
  readonly lastImport: StoredImport | null;
  /** Outcome of the last action. */
  readonly done: string | null;
  /** Dataset that the last action deleted. */
  readonly undo: NamedDataset | null;
  /** Reason that the last action was not done. */
  readonly problem: { readonly message: string; readonly reason: string | null } | null;
  readonly theme: Theme;
}

export function datasetsPage(shown: DatasetsPage): Html {
  const { regionId, datasets, deleted, lastImport, done, undo, problem, theme } = shown;
  const { regionName } = REGIONS[regionId];
  const regions = REGION_LIST.filter((region) => region.regionId !== regionId).map(
    (region) =>
      html`<a class="button line" href="/console/datasets?region=${region.regionId}">${region.regionName}</a>`,
  );
  return page(
    `Datasets of ${regionName}`,
    html`<div class="first"><p class="lead">${formatCount(datasets.length, 'dataset')}. Surveys are in a dataset by their day, or because they were linked. Counts are of public surveys.</p><p class="actions">${regions}<a class="button line" href="/console">Back to the fleet</a></p></div>
${problem === null ? '' : note('look', html`<p>${problem.message}</p>${problem.reason === null ? '' : html`<p>${problem.reason}</p>`}`, 'alert')}
${done === null ? '' : note('good', html`<p>${done}</p>${undo === null ? '' : restoreForm(regionId, undo, 'Undo')}`)}
<section class="card" aria-labelledby="datasets"><h2 id="datasets">Datasets</h2>${datasets.length === 0 ? html`<p class="small">None yet.</p>` : datasetsTable(regionId, datasets)}</section>
${deleted.length === 0 ? '' : deletedSection(regionId, deleted)}
<section class="card" aria-labelledby="create"><h2 id="create">Create a dataset</h2>${createForm(regionId)}</section>
<section class="card" aria-labelledby="import"><h2 id="import">Imported map</h2>${importSection(regionId, lastImport)}</section>`,
    { of: 'Great Reef Census, ashore', theme },
  );
}

function datasetsTable(regionId: RegionId, datasets: readonly ListedDataset[]): Html {
  return table(
    'datasets',
    [
      { head: 'Dataset' },
      { head: 'Year', kind: 'short' },
      { head: 'Days', kind: 'short' },
      { head: 'Surveys', kind: 'count' },
      { head: 'Images', kind: 'count' },
      { head: 'Change', kind: 'wide' },
    ],
    datasets.map((dataset) => [
      html`<b>${dataset.shortName}</b><br><span class="small">${dataset.name}, <span class="mono">${dataset.id}</span></span>`,
      dataset.censusYear ?? '',
      `${dataset.startDate} to ${dataset.endDate}`,
      formatNumber(dataset.stats.surveys),
      formatNumber(dataset.stats.images),
      html`<details><summary>Edit, link, count, delete</summary>${editForm(regionId, dataset)}${linkForm(regionId, dataset)}${commandForms(regionId, dataset)}</details>`,
    ]),
  );
}

function deletedSection(regionId: RegionId, deleted: readonly Dataset[]): Html {
  const rows = deleted.map((dataset) => [
    html`<b>${dataset.shortName}</b><br><span class="small">${dataset.name}, <span class="mono">${dataset.id}</span></span>`,
    `${dataset.startDate} to ${dataset.endDate}`,
    restoreForm(regionId, dataset, `Restore ${dataset.shortName}`),
  ]);
  return html`<section class="card" aria-labelledby="deleted"><h2 id="deleted">Deleted datasets</h2>${table(
    'deleted',
    [{ head: 'Dataset' }, { head: 'Days', kind: 'short' }, { head: 'Change' }],
    rows,
  )}</section>`;
}

function restoreForm(regionId: RegionId, dataset: NamedDataset, label: string): Html {
  return form('restore', regionId, hiddenId(dataset), label);
}

function createForm(regionId: RegionId): Html {
  return form(
    'create',
    regionId,
    html`${field('create', 'id', 'Id, for addresses and files', '', 60)}${fields('create', { name: '', shortName: '', startDate: '', endDate: '' })}`,
    'Create',
  );
}

function editForm(regionId: RegionId, dataset: ListedDataset): Html {
  return form(
    'edit',
    regionId,
    html`${hiddenId(dataset)}${fields(`edit-${dataset.id}`, dataset)}`,
    `Save ${dataset.shortName}`,
  );
}

function linkForm(regionId: RegionId, dataset: ListedDataset): Html {
  const id = `link-${dataset.id}`;
  const choice = html`<label for="${id}-remove"><input id="${id}-remove" name="remove" type="checkbox" value="yes"> Remove these links instead</label>`;
  return form(
    'link',
    regionId,
    html`${hiddenId(dataset)}${area(id, 'surveys', 'Ids of surveys, separated by blanks')}${area(id, 'features', 'Ids of reefs, separated by blanks')}${choice}`,
    `Link to ${dataset.shortName}`,
  );
}

function commandForms(regionId: RegionId, dataset: ListedDataset): Html {
  return html`${(
    [
      ['tag', 'Tag its surveys'],
      ['backfill', 'Count again'],
      ['delete', `Delete ${dataset.shortName}`],
    ] as const
  ).map(([action, label]) => form(action, regionId, hiddenId(dataset), label))}`;
}

/** Question before a deletion. */
export function sureToDelete(regionId: RegionId, dataset: { readonly id: string }): Html {
  return html`<p>Its surveys stay, but lose its tag, and its public files end. You can restore it here at any time.</p>${form('delete', regionId, html`${hiddenId(dataset)}<input type="hidden" name="sure" value="yes">`, 'Delete the dataset')}<p class="actions"><a class="button line" href="/console/datasets?region=${regionId}">Cancel</a></p>`;
}

function form(action: string, regionId: RegionId, content: HtmlValue, label: string): Html {
  return html`<form method="post" action="/console/datasets"><input type="hidden" name="do" value="${action}"><input type="hidden" name="region" value="${regionId}">${content}<p class="actions"><button class="button line">${label}</button></p></form>`;
}

function hiddenId({ id }: { readonly id: string }): Html {
  return html`<input type="hidden" name="id" value="${id}">`;
}

function fields(
  prefix: string,
  { name, shortName, startDate, endDate }: Pick<Dataset, 'name' | 'shortName' | 'startDate' | 'endDate'>,
): Html {
  return html`${field(prefix, 'name', 'Name', name, 200)}${field(prefix, 'shortName', 'Short name', shortName, 40)}${field(prefix, 'startDate', 'First day', startDate, 10, 'date')}${field(prefix, 'endDate', 'Last day', endDate, 10, 'date')}`;
}

function field(prefix: string, name: string, label: string, value: string, max: number, type = 'text'): Html {
  return html`<label for="${prefix}-${name}">${label}</label><input id="${prefix}-${name}" name="${name}" type="${type}" value="${value}" maxlength="${String(max)}" required autocomplete="off">`;
}

function area(prefix: string, name: string, label: string): Html {
  return html`<label for="${prefix}-${name}">${label}</label><input id="${prefix}-${name}" name="${name}" maxlength="15000" autocomplete="off">`;
}
