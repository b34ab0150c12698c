import type { ChangesPage } from '../../src/protocol/changes';
import { changesParamsSchema } from '../../src/protocol/changes';
import type { EdgeGps, EdgeLocation, EdgeMeta, EdgeSurvey, QueryData, QueryName } from '../../src/protocol/edge-socket';
import type { AppendStore, ChangeScope } from '../../src/server/append-store';
import type { BlobStore } from '../../src/server/blob-store';
import { parseInput } from '../parse';
import type { GpsSource } from './gps';
import type { ImageLink, ImageLinks } from './image-links';

/** The figures of what the box holds, as the store counts them. */
export interface Statistics {
  totals(): EdgeMeta['totals'];
  /** Operations without a receipt from the cloud. */
  owed(): number;
  surveys(): readonly EdgeSurvey[];
  locations(): readonly EdgeLocation[];
}

/** Who asks: a tablet sees its own people's profiles alone; the admin token sees everything. */
export type Asker = ChangeScope | 'admin';

/** The reads of the box (1§3 "Edge stats"; protocol, Edge socket 8), the same over socket and HTTP. */
export class Queries {
  constructor(
    private readonly parts: {
      readonly store: AppendStore;
      readonly blobs: BlobStore;
      readonly statistics: Statistics;
      readonly gps: GpsSource;
      readonly imageLinks: ImageLinks;
      readonly clock: () => number;
      readonly version: string;
    },
  ) {}

  /** @throws ReefError `bad-message` for wrong parameters */
  async run(name: QueryName, params: unknown, asker: Asker): Promise<QueryData[QueryName]> {
    switch (name) {
      case 'meta':
        return this.meta();
      case 'gps':
        return this.gps();
      case 'surveys':
        return this.parts.statistics.surveys();
      case 'locations':
        return this.parts.statistics.locations();
      case 'changes':
        return this.changes(params, asker);
    }
  }

  async meta(): Promise<EdgeMeta> {
    const { statistics, blobs, clock, version } = this.parts;
    return { totals: statistics.totals(), owed: statistics.owed(), disk: await blobs.disk(), time: new Date(clock()).toISOString(), version };
  }

  gps(): EdgeGps | null {
    const fix = this.parts.gps.current();
    return fix === null ? null : { ...fix, age: Math.max(0, this.parts.clock() - Date.parse(fix.time)) };
  }

  /**
   * A page of the change feed. For a tablet, entries of images carry `owned`: the fields `token` and `url` that the
   * server joins in on reading; the operation stays as it was sent.
   */
  async changes(params: unknown, asker: Asker): Promise<ChangesPage> {
    const { since, limit } = parseInput(changesParamsSchema, params ?? {}, 'params');
    if (asker === 'admin') return this.parts.store.changes({ since, limit });
    const page = await this.parts.store.changes({ since, limit, scope: asker });
    return {
      ...page,
      entries: page.entries.map((entry) => (entry.op?.kind === 'image' ? { ...entry, owned: this.parts.imageLinks.of(entry.op.docId) satisfies ImageLink } : entry)),
    };
  }
}
