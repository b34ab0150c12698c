import { ReefError } from '../../../src/domain/errors';

/** A decision takes a document and its survey for new: each of them can come into being once. */
const DECISIONS_MAX = 3;

/** Nothing was stored: a document that the decision took for new exists. */
export class OutdatedDecisionError extends ReefError {
  constructor() {
    super('internal', { message: 'Something else was stored in the same moment. Send it again.' });
  }
}

/** Runs work that decides and stores, again if its decision was outdated by then. @throws errors of the work */
export async function withCurrentDecision<T>(work: () => Promise<T>): Promise<T> {
  for (let decisions = 1; ; decisions++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof OutdatedDecisionError) || decisions === DECISIONS_MAX) throw error;
    }
  }
}
