import { toBase64 } from '../base64';
import { encodeGeobuf } from '../geobuf/encode';
import type { JsonObject } from '../json';
import { isObject } from '../json';
import type { AnalysisId, ImageId, PersonId, SurveyId } from '../ids';
import { expertFormBody, readExpertForm, readStats } from './free-draw/expert-form';
import { colourOf } from './free-draw/colours';
import type { FreeDrawMark } from './free-draw/marks';
import { tracesOf } from './free-draw/marks';
import { readFreeDraw, statsJson } from './free-draw/record';
import type { LabelLogs } from './labelling/label-marks';
import { labelRecordBody, readLabelRecord } from './labelling/label-record';
import { readLabelCover } from './labelling/label-stats';
import { labellingOf } from './labelling/labelling';
import { recordVersion } from './record-head';

/** Answer of an analysis, without its author. */
interface AnswerRecord {
  /**
   * Record that the readers of analyses read: version, marks or outlines, answers, shares. Without what could tell who
   * made it or when: author, ids, times, sessions, preview, and members of other makers. Of a record that cannot be read,
   * the version, and the shares that were stored beside its strokes.
   */
  readonly record: JsonObject;
  /** Number of marks, labels and answers that this version does not have; they are not in `record`. */
  readonly hidden: number;
}

/** Answer of an analysis as other people may see it. Never throws. */
export function answerRecord(body: JsonObject): AnswerRecord {
  const version = recordVersion(body);
  const named: JsonObject = Number.isFinite(version) ? { version } : {};
  const traces = readFreeDraw(body);
  if (traces.kind === 'free-draw') {
    const stats = readStats(body);
    return {
      record: {
        ...named,
        ...(traces.isForm ? {} : { geobuf: packedTraces(traces.marks, traces.size) }),
        ...(stats === null ? {} : { stats: statsJson(stats) }),
        ...formMember(body),
      },
      hidden: total(traces.unknown),
    };
  }
  const labels = traces.kind === 'other' ? readLabelRecord(body) : null;
  if (labels?.kind !== 'labels') {
    const stats = traces.kind === 'broken' ? readStats(body) : null;
    return {
      record: { ...named, ...(stats === null || stats.categories.length === 0 ? {} : { stats: statsJson(stats) }) },
      hidden: 0,
    };
  }
  const logs = withoutTimes(labels.logs);
  const whole = labelRecordBody({
    ...NO_PICTURE,
    id: '' as AnalysisId,
    savedAt: NO_TIME,
    author: { ...NO_AUTHOR, domain: null, loc: null },
    set: labels.set,
    state: labellingOf(labels.version, labels.set.outlines, logs),
    logs,
    cover: {},
    sessions: [],
    eventTags: [],
    preview: null,
    previous: null,
  });
  const shown = Object.entries(whole).filter(([name]) => !HEAD.includes(name));
  return {
    record: {
      ...named,
      ...Object.fromEntries(shown),
      stats: { ...coverageMember(body), steps: { labels: { categories: { ...readLabelCover(body) } } } },
    },
    hidden: total(labels.unknown),
  };
}

const NO_TIME = '1970-01-01T00:00:00.000Z';
const NO_PICTURE = {
  image: { id: '' as ImageId, path: null, user: null },
  survey: { id: '' as SurveyId, name: '', regionId: null },
} as const;
const NO_AUTHOR = { uid: '' as PersonId, name: { first: '', last: '' }, isExpert: true, isVerified: false };
/** Members of a built labelling that describe its author, picture and times. */
const HEAD = ['id', 'version', 'updated', 'image', 'survey', 'sync', 'user', 'verified', 'stats', 'eventTags'];

/** Marks as geobuf, in their order, without their times. */
function packedTraces(
  marks: readonly FreeDrawMark[],
  size: { readonly width: number; readonly height: number } | null,
): string {
  const inOrder = marks.map((mark, since) => ({ ...mark, since }));
  const { width, height } = size ?? { width: 0, height: 0 };
  const facts = { savedAt: 0, imageId: '', survey: { id: '' }, width, height };
  return toBase64(encodeGeobuf(tracesOf(inOrder, facts, colourOf)));
}

/** Percentages of a form, without members of other makers. */
function formMember(body: JsonObject): JsonObject {
  const form = readExpertForm(body);
  if (form === null) return {};
  const { analysis } = expertFormBody({
    ...NO_PICTURE,
    id: '' as AnalysisId,
    savedAt: NO_TIME,
    author: NO_AUTHOR,
    form,
    previous: null,
  });
  return analysis === undefined ? {} : { analysis };
}

function coverageMember({ stats }: JsonObject): JsonObject {
  const coverage = isObject(stats) ? stats['coverage'] : undefined;
  return typeof coverage === 'number' ? { coverage } : {};
}

/** Logs in which the time of a mark is its position in the order. */
function withoutTimes(logs: LabelLogs): LabelLogs {
  return Object.fromEntries(
    Object.entries(logs).map(([step, { marks }]) => [
      step,
      { marks: marks.map((mark, since) => ({ ...mark, since })), undone: [] },
    ]),
  );
}

const total = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((a, b) => a + b, 0);
