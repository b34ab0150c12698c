import { existsSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { ReefError } from '../src/domain/errors';
import { CLOUD_SEAL_KEY, sealKeySchema } from '../src/protocol/bundle';
import type { BoxPeople } from '../src/protocol/person-statement';
import type { StoreIdentity } from '../src/server/ops/append-store';
import { BlobLayout } from '../src/server/blobs/blob-layout';
import { realDisk } from '../src/server/files/disk';
import { ReceiptSigner } from '../src/server/ops/receipt-signer';
import { BUNDLE_KEY_FILE, PERSON_KEY_FILE } from './open-stores';
import type { EdgeSettings } from './settings';
import { hasStatements, readStatements } from './store/box-state';
import { SCHEMA_VERSION } from './store/migrate';

/** Read-only view of a box's store for a second process. */
interface ReadOnlyStores {
  readonly database: Database.Database;
  readonly identity: StoreIdentity;
  readonly layout: BlobLayout;
  readonly bundleKey: ReceiptSigner;
  readonly sealKey: string | undefined;
  readonly people: BoxPeople;
  close(): void;
}

/**
 * Opens a box's store read-only, without disturbing a running server.
 *
 * @throws ReefError `not-found` for a home folder without a box, `unsupported-version` if another version wrote it
 */
export async function openReadOnly({ home }: EdgeSettings): Promise<ReadOnlyStores> {
  const file = path.join(home, 'census.sqlite');
  if (!existsSync(file))
    throw new ReefError('not-found', {
      message: `No box has its record in ${home}. Set REEF_HOME to the folder that the box works with.`,
    });
  const database = new Database(file, { readonly: true, fileMustExist: true, timeout: 5000 });
  try {
    if (Number(database.pragma('user_version', { simple: true })) !== SCHEMA_VERSION) {
      throw new ReefError('unsupported-version', {
        message:
          'Another version of the box wrote this record. Start the box once with this version, then try again; nothing was changed.',
      });
    }
    const meta = database.prepare<[string], { value: string }>('SELECT value FROM meta WHERE key = ?');
    const [nodeId, storeEpoch] = [meta.get('nodeId')?.value, meta.get('storeEpoch')?.value];
    if (nodeId === undefined || storeEpoch === undefined)
      throw new ReefError('not-found', { message: `No box has its record in ${home} yet. Start the box once.` });
    const bundleKey = await ReceiptSigner.open(path.join(home, 'keys', BUNDLE_KEY_FILE), realDisk);
    return {
      database,
      identity: { stage: 'edge', nodeId, storeEpoch },
      layout: new BlobLayout(home),
      bundleKey,
      ...(await readBoxState(home)),
      close: () => void database.close(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Seal key of the cloud, and statements about people: none if only an earlier version has run here. */
async function readBoxState(home: string): Promise<Pick<ReadOnlyStores, 'sealKey' | 'people'>> {
  const people: BoxPeople = { keys: [], statements: [] };
  const file = path.join(home, 'box.db');
  if (!existsSync(file)) return { sealKey: undefined, people };
  const database = new Database(file, { readonly: true, fileMustExist: true, timeout: 5000 });
  try {
    const row = database
      .prepare<[string], { body: string }>('SELECT body FROM reference WHERE name = ?')
      .get(CLOUD_SEAL_KEY);
    const parsed = sealKeySchema.safeParse(row === undefined ? undefined : JSON.parse(row.body));
    const sealKey = parsed.success ? parsed.data.recipient : undefined;
    const statements = hasStatements(database) ? readStatements(database) : [];
    if (statements.length === 0) return { sealKey, people };
    const { publicKeys } = await ReceiptSigner.open(path.join(home, 'keys', PERSON_KEY_FILE), realDisk);
    return { sealKey, people: { keys: [...publicKeys], statements } };
  } finally {
    database.close();
  }
}
