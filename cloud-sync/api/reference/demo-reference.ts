import type pg from 'pg';
import type { JsonObject } from '../../../src/domain/json';
import { LIMITS } from '../../../src/domain/limits';
import type { ReferenceCollection } from '../reads/reference-reads';

/** One organisation and one event, so that a demo can be searched, joined and linked to. */
export const DEMO_REFERENCE = {
  organisations: { id: 'demo-organisation', handle: 'demo-crew', name: 'Demo crew', pretty: 'Demo crew (demo)' },
  events: {
    id: 'demo-event',
    handle: 'demo-week',
    version: LIMITS.eventVersion,
    regionId: 'gbr',
    name: 'Demo week (demo)',
    title: 'Demo week (demo)',
    desc: ['A week on the reef, for trying the census.'],
    type: 'survey',
    eventType: 'GLOBAL',
    status: 'active',
    timestart: '2025-11-01T00:00:00.000Z',
    timeend: '2035-11-08T00:00:00.000Z',
    domains: ['demo-week'],
  },
} as const satisfies Partial<Record<ReferenceCollection, JsonObject & { readonly id: string }>>;

/** Adds the demo's documents to collections that are empty and that staff never put. */
export async function addDemoReference(pool: pg.Pool): Promise<void> {
  for (const [collection, document] of Object.entries(DEMO_REFERENCE))
    await pool.query(
      `INSERT INTO reference_documents (collection, id, doc) SELECT $1::text, $2::text, $3::jsonb
       WHERE NOT EXISTS (SELECT FROM reference_documents WHERE collection = $1::text)
         AND NOT EXISTS (SELECT FROM reference_data WHERE name = $1::text) ON CONFLICT DO NOTHING`,
      [collection, document.id, JSON.stringify(document)],
    );
}
