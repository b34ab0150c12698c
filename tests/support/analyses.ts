import type { FreeDrawMark } from '../../src/domain/analysis/free-draw/marks';
import { expertFormBody } from '../../src/domain/analysis/free-draw/expert-form';
import { freeDrawBody, NO_PRESERVED_TRACES } from '../../src/domain/analysis/free-draw/record';
import type { LabelMark } from '../../src/domain/analysis/labelling/label-marks';
import { labelRecordBody } from '../../src/domain/analysis/labelling/label-record';
import { labelVersion } from '../../src/domain/analysis/labelling/label-versions';
import { labellingOf } from '../../src/domain/analysis/labelling/labelling';
import type { Outline, OutlineSet } from '../../src/domain/analysis/labelling/outline';
import { areaOf } from '../../src/domain/analysis/labelling/outline-geometry';
import type { Position } from '../../src/domain/geobuf/geojson';
import type { AnalysisId, ImageId, PersonId, SurveyId } from '../../src/domain/ids';
import type { JsonObject } from '../../src/domain/json';

/** Size of the pictures of these analyses, px. */
export const ANALYSED = { width: 2000, height: 1500 };

const PICTURE = {
  image: { id: 'Image00000000001' as ImageId, path: null, user: null },
  survey: { id: 'Survey0000000001' as SurveyId, name: 'Agincourt', regionId: 'gbr' },
};
const SAVED = '2026-11-20T00:01:00.000Z';
const author = (uid: string, isExpert: boolean) => ({
  uid: uid as PersonId,
  name: { first: 'Ana', last: 'Cruz' },
  isExpert,
  isVerified: false,
});

/** Closed rectangle, normalised. */
export const rectangle = (left: number, top: number, right: number, bottom: number): readonly Position[] => [
  [left, top],
  [right, top],
  [right, bottom],
  [left, bottom],
  [left, top],
];

/** Outline of a model. @param label the model's prediction */
export const predictedOutline = (id: string, label: string, ...rings: readonly (readonly Position[])[]): Outline => ({
  id,
  rings,
  area: areaOf(rings),
  predicted: { id, pixels: Math.round(areaOf(rings) * ANALYSED.width * ANALYSED.height), icon: label, label },
});

export const outlineSet = (outlines: readonly Outline[], size = ANALYSED): OutlineSet => ({
  source: 'model',
  model: 'gbr',
  ...size,
  outlines: [...outlines].sort((one, other) => other.area - one.area || (one.id < other.id ? -1 : 1)),
});

/** Reef with a hole, and sand: outlines `p1` and `p2`. */
export const REEF_AND_SAND = outlineSet([
  predictedOutline('p1', 'reef', rectangle(0, 0, 0.6, 0.6), rectangle(0.2, 0.2, 0.3, 0.3)),
  predictedOutline('p2', 'sand', rectangle(0.6, 0.6, 1, 1)),
]);

/** Body of a step-by-step analysis as the app saves it. @param labels label by outline id, or further marks */
export function labelBody(
  version: number,
  uid: string,
  set: OutlineSet,
  labels: Readonly<Record<string, string>>,
  further: readonly LabelMark[] = [],
): JsonObject {
  const marks: LabelMark[] = [
    ...further.filter(({ kind }) => kind === 'draw'),
    ...Object.entries(labels).map(([outline, label], index): LabelMark => ({
      kind: 'label',
      since: 1000 + index,
      outline,
      label,
    })),
    ...further.filter(({ kind }) => kind !== 'draw'),
  ];
  const logs = { labels: { marks, undone: [] } };
  const { isExpert } = labelVersion(version);
  return labelRecordBody({
    ...PICTURE,
    id: `Analysis${uid.slice(-8)}` as AnalysisId,
    savedAt: SAVED,
    author: { ...author(uid, isExpert), domain: null, loc: null },
    set,
    state: labellingOf(labelVersion(version), set.outlines, logs),
    logs,
    cover: {},
    sessions: [],
    eventTags: [],
    preview: null,
    previous: null,
  });
}

/** Body of a free-draw analysis as the app saves it. */
export const tracingBody = (
  version: 1 | 3,
  uid: string,
  marks: readonly FreeDrawMark[],
  size = ANALYSED,
  previous: JsonObject | null = null,
): JsonObject =>
  freeDrawBody({
    ...PICTURE,
    ...size,
    id: `Analysis${uid.slice(-8)}` as AnalysisId,
    version,
    savedAt: SAVED,
    author: author(uid, false),
    marks,
    stats: { coverage: 0, categories: [] },
    preview: null,
    previous,
    preserved: NO_PRESERVED_TRACES,
  });

/** Body of an expert's percentages as the app saves it. */
export const formBody = (uid: string, percent: Readonly<Record<string, number>>, isBadImage = false): JsonObject =>
  expertFormBody({
    ...PICTURE,
    id: `Analysis${uid.slice(-8)}` as AnalysisId,
    savedAt: SAVED,
    author: author(uid, true),
    form: { percent, dominantCoral: '', isBadImage },
    previous: null,
  });
