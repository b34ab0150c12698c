import type { ImageId, Sha256, SurveyId } from '../../../domain/ids';
import type { HintInput, PhotographHint } from '../../../domain/image/hints';
import { hintsOf } from '../../../domain/image/hints';
import type { ImagePosition } from '../../../domain/image/image';
import { imagePositionSchema } from '../../../domain/image/image';
import { byOrder, orderOf } from '../../../domain/image/order';
import { qualitySchema } from '../../../domain/image/quality';
import type { JsonObject } from '../../../domain/json';
import { isObject } from '../../../domain/json';
import type { CameraClock } from '../../../domain/survey/camera-clock';
import { cameraName, clockFor, correctedUtc, parseClocks, readingMs } from '../../../domain/survey/camera-clock';
import type { ReadDoc } from '../../db/read-model';
import type { Custody } from '../../sync/custody/custody';
import { isJsonEqual } from '../../../base/observable';
import type { RepositoryContext } from '../repository-context';
import { custodyOfDocument, textOr } from '../repository-context';

export interface PhotographView {
  readonly id: ImageId;
  readonly surveyId: SurveyId;
  readonly name: string;
  readonly sha256: Sha256;
  readonly bytes: number;
  readonly type: string;
  /** Capture time, ISO 8601, if the file has one. */
  readonly takenAt: string | null;
  /** Camera's reading, and UTC (ISO 8601) by camera clock or zone in the file; null if unknown. */
  readonly taken: { readonly camera: string | null; readonly utc: string | null };
  readonly camera: { readonly make?: string; readonly model?: string } | null;
  readonly position: ImagePosition | null;
  /** Possible problems, unless a person keeps it as it is. */
  readonly hints: readonly PhotographHint[];
  /** `elsewhere`: added on another tablet; the bytes are not here. */
  readonly preview: 'here' | 'none' | 'elsewhere';
  /** True if its full size was freed here and is ashore; the preview stays. */
  readonly freed: boolean;
  readonly custody: Custody;
  readonly conflicts: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly doc: JsonObject;
}

/** Facts of a document alone, computed once per state. */
interface ReadPhotograph {
  readonly id: string;
  readonly order: string;
  readonly hintInput: HintInput;
  readonly document: ReadDoc;
}

const readCache = new WeakMap<ReadDoc, ReadPhotograph>();
/** Keeps unchanged views identical, so that they are not rendered again. */
const viewCache = new WeakMap<ReadDoc, PhotographView>();

export function photographViews(
  parts: RepositoryContext,
  surveyId: SurveyId,
  images: readonly ReadDoc[],
  surveys: readonly ReadDoc[],
): PhotographView[] {
  const clocks = parseClocks(surveys[0]?.doc['cameraClocks']);
  const sorted = images.map(readPhotograph).sort(byOrder);
  const hints = hintsOf(sorted.map(({ hintInput }) => hintInput));
  return sorted.map(({ document, hintInput }) => {
    const view = photographView(parts, document, surveyId, clocks, hints.get(hintInput.id) ?? NO_HINTS);
    const before = viewCache.get(document);
    if (before !== undefined && isSame(before, view)) return before;
    viewCache.set(document, view);
    return view;
  });
}

export function sortByOrder(images: readonly ReadDoc[]): ReadDoc[] {
  return images
    .map(readPhotograph)
    .sort(byOrder)
    .map(({ document }) => document);
}

const NO_HINTS: readonly PhotographHint[] = [];

function readPhotograph(document: ReadDoc): ReadPhotograph {
  const known = readCache.get(document);
  if (known !== undefined) return known;
  const { id, doc, createdAt } = document;
  const quality = qualitySchema.safeParse(doc['quality']);
  const taken = isObject(doc['meta']) ? textOr(doc['meta']['taken'], '') : '';
  const hintInput: HintInput = {
    id: id as ImageId,
    takenMs: readingMs(taken),
    quality: quality.success ? quality.data : null,
    keptAsIs: doc['keptAsIs'] === true || typeof doc['boxClock'] === 'string',
  };
  const made = { id, order: orderOf({ ...doc, id, createdAt }), hintInput, document };
  readCache.set(document, made);
  return made;
}

/** True if the facts from outside the document are equal. */
function isSame(a: PhotographView, b: PhotographView): boolean {
  return (
    a.preview === b.preview &&
    a.freed === b.freed &&
    a.taken.utc === b.taken.utc &&
    isJsonEqual(a.custody, b.custody) &&
    isJsonEqual(a.hints, b.hints)
  );
}

function cameraOf(doc: JsonObject): PhotographView['camera'] {
  const meta = isObject(doc['meta']) ? doc['meta'] : {};
  const camera = isObject(meta['camera']) ? meta['camera'] : {};
  const make = textOr(camera['make'], undefined);
  const model = textOr(camera['model'], undefined);
  return make === undefined && model === undefined
    ? null
    : { ...(make === undefined ? {} : { make }), ...(model === undefined ? {} : { model }) };
}

/** Camera's reading, and the same time in UTC. */
export function takenOf(doc: JsonObject, clocks: readonly CameraClock[]): PhotographView['taken'] {
  const meta = isObject(doc['meta']) ? doc['meta'] : {};
  const camera = textOr(meta['taken'], null);
  return { camera, utc: correctedUtc(camera, clockFor(clocks, cameraName(cameraOf(doc)))) };
}

/** Position in a record; null for none or one that is not valid. */
export function positionOf(doc: JsonObject): ImagePosition | null {
  const read = imagePositionSchema.safeParse(doc['position']);
  return read.success ? read.data : null;
}

function photographView(
  parts: RepositoryContext,
  { id, doc, conflicts, createdAt, updatedAt }: ReadDoc,
  surveyId: SurveyId,
  clocks: readonly CameraClock[],
  hints: readonly PhotographHint[],
): PhotographView {
  const sha256 = textOr(doc['sha256'], '') as Sha256;
  const here = parts.opIndex.hasBytes(sha256);
  const freed = !here && parts.opIndex.wasFreed(sha256);
  const made = doc['preview'] === 'made' ? 'here' : 'none';
  const taken = takenOf(doc, clocks);
  return {
    id: id as ImageId,
    surveyId,
    name: textOr(doc['path'], id),
    sha256,
    bytes: typeof doc['bytes'] === 'number' ? doc['bytes'] : 0,
    type: textOr(doc['type'], ''),
    takenAt: taken.camera,
    taken,
    camera: cameraOf(doc),
    position: positionOf(doc),
    hints,
    preview: here || freed ? made : 'elsewhere',
    freed,
    custody: custodyOfDocument(parts, 'image', id),
    conflicts: conflicts.length,
    createdAt,
    updatedAt,
    doc,
  };
}
