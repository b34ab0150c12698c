import type { Logger } from 'pino';
import type { BlobStore } from '../../src/server/blobs/blob-store';
import type { Probe } from '../../src/server/ops/probe';
import type { ImageLinks } from '../../src/server/variants/image-links';
import type { Variants } from '../../src/server/variants/variants';
import type { ReceiptSigner } from '../../src/server/ops/receipt-signer';
import type { Accounts } from './accounts/accounts';
import type { CloudDatabase } from './postgres/connect';
import type { Boxes } from './fleet/boxes';
import type { IntakePace } from './intake/intake-pace';
import type { VariantJobs } from './images/variant-jobs';
import type { BlobAccess } from './access/blob-access';
import type { Callers } from './access/caller';
import type { Previews } from './images/previews';
import type { Bundles } from './bundles/bundles';
import type { CloudIntake } from './intake/cloud-intake';
import type { Mailer } from './accounts/mail/mailer';
import type { Housekeeping } from './jobs/housekeeping';
import type { Metrics } from './health/metrics';
import type { Origins } from './access/origins';
import type { BoxReceiptVerifier } from './intake/box-receipt-verifier';
import type { ReferenceData } from './reference/reference-data';
import type { Reports } from './reports/reports';
import type { UnusedPhotos } from './accounts/people/unused-photos';
import type { CloudSettings } from './settings';
import type { Reads } from './reads/reads';
import type { PgAppendStore } from './store/pg-append-store';

/** Services shared by all routes; built once, in `app.ts`. */
export interface CloudContext {
  readonly settings: CloudSettings;
  /** Wall clock, ms since 1970. */
  readonly clock: () => number;
  readonly probe: Probe;
  readonly log: Logger;
  readonly version: string;
  readonly database: CloudDatabase;
  readonly store: PgAppendStore;
  readonly blobs: BlobStore;
  readonly receiptKey: ReceiptSigner;
  readonly traceKey: ReceiptSigner;
  readonly boxes: Boxes;
  readonly callers: Callers;
  readonly accounts: Accounts;
  readonly mailer: Mailer;
  readonly intake: CloudIntake;
  readonly blobAccess: BlobAccess;
  readonly boxReceiptVerifier: BoxReceiptVerifier;
  readonly reads: Reads;
  readonly bundles: Bundles;
  readonly referenceData: ReferenceData;
  readonly reports: Reports;
  readonly imageLinks: ImageLinks;
  readonly variants: Variants;
  readonly unusedPhotos: UnusedPhotos;
  readonly housekeeping: Housekeeping;
  readonly variantJobs: VariantJobs;
  readonly intakePace: IntakePace;
  readonly previews: Previews;
  readonly origins: Origins;
  readonly metrics: Metrics;
  readonly ping: () => Promise<void>;
}

/** Current time as in records: ISO 8601 UTC with milliseconds. */
export function isoNow(context: Pick<CloudContext, 'clock'>): string {
  return new Date(context.clock()).toISOString();
}
