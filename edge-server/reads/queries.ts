import type { ChangesPage } from '../../src/protocol/changes';
import { edgeChangesParamsSchema } from '../../src/protocol/changes';
import type {
  EdgeGps,
  EdgeImage,
  EdgeMeta,
  EdgeSurveyCard,
  EdgeTrack,
  QueryData,
  QueryName,
} from '../../src/protocol/edge-socket';
import type { AppendStore, ChangeScope } from '../../src/server/ops/append-store';
import type { BlobStore } from '../../src/server/blobs/blob-store';
import type { ImageBlobs } from '../store/image-blobs';
import { parseInput } from '../../src/server/http/parse';
import type { DiskUse } from '../freeing/disk-use';
import type { GpsSource } from '../vessel/gps-source';
import type { JsonObject } from '../../src/domain/json';
import type { MapStore } from '../maps/map-store';
import type { OutlineStore } from '../outlines/outline-store';
import type { ImageLinks } from '../../src/server/variants/image-links';
import type { ReferenceData } from '../bridge/reference-data';
import { authorNames } from './author-names';
import type { Senders } from './senders';
import type { Statistics } from './store-statistics';
import type { Track } from '../vessel/track';

/** Reader of a query: a tablet sees only its own people's profiles; the admin token sees everything. */
export type QueryReader = ChangeScope | 'admin';

interface QueriesParts {
  readonly store: AppendStore & { readonly blobs: Pick<ImageBlobs, 'lost'> };
  readonly blobs: BlobStore;
  readonly statistics: Statistics;
  readonly gps: GpsSource;
  readonly track: Track;
  readonly senders: Senders;
  readonly diskUse: DiskUse;
  readonly imageLinks: ImageLinks;
  readonly outlines: Pick<OutlineStore, 'has'>;
  readonly maps: Pick<MapStore, 'status'>;
  readonly reference: ReferenceData;
  readonly clock: () => number;
  /** Latest of trusted time and wall clock. */
  readonly latest: () => number;
  readonly version: string;
  readonly name: string;
  /** Free bytes below which photographs are refused. */
  readonly minFreeBytes: number;
}

/** Queries of the box (1§3 "Edge stats"; protocol, Edge socket 8), the same over socket and HTTP. */
export class Queries {
  readonly #parts: QueriesParts;

  constructor(parts: QueriesParts) {
    this.#parts = parts;
  }

  /** @throws ReefError `bad-message` for wrong parameters */
  async run(name: QueryName, params: unknown, asker: QueryReader): Promise<QueryData[QueryName]> {
    switch (name) {
      case 'meta':
        return this.meta();
      case 'gps':
        return this.gps();
      case 'surveys':
        return this.#parts.statistics.surveys();
      case 'locations':
        return this.#parts.statistics.locations();
      case 'changes':
        return this.changes(params, asker);
      case 'track':
        return this.track(params);
      case 'senders':
        return this.#parts.senders.list(asker === 'admin' ? asker : (asker.deviceId ?? ''));
    }
  }

  async meta(): Promise<EdgeMeta> {
    const { statistics, blobs, clock, version, name, diskUse, minFreeBytes, gps, reference, maps } = this.#parts;
    const disk = await blobs.disk();
    return {
      totals: statistics.totals(),
      owed: statistics.owed(),
      owedBytes: statistics.owedBytes(),
      disk: { ...disk, daysUntilFull: diskUse.daysFor(disk.free - minFreeBytes) },
      time: new Date(clock()).toISOString(),
      version,
      name,
      gps: gps.state?.() ?? (gps.current() === null ? 'no-fix' : 'fix'),
      references: reference.names(),
      maps: maps.status(),
    };
  }

  /** Surveys of a reef with the members of their cards. */
  surveysOn(featureId: string): readonly EdgeSurveyCard[] {
    return this.#parts.statistics.surveysOn(featureId);
  }

  imagesOf(surveyId: string): readonly EdgeImage[] {
    return this.#parts.statistics.imagesOf(surveyId);
  }

  gps(): EdgeGps | null {
    const found = this.#parts.gps.current();
    if (found === null) return this.#lastStored();
    const { receivedAt, isTimeSure: _, ...fix } = found;
    return {
      ...fix,
      age:
        receivedAt === undefined
          ? Math.max(0, this.#parts.clock() - Date.parse(fix.time))
          : Math.max(0, Math.round(performance.now() - receivedAt)),
    };
  }

  /** Last position before the box started; its age shows how useful it is. */
  #lastStored(): EdgeGps | null {
    const last = this.#parts.track.last;
    if (last === undefined) return null;
    const { at, lat, lng } = last;
    return { lat, lng, time: new Date(at).toISOString(), age: Math.max(0, this.#parts.latest() - at), source: 'track' };
  }

  /** @throws ReefError `bad-message` */
  track(params: unknown): EdgeTrack {
    return this.#parts.track.read(params);
  }

  /**
   * Page of the change feed. For a tablet, image entries contain `owned`: the fields `token` and `url`, joined in on
   * reading; the operation stays as sent. A page names the authors of its entries; the empty one tells what the box lost.
   */
  async changes(params: unknown, asker: QueryReader): Promise<ChangesPage> {
    const { store } = this.#parts;
    const { since, limit, lost } = parseInput(edgeChangesParamsSchema, params ?? {}, 'params');
    if (asker === 'admin') return store.changes({ since, limit });
    const page = await store.changes({ since, limit, scope: asker });
    if (page.entries.length === 0) {
      const now = store.blobs.lost();
      return now.key === lost ? page : { ...page, lost: now };
    }
    const names = await authorNames(store, page.entries);
    return {
      ...page,
      ...(Object.keys(names).length === 0 ? {} : { names }),
      entries: page.entries.map((entry) =>
        entry.op?.kind === 'image' ? { ...entry, owned: this.#ownedOf(entry.op.docId) } : entry,
      ),
    };
  }

  /** Server's fields of an image, as this box has them. */
  #ownedOf(imageId: string): JsonObject {
    const { imageLinks, outlines } = this.#parts;
    return { ...imageLinks.linkFor(imageId), ...(outlines.has(imageId) ? { ml: true } : {}) };
  }
}
