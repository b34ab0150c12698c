import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Logger } from 'pino';
import { z } from 'zod';
import { ReefError } from '../../src/domain/errors';
import type { ImportLine } from '../../src/protocol/bundle';
import { importLineSchema } from '../../src/protocol/bundle';
import type { OpsReply } from '../../src/protocol/edge-http';
import type { PublicKey, Receipt } from '../../src/protocol/receipt';
import { publicKeySchema } from '../../src/protocol/receipt';
import { isFolderLocked } from '../../src/server/files/folder-lock';
import { postToLocalBox } from '../commands/local-box';
import { openReadOnly } from '../open-read-only';
import { openStores } from '../open-stores';
import { BoxState } from '../store/box-state';
import { Intake } from '../intake/intake';
import { CLOUD_KEYS, ReferenceData } from '../bridge/reference-data';
import type { EdgeSettings } from '../settings';

const BATCH = 500;

interface ReceiptImport {
  readonly receipts: number;
  readonly added: number;
  readonly refused: readonly { readonly opId: string | null; readonly why: string }[];
  /** False if the cloud's answer was cut off: repeat the import ashore. */
  readonly complete: boolean;
}

/** Target of imported receipts, in batches. */
interface ReceiptSink {
  trust(keys: readonly PublicKey[]): Promise<void>;
  submit(
    receipts: readonly Receipt[],
  ): Promise<{ added: number; errors: readonly { opId: string | null; message: string }[] }>;
  close(): Promise<void>;
}

/**
 * Imports the cloud's receipts for a bundle: `npm run edge -- import-receipts <file>`. Each is checked like one from
 * the bridge. Writes to the store, or through a running server. Repeatable.
 *
 * @param trust accept the cloud's keys from the file if the box has none yet
 * @throws ReefError `bad-message` for an invalid file, or one of another box
 */
export async function importReceipts(
  settings: EdgeSettings,
  log: Logger,
  file: string,
  trust: boolean,
): Promise<ReceiptImport> {
  const reading = await openReadOnly(settings);
  const { nodeId } = reading.identity;
  reading.close();
  const door = isFolderLocked(settings.home) ? serverSink(settings) : await storeSink(settings, log);
  try {
    const refused: { opId: string | null; why: string }[] = [];
    const found = { receipts: 0, added: 0, complete: false };
    let batch: Receipt[] = [];
    const flush = async (): Promise<void> => {
      if (batch.length === 0) return;
      const { added, errors } = await door.submit(batch);
      found.added += added;
      for (const { opId, message } of errors) refused.push({ opId, why: message });
      batch = [];
    };
    let begun = false;
    for await (const line of readImportLines(file)) {
      if ('bundle' in line) {
        begun = true;
        if (line.bundle.node !== nodeId)
          throw new ReefError('bad-message', {
            message: `These receipts are for the box "${line.bundle.name}" (${line.bundle.node}). This box is ${nodeId}.`,
          });
        if (trust)
          await door.trust(
            z
              .array(z.looseObject({ ...publicKeySchema.shape }))
              .parse(line.cloud.keys)
              .map((key) => publicKeySchema.parse(key)),
          );
      } else if (!begun)
        throw new ReefError('bad-message', {
          message: 'This is not a receipts file: it does not begin with its bundle.',
        });
      else if ('done' in line) found.complete = true;
      else if ('receipt' in line) {
        found.receipts += 1;
        batch.push(line.receipt);
        if (batch.length >= BATCH) await flush();
      }
    }
    if (!begun) throw new ReefError('bad-message', { message: 'This is not a receipts file: it is empty.' });
    await flush();
    return { ...found, refused };
  } finally {
    await door.close();
  }
}

/** Reads the lines of the file; skips a truncated last one. */
async function* readImportLines(file: string): AsyncGenerator<ImportLine> {
  let cut = false;
  for await (const text of createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Infinity })) {
    if (text.trim() === '') continue;
    if (cut)
      throw new ReefError('bad-message', {
        message: 'A line of this file of receipts cannot be read. Carry it over again.',
      });
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      // Only the very last line may be truncated.
      cut = true;
      continue;
    }
    const parsed = importLineSchema.safeParse(value);
    if (!parsed.success) throw new ReefError('bad-message', { message: 'This is not a receipts file of the cloud.' });
    yield parsed.data;
  }
}

function serverSink(settings: EdgeSettings): ReceiptSink {
  return {
    async trust() {
      throw new ReefError('forbidden', {
        message: 'Stop the box for this once: it takes the keys of a cloud that it does not know only while it rests.',
      });
    },
    async submit(receipts) {
      const { receipts: taken } = (await postToLocalBox(settings, '/edge/ops', { receipts })) as OpsReply;
      return { added: taken.added, errors: taken.errors.map(({ opId, error }) => ({ opId, message: error.message })) };
    },
    close: () => Promise.resolve(),
  };
}

async function storeSink(settings: EdgeSettings, log: Logger): Promise<ReceiptSink> {
  let failed: Error | undefined;
  const { store, blobs, close } = await openStores(settings, {
    clock: Date.now,
    log,
    onFatal: (error) => (failed = error),
  });
  const state = new BoxState(
    settings.home,
    () => new Date(),
    (message) => log.error(message),
  );
  const reference = new ReferenceData(state);
  const intake = new Intake(store, blobs);
  return {
    async trust(keys) {
      if (reference.cloudKeys() !== undefined) return;
      reference.put(CLOUD_KEYS, { keys }, new Date().toISOString());
      log.warn({ keys: keys.map(({ kid }) => kid) }, 'the keys of this cloud are trusted from now on, as requested');
    },
    async submit(receipts) {
      const good: Receipt[] = [];
      const errors: { opId: string | null; message: string }[] = [];
      for (const receipt of receipts) {
        try {
          good.push(await intake.checkCloudReceipt(receipt, reference.cloudKeys()));
        } catch (error) {
          errors.push({ opId: receipt.opId, message: error instanceof Error ? error.message : String(error) });
        }
      }
      const added = await store.addReceipts(good);
      if (failed !== undefined) throw failed;
      return { added, errors };
    },
    async close() {
      state.close();
      await close();
    },
  };
}
