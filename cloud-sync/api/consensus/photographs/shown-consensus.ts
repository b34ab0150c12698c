import { createHash } from 'node:crypto';
import { answerRecord } from '../../../../src/domain/analysis/answer-record';
import type { JsonObject } from '../../../../src/domain/json';
import { isObject } from '../../../../src/domain/json';
import type { MethodAnswer } from '../../../../src/domain/results/estimates/comparison';
import { compareAnswers } from '../../../../src/domain/results/estimates/comparison';
import { compareText } from '../../../../src/domain/results/estimates/survey-estimate';
import type { PhotographFigure } from '../../../../src/domain/results/photograph-figure';
import type { ComparedAnswers } from '../thread/consensus-work';
import type { PhotographDetail } from './photograph-figures';

interface ConsensusRow {
  readonly imageId: string;
  readonly skill: number;
  readonly figure: PhotographFigure;
  readonly detail: PhotographDetail;
  /** Profiles by uid, for staff; else null. */
  readonly names: Readonly<Record<string, JsonObject>> | null;
  readonly analyses: readonly JsonObject[];
  /** Uids in the order in which their first analysis of the photograph arrived, also of those who deleted theirs. */
  readonly arrivals: readonly string[];
}

/** Analyst of a photograph as readers know one. */
interface ShownAnalyst {
  readonly uid: string;
  readonly letter: string;
  /** Address of the answer on this photograph; null if the analysis is no longer there. */
  readonly answerId: string | null;
  /** Reason that the answer counts in no cover. */
  readonly unread: string | undefined;
  readonly analysis: JsonObject | undefined;
}

/**
 * Consensus of a photograph as it is read: analysts are A, B, C … in the order in which they came to this photograph, so
 * that a letter stays with its analyst. Staff also get who they are.
 */
export function consensusItem(item: JsonObject): JsonObject {
  const row = item as unknown as ConsensusRow;
  const { imageId, skill, figure, detail } = row;
  const analysts = analystsOf(row);
  const letters = new Map(analysts.map(({ uid, letter }) => [uid, letter]));
  return toJson({
    imageId,
    skill,
    shares: figure.shares,
    variances: figure.variances,
    agreement: figure.agreement,
    isBad: figure.isBad,
    badProbability: detail.badProbability,
    places: detail.places.map((place) => ({
      ...place,
      answers: place.answers
        .map(({ analyst, cover }) => ({ analyst: letters.get(analyst) ?? '?', cover }))
        .sort((a, b) => (a.analyst < b.analyst ? -1 : 1)),
    })),
    analysts: analysts.map((analyst) => ({ ...shown(analyst, row), answerId: analyst.answerId })),
  });
}

/**
 * One answer behind the consensus of a photograph, with its strokes or outlines; what could tell its author is left out.
 * Null if the photograph has no such answer.
 */
export function answerItem(item: JsonObject): JsonObject | null {
  const row = item as unknown as ConsensusRow & { readonly answerId: string };
  const analyst = analystsOf(row).find(({ answerId }) => answerId === row.answerId);
  if (analyst?.analysis === undefined) return null;
  const { record, hidden } = answerRecord(analyst.analysis);
  return toJson({ imageId: row.imageId, answerId: row.answerId, ...shown(analyst, row), record, hidden });
}

function shown({ uid, letter, unread }: ShownAnalyst, { names }: ConsensusRow): object {
  return {
    analyst: letter,
    ...(unread === undefined ? {} : { unread }),
    ...(names === null ? {} : { uid, name: names[uid]?.['name'] ?? null }),
  };
}

/**
 * Analysts of a photograph by letter. A letter is that of a person's first analysis: it is no one else's once it is
 * deleted. Addresses of answers are hashes of the analyses' ids, which readers do not get: a hash of people's ids could be
 * tried with each id that someone knows.
 */
function analystsOf({ imageId, figure, detail, analyses, arrivals }: ConsensusRow): readonly ShownAnalyst[] {
  const byUid = new Map(analyses.map((analysis) => [uidOf(analysis), analysis]));
  const unread = new Map(detail.unread.map(({ analyst, reason }) => [analyst, reason]));
  const counted = [...new Set([...figure.analysts, ...unread.keys()])].sort(compareText);
  const places = new Map([...new Set([...arrivals, ...counted])].map((uid, place) => [uid, place]));
  return counted
    .map((uid) => ({ uid, place: places.get(uid) ?? 0 }))
    .sort((a, b) => a.place - b.place)
    .map(({ uid, place }) => {
      const analysis = byUid.get(uid);
      const answerId = answerIdOf(imageId, analysis);
      return { uid, letter: letterOf(place), analysis, unread: unread.get(uid), answerId };
    });
}

/** Comparison of experts, model and citizens by class. */
export function compareGroups(item: JsonObject): JsonObject {
  const rows = item['photographs'] as unknown as readonly { imageId: string; compared: ComparedAnswers }[];
  const answersOf = (group: keyof ComparedAnswers): ReadonlyMap<string, MethodAnswer> =>
    new Map(
      rows.flatMap(({ imageId, compared }) => {
        const answer = compared[group];
        return answer === null ? [] : [[imageId, answer] as const];
      }),
    );
  return toJson(compareAnswers(answersOf('expert'), answersOf('model'), answersOf('citizens')));
}

/** Plain data as JSON; undefined members are left out. */
const toJson = (value: object): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;

function uidOf({ user }: JsonObject): string {
  const uid = isObject(user) ? user['uid'] : undefined;
  return typeof uid === 'string' ? uid : '';
}

/** Digits of an address: no two answers of a photograph share one. */
const ADDRESS_DIGITS = 20;

function answerIdOf(imageId: string, analysis: JsonObject | undefined): string | null {
  const id = analysis?.['id'];
  if (typeof id !== 'string' || id === '') return null;
  return createHash('sha256').update(`${imageId} ${id}`).digest('hex').slice(0, ADDRESS_DIGITS);
}

/** A to Z, then A1 … */
const letterOf = (index: number): string =>
  String.fromCharCode(65 + (index % 26)) + (index < 26 ? '' : String(Math.floor(index / 26)));
