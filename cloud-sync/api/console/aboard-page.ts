import { pluralize } from '../../../src/base/plural';
import type { Theme } from '../../../src/domain/theme';
import { html, type Html } from '../../../src/server/pages/html';
import { page } from '../../../src/server/pages/page';
import type { AboardPhotograph } from '../images/previews';

interface AboardPage {
  readonly name: string;
  readonly theme: Theme;
  readonly photographs: readonly AboardPhotograph[];
  readonly total: number;
}

export function aboardPage({ name, theme, photographs, total }: AboardPage): Html {
  const surveys = new Map<string, AboardPhotograph[]>();
  for (const one of photographs) surveys.set(one.surveyId ?? '', [...(surveys.get(one.surveyId ?? '') ?? []), one]);
  const box = name === '' ? 'this box' : name;
  const lead =
    total === 0
      ? 'No previews here. Boxes send them ahead only over a slow link, and each is removed when its photograph is ashore.'
      : `Previews arrived for ${total === 1 ? 'one photograph' : `${total.toLocaleString('en')} photographs`} that ${pluralize(total, 'is', 'are')} still aboard. Each is removed when its photograph is ashore.${total > photographs.length ? ` The newest ${photographs.length} are shown.` : ''}`;
  return page(
    `Still aboard ${box}`,
    html`<p class="lead">${lead}</p>${[...surveys.values()].map(surveyCard)}<p class="actions"><a class="button" href="/console">Back to the fleet</a></p>`,
    { of: 'Great Reef Census, ashore', theme },
  );
}

function surveyCard(pictures: readonly AboardPhotograph[]): Html {
  const [first] = pictures;
  const title = [
    first?.reef ?? 'A survey that is not ashore yet',
    ...(first === undefined || first.date === null ? [] : [first.date]),
  ].join(', ');
  const items = pictures.map(({ sha256, madeAt }) => {
    const at = `${madeAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
    return html`<li><img src="/console/previews/${sha256}" alt="A photograph added ${at}" loading="lazy" width="160" height="120"><span class="small">${at}</span></li>`;
  });
  return html`<section class="card"><h2>${title}</h2><ul class="pictures">${items}</ul></section>`;
}
