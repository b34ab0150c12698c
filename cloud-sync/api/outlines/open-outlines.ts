import type pg from 'pg';
import type { Logger } from 'pino';
import type { Variants } from '../../../src/server/variants/variants';
import type { IntakePace } from '../intake/intake-pace';
import type { ReferenceData } from '../reference/reference-data';
import type { PgAppendStore } from '../store/pg-append-store';
import { MlService } from './ml-service';
import { OutlineJobs } from './outline-jobs';
import { Outlines } from './outlines';
import { PhotographSurveys } from './photograph-survey';

interface OutlineParts {
  readonly pool: pg.Pool;
  readonly store: Pick<PgAppendStore, 'setOwned'>;
  readonly variants: Variants;
  readonly reference: Pick<ReferenceData, 'get'>;
  readonly pace: Pick<IntakePace, 'isBusy'>;
  /** Model service; null: outlines are segmented here. */
  readonly mlUrl: URL | null;
  /** Called after outlines of a photograph were stored: its figures are compared with them. */
  readonly onStored: () => Promise<void>;
  readonly log: Logger;
}

/** Outlines of photographs and what makes them. */
export interface OutlineServices {
  readonly outlines: Outlines;
  readonly photographSurveys: PhotographSurveys;
  readonly outlineJobs: OutlineJobs;
}

export function openOutlines(parts: OutlineParts): OutlineServices {
  const { pool, store, variants, reference, pace, mlUrl, onStored, log } = parts;
  const service = mlUrl === null ? null : new MlService({ url: mlUrl, log });
  const outlines = new Outlines({ pool, store, service, onStored, elapsed: () => performance.now(), log });
  const photographSurveys = new PhotographSurveys(pool, reference);
  const photograph = (imageId: string) => photographSurveys.find(imageId);
  return {
    outlines,
    photographSurveys,
    outlineJobs: new OutlineJobs({ pool, outlines, variants, photograph, pace, log }),
  };
}
