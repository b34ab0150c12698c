import { answerSheet } from '../../../../src/imaging/consensus/answer-sheet';
import { parseOutlines } from '../../../../src/domain/analysis/labelling/outline-collection';
import type { AnswerSheet } from '../../../../src/domain/consensus/answer-sheet';
import type { Ballot, PictureSize } from '../../../../src/domain/consensus/ballot';
import type { PhotographConsensus } from '../../../../src/domain/consensus/photograph-consensus';
import { photographConsensus } from '../../../../src/domain/consensus/photograph-consensus';
import { modelBallot, readBallot } from '../../../../src/domain/consensus/read-ballot';
import { couldNameRubble } from '../../../../src/domain/consensus/rubble-choice';
import type { SkillModel, SkillPhotograph } from '../../../../src/domain/consensus/skill';
import { INITIAL_SKILL, estimateSkill } from '../../../../src/domain/consensus/skill';
import type { JsonObject } from '../../../../src/domain/json';
import type { MethodAnswer } from '../../../../src/domain/results/estimates/comparison';
import { isObject } from '../../../../src/domain/json';

/** Analysis that does not count, with the reason. */
interface UnreadAnalysis {
  readonly analysisId: string;
  readonly analyst: string;
  readonly reason: string;
}

/** Photograph whose consensus is requested. */
export interface PhotographRequest {
  readonly kind: 'photograph';
  /** Size in px; null if the record does not contain it. */
  readonly picture: PictureSize | null;
  /** Analyses, one a person, JSON. */
  readonly analyses: readonly string[];
  /** Outlines of a model with its labels, JSON; null without. */
  readonly model: string | null;
}

/** Answers on the same photograph by experts, the model and all others (2§1); null without one. */
export interface ComparedAnswers {
  readonly expert: MethodAnswer | null;
  readonly model: MethodAnswer | null;
  readonly citizens: MethodAnswer | null;
}

export interface PhotographAnswer {
  readonly kind: 'photograph';
  readonly consensus: PhotographConsensus;
  readonly sheet: AnswerSheet;
  readonly compared: ComparedAnswers;
  readonly unread: readonly UnreadAnalysis[];
}

export type ThreadRequest =
  | PhotographRequest
  /** Skill under which photographs are computed from now on. */
  | { readonly kind: 'use-skill'; readonly skill: SkillModel }
  /** Photographs for the next estimate, added to those before. */
  | { readonly kind: 'add-sheets'; readonly photographs: readonly SkillPhotograph[] }
  /** Estimates skill from the added photographs, and forgets them. */
  | { readonly kind: 'estimate'; readonly version: number };

export type ThreadAnswer =
  | PhotographAnswer
  | { readonly kind: 'use-skill' }
  | { readonly kind: 'add-sheets' }
  | { readonly kind: 'estimate'; readonly skill: SkillModel }
  | { readonly kind: 'failed'; readonly why: string };

/** Work of the thread: pure rules, with the skill and the sheets that it was sent. */
export class ConsensusWork {
  #skill: SkillModel = INITIAL_SKILL;
  #photographs: SkillPhotograph[] = [];

  /** Never throws: a mistake is an answer, so that the thread lives. */
  answer(request: ThreadRequest): ThreadAnswer {
    try {
      return this.#answer(request);
    } catch (error) {
      return { kind: 'failed', why: error instanceof Error ? error.message : String(error) };
    }
  }

  #answer(request: ThreadRequest): ThreadAnswer {
    switch (request.kind) {
      case 'photograph':
        return computePhotograph(request, this.#skill);
      case 'use-skill':
        this.#skill = request.skill;
        return { kind: 'use-skill' };
      case 'add-sheets':
        this.#photographs.push(...request.photographs);
        return { kind: 'add-sheets' };
      case 'estimate': {
        const photographs = this.#photographs;
        this.#photographs = [];
        return { kind: 'estimate', skill: estimateSkill(photographs, { version: request.version }) };
      }
    }
  }
}

function computePhotograph({ picture, analyses, model }: PhotographRequest, skill: SkillModel): PhotographAnswer {
  const records = analyses.map((analysis) => JSON.parse(analysis) as JsonObject);
  const times = new Map(records.map((record) => [record['id'], timeTaken(record)]));
  const read = records.map((record) => readBallot(record, picture));
  const ballots = read.filter((each) => each.kind === 'ballot');
  const unread = read.flatMap((each) =>
    each.kind === 'unreadable' ? [{ analysisId: each.analysisId, analyst: each.analyst, reason: each.reason }] : [],
  );
  const sheet = answerSheet(ballots);
  const together = (some: readonly Ballot[]): MethodAnswer | null => {
    if (some.length === 0) return null;
    const { shares, isBad } = photographConsensus(answerSheet(some), skill);
    const known = some.flatMap(({ analysisId }) => times.get(analysisId) ?? []);
    const mean = known.reduce((sum, time) => sum + time, 0) / known.length;
    return isBad ? null : { shares, timeTaken: known.length === 0 ? null : mean };
  };
  const experts = ballots.filter(({ isExpert }) => isExpert);
  const modelBallots = modelBallotsOf(model);
  const isCompared = experts.length > 0;
  return {
    kind: 'photograph',
    consensus: { ...photographConsensus(sheet, skill), ...(couldNameRubble(ballots) ? { hasRubble: true } : {}) },
    sheet,
    compared: {
      expert: together(experts),
      model: isCompared ? together(modelBallots) : null,
      citizens: isCompared ? together(ballots.filter(({ isExpert }) => !isExpert)) : null,
    },
    unread,
  };
}

/** The model's labels as a ballot; none if its outlines have no labels. */
function modelBallotsOf(model: string | null): readonly Ballot[] {
  const parsed = model === null ? undefined : parseOutlines(JSON.parse(model));
  if (parsed?.kind !== 'outlines') return [];
  const ballot = modelBallot(parsed.set);
  const { answer } = ballot;
  return answer.kind === 'outlines' && answer.outlines.some(({ cover }) => cover !== null) ? [ballot] : [];
}

/** Time of all sessions on a photograph, ms (2§3 "sessions [{startTime, endTime, timeTaken}]"); null if unknown. */
function timeTaken({ stats }: JsonObject): number | null {
  const sessions = isObject(stats) ? stats['sessions'] : undefined;
  if (!Array.isArray(sessions) || sessions.length === 0) return null;
  return sessions.reduce<number>((sum, session) => {
    const seconds = isObject(session) ? session['timeTaken'] : undefined;
    return sum + (typeof seconds === 'number' && seconds > 0 ? 1000 * seconds : 0);
  }, 0);
}
