import type pg from 'pg';
import type { Logger } from 'pino';
import { isId } from '../../../../src/domain/id-shape';
import type { ChangeEntry } from '../../../../src/protocol/changes';
import { acceptedIds } from '../../feed/feed-cursor';
import { FeedFollower } from '../../feed/feed-follower';
import type { PgAppendStore } from '../../store/pg-append-store';
import { queueFigures } from './figure-queue';

interface FollowerOptions {
  readonly pool: pg.Pool;
  readonly store: Pick<PgAppendStore, 'changes' | 'onCommit'>;
  /** Called after figures were queued. */
  readonly onQueued: () => Promise<void>;
  readonly log: Logger;
}

/** Queues the photographs and surveys whose figures changed with their records. */
export function followFigures({ pool, store, onQueued, log }: FollowerOptions): FeedFollower {
  return new FeedFollower({
    pool,
    store,
    cursor: 'figures.cursor',
    handle: async (entries) => {
      await queueChanged(pool, entries);
      await onQueued();
    },
    failure: 'changed figures could not be queued; retrying',
    log,
  });
}

/**
 * Queues what entries of the feed changed: analyses their photograph, surveys theirs and themselves. Statement by
 * statement: figures of several kinds are never locked at once.
 */
async function queueChanged(client: pg.Pool, entries: readonly ChangeEntry[]): Promise<void> {
  const [surveys = [], images = [], analyses = []] = (['survey', 'image', 'analysis'] as const).map((kind) =>
    acceptedIds(entries, kind).filter(isId),
  );
  if (surveys.length + images.length + analyses.length === 0) return;
  const { rows } = await client.query<{ id: string }>({
    name: 'figures-changed-photographs',
    text: `SELECT image_id AS id FROM docs WHERE kind = 'analysis' AND doc_id = ANY($1::text[]) AND image_id IS NOT NULL
           UNION SELECT doc_id FROM docs WHERE kind = 'image' AND survey_id = ANY($2::text[])`,
    values: [analyses, surveys],
  });
  const photographs = [...images, ...rows.map(({ id }) => id)];
  await queueFigures(
    client,
    'photograph',
    photographs.map((id) => [id]),
  );
  await queueFigures(
    client,
    'survey',
    surveys.map((id) => [id]),
  );
}
