import type { Observable, TraceImage } from '../../../src/data/repositories';
import type { FreeDrawResult } from '../../../src/data/repositories/analysis/types';
import type { QueryResult } from '../../../src/data/repositories/live';
import type { FreeDrawMark } from '../../../src/domain/analysis/free-draw/marks';
import { categoryClass } from '../../../src/domain/analysis/free-draw/categories';
import type { ImageId, SurveyId } from '../../../src/domain/ids';
import { closers } from './closers';
import type { Origin, TestTabletOptions } from './tablet';
import { newOrigin, openTestTablet, photograph, until } from './tablet';

/** Tablet with photographs to trace; closed after each test. */
export const plating = categoryClass('reef_hardcoral_plating', 'live')!;
export const water = categoryClass('background_water')!;
export const ANA = { email: 'ana@example.org', name: { first: 'Ana', last: 'Reef' } };
export const draft = {
  name: 'Agincourt',
  date: '2026-11-20',
  type: 'scuba' as const,
  location: { id: 'reef-16-071', regionId: 'gbr' as const, name: 'Agincourt' },
};

export type Opened = Awaited<ReturnType<typeof openTestTablet>>;

export async function open(
  origin: Origin = newOrigin(),
  database?: string,
  options: TestTabletOptions = {},
): Promise<Opened> {
  const tablet = await openTestTablet({ ...options, origin, ...(database === undefined ? {} : { database }) });
  closers.push(() => tablet.close());
  return tablet;
}

export async function withPhotograph(
  tablet: Opened,
  n = 1,
): Promise<{ surveyId: SurveyId; ids: ImageId[]; image: TraceImage }> {
  const {
    account: { people },
    census: { surveys, images, analyses },
  } = tablet.repositories;
  if (people.current.get() === null) await people.createPending(ANA);
  const surveyId = await surveys.add(draft);
  const ids: ImageId[] = [];
  for (let i = 0; i < n; i++) ids.push((await images.addPhotograph(photograph(i + 1, 4000, `G${i}.JPG`), surveyId)).id);
  return { surveyId, ids, image: await analyses.image(surveyId, ids[0]!) };
}

export const stroke = (n: number, paints: FreeDrawMark['paints'] = plating): FreeDrawMark => ({
  kind: 'stroke',
  since: 1000 + n,
  paints,
  points: [
    [0, n / 10_000],
    [0.25, 0.5],
    [0.5, 0.12345],
    [1, 1],
  ],
});
export const result = (
  image: TraceImage,
  marks: readonly FreeDrawMark[],
  more: Partial<FreeDrawResult> = {},
): FreeDrawResult => ({
  image,
  analysisId: null,
  version: 3,
  marks,
  width: 4000,
  height: 3000,
  stats: { coverage: 0.5, categories: [] },
  preview: null,
  ...more,
});

export async function items<Item>(
  live: Observable<QueryResult<Item>>,
  enough: (items: readonly Item[]) => boolean,
): Promise<readonly Item[]> {
  const stop = live.subscribe(() => undefined);
  try {
    return await until(() => {
      const read = live.get();
      return read.status === 'ready' && enough(read.items) ? read.items : undefined;
    }, 'the list');
  } finally {
    stop();
  }
}

export const analysisOps = (tablet: Opened) =>
  [...tablet.context.opIndex.entries.values()].filter(({ kind }) => kind === 'analysis');
