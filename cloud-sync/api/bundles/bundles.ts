import path from 'node:path';
import type { Logger } from 'pino';
import { ReefError } from '../../../src/domain/errors';
import type { ReceiptSigner } from '../../../src/server/ops/receipt-signer';
import type { BlobStore } from '../../../src/server/blobs/blob-store';
import type { CloudDatabase } from '../postgres/connect';
import type { CloudSettings } from '../settings';
import type { PgAppendStore } from '../store/pg-append-store';
import { BoxKeys } from './box-keys';
import type { BundleImportOptions } from './bundle-import';
import { BundleImport } from './bundle-import';
import type { CloudIntake } from '../intake/cloud-intake';
import { SealKeys } from './seal-keys';

export interface Bundles {
  readonly sealKeys: SealKeys;
  readonly boxKeys: BoxKeys;
  readonly imports: BundleImport;
}

interface BundlesOptions {
  readonly settings: CloudSettings;
  readonly clock: () => number;
  readonly log: Logger;
  readonly database: CloudDatabase;
  readonly store: PgAppendStore;
  readonly blobs: BlobStore;
  readonly receiptKey: ReceiptSigner;
  readonly intake: CloudIntake;
  readonly acceptPeople: BundleImportOptions['acceptPeople'];
}

/** @throws Error if the key file exists but cannot be read */
export async function openBundles({
  settings,
  clock,
  log,
  database,
  store,
  blobs,
  receiptKey,
  intake,
  acceptPeople,
}: BundlesOptions): Promise<Bundles> {
  const sealKeys = await SealKeys.open(path.join(settings.home, 'keys', 'seal.json'), clock);
  const boxKeys = new BoxKeys(database.pool, clock);
  const imports = await BundleImport.open({
    folder: path.join(settings.home, 'imports'),
    sealKeys,
    boxKeys,
    intake,
    acceptPeople,
    blobs,
    identity: store.identity,
    keys: receiptKey.publicKeys,
    minFreeBytes: settings.minFreeBytes,
    onError: (error) =>
      log.error(
        { err: error instanceof ReefError ? (error.cause ?? error) : error },
        'a part of a bundle could not be imported',
      ),
  });
  return { sealKeys, boxKeys, imports };
}
