import { formatCount } from '../../../src/base/plural';
import type { RegionId } from '../../../src/domain/region/region-id';
import { REGION_LIST, REGIONS } from '../../../src/domain/region/regions';
import { CLASS_LABELS } from '../../../src/domain/results/bands';
import { COVER_CLASSES } from '../../../src/domain/results/cover';
import type { AnswerComparison, MethodComparison } from '../../../src/domain/results/estimates/comparison';
import type { Theme } from '../../../src/domain/theme';
import { html, type Html } from '../../../src/server/pages/html';
import { page } from '../../../src/server/pages/page';
import { formatNumber, note, table } from '../../../src/server/pages/page-parts';

interface FiguresPage {
  readonly regionId: RegionId;
  readonly broken: readonly { readonly imageId: string; readonly why: string }[];
  readonly comparison: AnswerComparison;
  /** Outcome of the last action. */
  readonly done: string | null;
  readonly theme: Theme;
}

/** Figures of the census for staff: three methods compared (2§1), photographs that cannot be computed, skill. */
export function figuresPage({ regionId, broken, comparison, done, theme }: FiguresPage): Html {
  const { regionName } = REGIONS[regionId];
  const regions = REGION_LIST.filter((region) => region.regionId !== regionId).map(
    (region) => html`<a class="button line" href="/console/figures?region=${region.regionId}">${region.regionName}</a>`,
  );
  return page(
    `Figures of ${regionName}`,
    html`<div class="first"><p class="lead">Consensus of analysts, computed as analyses arrive. The method is described on <a href="/methodology">the page about the method</a>.</p><p class="actions">${regions}<a class="button line" href="/console">Back to the fleet</a></p></div>
${done === null ? '' : note('good', html`<p>${done}</p>`)}
<section class="card" aria-labelledby="compared"><h2 id="compared">Experts, model and citizens</h2><p class="small">On photographs that an expert analysed. Positive bias: more than the experts. Error: root of the mean squared difference. Both in percentage points of a picture.</p>${comparisonTable(comparison)}</section>
<section class="card" aria-labelledby="broken"><h2 id="broken">Photographs that cannot be computed</h2>${brokenSection(regionId, broken)}</section>
<section class="card" aria-labelledby="skill"><h2 id="skill">Skill of analysts</h2><p>Estimated again each night. All figures are computed again with a new version.</p>${form('renew', regionId, 'Estimate skill now')}</section>`,
    { of: 'Great Reef Census, ashore', theme },
  );
}

function comparisonTable({ model, citizens }: AnswerComparison): Html {
  if (model === null && citizens === null)
    return html`<p>No photograph of this region was analysed by an expert and another yet.</p>`;
  const methods = [
    ['Model', model],
    ['Citizens', citizens],
  ] as const;
  const cells = (text: (method: MethodComparison) => string): readonly string[] =>
    methods.map(([, method]) => (method === null ? 'none yet' : text(method)));
  return table(
    'compared',
    [{ head: 'Class' }, ...methods.map(([head]) => ({ head, kind: 'short' as const }))],
    [
      ...COVER_CLASSES.map((cover) => [
        html`<b>${CLASS_LABELS[cover]}</b>`,
        ...cells(({ byClass }) => `bias ${signed(byClass[cover].bias)}, error ${byClass[cover].error.toFixed(1)}`),
      ]),
      [html`<b>Match with experts</b>`, ...cells(({ matchPercent }) => `${matchPercent.toFixed(0)}% of a picture`)],
      [html`<b>Time a photograph</b>`, ...cells(timeText)],
      [html`<b>Photographs</b>`, ...cells(({ photographs }) => formatNumber(photographs))],
    ],
  );
}

const signed = (points: number): string => `${points < 0 ? '−' : '+'}${Math.abs(points).toFixed(1)}`;

function timeText({ timeTaken, expertTimeTaken }: MethodComparison): string {
  const seconds = (time: number | null): string => (time === null ? 'unknown' : `${(time / 1000).toFixed(0)} s`);
  return `${seconds(timeTaken)}, experts ${seconds(expertTimeTaken)}`;
}

function brokenSection(regionId: RegionId, broken: FiguresPage['broken']): Html {
  if (broken.length === 0) return html`<p>None. Photographs listed here do not hold up any others.</p>`;
  return html`<p>${formatCount(broken.length, 'photograph')}. Their figures do not change, and no one is asked to analyse them. All others count.</p>${table(
    'broken',
    [{ head: 'Photograph' }, { head: 'Reason', kind: 'wide' }],
    broken.map(({ imageId, why }) => [html`<span class="mono">${imageId}</span>`, why]),
  )}${form('retry', regionId, 'Compute them again')}`;
}

function form(action: 'renew' | 'retry', regionId: RegionId, label: string): Html {
  return html`<form method="post" action="/console/figures"><input type="hidden" name="do" value="${action}"><input type="hidden" name="region" value="${regionId}"><p class="actions"><button class="button line">${label}</button></p></form>`;
}
