import type pg from 'pg';
import type { SkillModel } from '../../../../src/domain/consensus/skill';
import type { PhotographFigure } from '../../../../src/domain/results/photograph-figure';
import { BrokenFigures } from '../queue/broken-figures';
import { ComputationError, ConsensusThread, ThreadBrokeError } from '../thread/consensus-thread';
import type { PhotographAnswer } from '../thread/consensus-work';
import type { FigureQueue, QueuedFigure } from '../queue/figure-queue';
import { queueFigures } from '../queue/figure-queue';
import { offerPhotograph, withdrawPhotographs } from './offered-photographs';
import type { PhotographInputs } from './photograph-inputs';
import { readPhotographInputs } from './photograph-inputs';
import type { SkillVersions } from '../skill/skill-versions';
import { holdSkill } from '../skill/skill-versions';

/** Computations that may fail, or end their thread or the service with it, before a photograph is set aside. */
const ATTEMPTS_MAX = 3;

interface PhotographFiguresOptions {
  readonly pool: pg.Pool;
  readonly queue: FigureQueue;
  readonly thread: ConsensusThread;
  readonly skills: SkillVersions;
  readonly isDemoMode: boolean;
  /** Photographs of a batch. */
  readonly batchSize: number;
}

/** Answers behind a figure, as `photograph_figures.detail` stores it. */
export type PhotographDetail = Pick<PhotographAnswer, 'compared' | 'unread'> &
  Pick<PhotographAnswer['consensus'], 'badProbability' | 'places'>;

/** Computes the consensus of photographs, each from its own answers and the present skill. */
export class PhotographFigures {
  readonly #options: PhotographFiguresOptions;
  readonly #broken: BrokenFigures;
  /** Version of the skill that the thread has. */
  #threadSkill: number | undefined;

  constructor(options: PhotographFiguresOptions) {
    this.#options = options;
    this.#broken = new BrokenFigures(options.pool);
  }

  /** Computes a photograph. @throws Error if it has to be tried again */
  async compute(queued: QueuedFigure): Promise<void> {
    const { pool, queue, skills, isDemoMode } = this.#options;
    const [imageId = ''] = queued.key;
    if (queued.attempts >= ATTEMPTS_MAX)
      return this.#setAside(queued, `its computation did not end ${ATTEMPTS_MAX} times`);
    const skill = await skills.current();
    const inputs = await readPhotographInputs(pool, imageId, isDemoMode);
    if (inputs === undefined) return this.#remove(queued, imageId);
    if (inputs.request.analyses.length === 0) return this.#storeUnanswered(queued, imageId, inputs);
    await this.#useSkill(skill);
    await queue.begin(queued);
    let answer: PhotographAnswer;
    try {
      answer = await this.#options.thread.run(inputs.request);
    } catch (error) {
      const why = failureReason(error);
      if (why === undefined) await queue.undo(queued);
      else if (queued.attempts + 1 >= ATTEMPTS_MAX) return this.#setAside(queued, why);
      // A new thread starts with the first skill.
      this.#threadSkill = undefined;
      throw error;
    }
    await this.#store(queued, imageId, inputs, answer);
  }

  /** Sends the thread the skill if it has another; a failure here is not a fault of the photograph. */
  async #useSkill(skill: SkillModel): Promise<void> {
    if (this.#threadSkill === skill.version) return;
    this.#threadSkill = undefined;
    await this.#options.thread.run({ kind: 'use-skill', skill });
    this.#threadSkill = skill.version;
  }

  async #store(
    queued: QueuedFigure,
    imageId: string,
    { surveyId, isOpen }: PhotographInputs,
    { consensus, sheet, compared, unread }: PhotographAnswer,
  ): Promise<void> {
    const { skillVersion, badProbability, places, ...cover } = consensus;
    const figure: PhotographFigure = { imageId, surveyId, ...cover };
    const detail: PhotographDetail = { badProbability, places, compared, unread };
    const facts = { people: sheet.analysts.length, hasExpert: sheet.isExpert.includes(true), isBad: consensus.isBad };
    await this.#options.queue.finish(
      queued,
      async (client) => {
        await this.#queueSurveys(client, imageId, surveyId);
        await client.query({
          name: 'figures-photograph-put',
          text: `INSERT INTO photograph_figures (image_id, survey_id, skill, figure, detail, sheet, people, has_expert, bad) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
               ON CONFLICT (image_id) DO UPDATE SET survey_id = excluded.survey_id, skill = excluded.skill, figure = excluded.figure, detail = excluded.detail,
                 sheet = excluded.sheet, people = excluded.people, has_expert = excluded.has_expert, bad = excluded.bad`,
          values: [
            imageId,
            surveyId,
            skillVersion,
            JSON.stringify(figure),
            JSON.stringify(detail),
            JSON.stringify(sheet),
            facts.people,
            facts.hasExpert,
            facts.isBad,
          ],
        });
        await client.query('DELETE FROM broken_figures WHERE image_id = $1', [imageId]);
        await this.#offer(client, imageId, isOpen, facts);
      },
      (client) => holdSkill(client, skillVersion),
    );
  }

  /** Removes the figure of a photograph without analyses, and offers it. */
  async #storeUnanswered(queued: QueuedFigure, imageId: string, { surveyId, isOpen }: PhotographInputs): Promise<void> {
    await this.#options.queue.finish(queued, async (client) => {
      await this.#deleteFigure(client, imageId, surveyId);
      await this.#offer(client, imageId, isOpen, { people: 0, hasExpert: false, isBad: false });
    });
  }

  async #remove(queued: QueuedFigure, imageId: string): Promise<void> {
    await this.#options.queue.finish(queued, async (client) => {
      await this.#deleteFigure(client, imageId);
      await withdrawPhotographs(client, [imageId]);
    });
  }

  async #deleteFigure(client: pg.ClientBase, imageId: string, surveyId?: string): Promise<void> {
    const { rowCount } = await client.query('SELECT FROM photograph_figures WHERE image_id = $1', [imageId]);
    if (rowCount === 0) return;
    await this.#queueSurveys(client, imageId, surveyId);
    await client.query('DELETE FROM photograph_figures WHERE image_id = $1', [imageId]);
  }

  /** Queues the survey of a photograph, and the one that it belonged to. */
  async #queueSurveys(client: pg.ClientBase, imageId: string, surveyId?: string): Promise<void> {
    const { rows } = await client.query<{ survey_id: string }>({
      name: 'figures-survey-of',
      text: 'SELECT survey_id FROM photograph_figures WHERE image_id = $1',
      values: [imageId],
    });
    const ids = [...rows.map(({ survey_id: id }) => id), ...(surveyId === undefined ? [] : [surveyId])];
    await queueFigures(
      client,
      'survey',
      ids.map((id) => [id]),
    );
  }

  async #offer(
    client: pg.ClientBase,
    imageId: string,
    isOpen: boolean,
    facts: { readonly people: number; readonly hasExpert: boolean; readonly isBad: boolean },
  ): Promise<void> {
    if (isOpen) await offerPhotograph(client, imageId, facts, this.#options.batchSize);
    else await withdrawPhotographs(client, [imageId]);
  }

  /** A photograph that cannot be computed is offered no longer, and holds up no release. */
  async #setAside(queued: QueuedFigure, why: string): Promise<void> {
    const [imageId = ''] = queued.key;
    // The next photograph starts a new thread.
    this.#threadSkill = undefined;
    await this.#options.queue.finish(queued, async (client) => {
      await queueFigures(client, 'release', [[]]);
      await this.#broken.add(client, { imageId, why });
      await withdrawPhotographs(client, [imageId]);
    });
  }
}

/** Reason for which a photograph cannot be computed; undefined if the error is not about it. */
function failureReason(error: unknown): string | undefined {
  return error instanceof ThreadBrokeError || error instanceof ComputationError ? error.message : undefined;
}
