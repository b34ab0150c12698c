import type { Logger } from 'pino';
import type { AppendStore } from '../src/server/ops/append-store';
import type { BlobStore } from '../src/server/blobs/blob-store';
import type { LogTail } from '../src/server/process/log-tail';
import type { Refusals } from '../src/server/http/refusals';
import type { Probe } from '../src/server/ops/probe';
import type { ReceiptSigner } from '../src/server/ops/receipt-signer';
import type { PersonStatements } from './sign-in/person-statements';
import type { BoxState } from './store/box-state';
import type { MapStore } from './maps/map-store';
import type { OutlineStore } from './outlines/outline-store';
import type { DiskUse } from './freeing/disk-use';
import type { Freeing } from './freeing/freeing';
import type { GpsSource } from './vessel/gps-source';
import type { ImageLinks } from '../src/server/variants/image-links';
import type { Intake } from './intake/intake';
import type { TrustedTime } from './sign-in/trusted-time';
import type { Metrics } from './console/metrics';
import type { Origins } from './sign-in/origins';
import type { Pairing } from './pairing/pairing';
import type { Queries } from './reads/queries';
import type { ReferenceData } from './bridge/reference-data';
import type { Senders } from './reads/senders';
import type { Sessions } from './sign-in/sessions';
import type { Subscriptions } from './reads/subscriptions';
import type { Track } from './vessel/track';
import type { VesselStore } from './store/vessel-store';
import type { Variants } from '../src/server/variants/variants';
import type { EdgeSettings } from './settings';
import type { SqliteAppendStore } from './store/sqlite-append-store';
import type { TileSources } from '../src/server/tiles/tile-sources';

/** Services shared by all routes and socket handlers; built once, in `app.ts`. */
export interface EdgeContext {
  readonly settings: EdgeSettings;
  /** Wall clock, ms since 1970: for display and notes, never trusted. */
  readonly clock: () => number;
  readonly probe: Probe;
  readonly log: Logger;
  readonly refusals: Refusals;
  readonly logTail: LogTail;
  readonly version: string;
  readonly store: AppendStore;
  readonly blobs: BlobStore;
  readonly receiptKey: ReceiptSigner;
  readonly traceKey: ReceiptSigner;
  /** Key for sealed bundles only. */
  readonly bundleKey: ReceiptSigner;
  /** Key for statements about people only. */
  readonly personKey: ReceiptSigner;
  readonly people: PersonStatements;
  readonly record: Pick<SqliteAppendStore, 'database' | 'blobs' | 'freed'>;
  readonly adminToken: string;
  readonly state: BoxState;
  readonly time: TrustedTime;
  readonly pairing: Pairing;
  readonly sessions: Sessions;
  readonly reference: ReferenceData;
  readonly origins: Origins;
  readonly intake: Intake;
  readonly freeing: Freeing;
  readonly queries: Queries;
  readonly subscriptions: Subscriptions;
  readonly imageLinks: ImageLinks;
  readonly variants: Variants;
  readonly gps: GpsSource;
  readonly track: Track;
  readonly errorReports: Pick<VesselStore, 'addReport' | 'reports' | 'removeReports'>;
  readonly usage: Pick<VesselStore, 'addUsage' | 'usage' | 'removeUsage'>;
  readonly outlines: OutlineStore;
  readonly maps: MapStore;
  readonly senders: Senders;
  readonly diskUse: DiskUse;
  readonly tiles: TileSources;
  readonly metrics: Metrics;
  /** The box's own CA, if any; replaced when the box takes a name outside its constraints. */
  readonly localCa: () => { readonly pem: string; readonly fingerprint: string } | null;
}

/** Current time as stored in records: ISO 8601 UTC with milliseconds. */
export function isoNow(context: Pick<EdgeContext, 'clock'>): string {
  return new Date(context.clock()).toISOString();
}
