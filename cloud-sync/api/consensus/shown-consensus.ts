import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '../../../src/domain/json';
import { isObject } from '../../../src/domain/json';
import type { MethodAnswer } from '../../../src/domain/results/estimates/comparison';
import { compareAnswers } from '../../../src/domain/results/estimates/comparison';
import type { PhotographFigure } from '../../../src/domain/results/photograph-figure';
import type { ComparedAnswers } from './consensus-work';
import type { PhotographDetail } from './photograph-figures';

/** Members of an analysis that show an answer, and nothing of the person. */
const ANSWER_MEMBERS = ['version', 'geobuf', 'geobuf_string', 'geojson', 'analysis', 'otherAnswers', 'coralCover'];

interface ConsensusRow {
  readonly imageId: string;
  readonly skill: number;
  readonly figure: PhotographFigure;
  readonly detail: PhotographDetail;
  /** Profiles by uid, for staff; else null. */
  readonly names: Readonly<Record<string, JsonObject>> | null;
  readonly analyses: readonly JsonObject[];
}

/**
 * Consensus of a photograph as it is read: analysts are A, B, C … in an order of this photograph alone, so that none can
 * be followed from one to the next. Staff also get who they are.
 */
export function consensusItem(item: JsonObject): JsonObject {
  const { imageId, skill, figure, detail, names, analyses } = item as unknown as ConsensusRow;
  const answers = new Map(analyses.map((analysis) => [uidOf(analysis), analysis]));
  const unread = new Map(detail.unread.map(({ analyst, reason }) => [analyst, reason]));
  const uids = [...new Set([...figure.analysts, ...unread.keys()])].sort((a, b) =>
    orderOf(imageId, a) < orderOf(imageId, b) ? -1 : 1,
  );
  const letters = new Map(uids.map((uid, index) => [uid, letterOf(index)]));
  const letter = (uid: string): string => letters.get(uid) ?? '?';
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
        .map(({ analyst, cover }) => ({ analyst: letter(analyst), cover }))
        .sort((a, b) => (a.analyst < b.analyst ? -1 : 1)),
    })),
    analysts: uids.map((uid) => ({
      analyst: letter(uid),
      ...(unread.has(uid) ? { unread: unread.get(uid) } : {}),
      answer: answerOf(answers.get(uid)),
      ...(names === null ? {} : { uid, name: names[uid]?.['name'] ?? null }),
    })),
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

function answerOf(analysis: JsonObject | undefined): JsonObject {
  return Object.fromEntries(
    ANSWER_MEMBERS.flatMap((name): [string, Json][] =>
      analysis?.[name] === undefined ? [] : [[name, analysis[name]]],
    ),
  );
}

function uidOf({ user }: JsonObject): string {
  const uid = isObject(user) ? user['uid'] : undefined;
  return typeof uid === 'string' ? uid : '';
}

const orderOf = (imageId: string, uid: string): string =>
  createHash('sha256').update(`${imageId} ${uid}`).digest('hex');

/** A to Z, then A1 … */
const letterOf = (index: number): string =>
  String.fromCharCode(65 + (index % 26)) + (index < 26 ? '' : String(Math.floor(index / 26)));
