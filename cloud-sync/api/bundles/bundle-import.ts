import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { ReefError } from '../../../src/domain/errors';
import type { Sha256 } from '../../../src/domain/ids';
import { makeId } from '../../../src/domain/ids';
import { isObject } from '../../../src/domain/json';
import type { ImportDone, ImportLine } from '../../../src/protocol/bundle';
import type { BoxPeople } from '../../../src/protocol/person-statement';
import type { PublicKey } from '../../../src/protocol/receipt';
import { blobRefSchema } from '../../../src/protocol/receipt';
import type { StoreIdentity } from '../../../src/server/ops/append-store';
import { uploadIdOf } from '../../../src/server/blobs/blob-layout';
import type { BlobStore } from '../../../src/server/blobs/blob-store';
import { isDiskFull, realDisk } from '../../../src/server/files/disk';
import { toReefError } from '../../../src/server/http/errors';
import { opIdOf, runsOfAKind, startEach } from '../../../src/server/ops/op-runs';
import { unseal } from '../../../src/server/bundles/sealing';
import type { BoxKeys, Vouching } from './box-keys';
import type { CheckedBundle } from './bundle-file';
import { checkBundle, signerKey } from './bundle-file';
import type { Submitter, CloudIntake } from '../intake/cloud-intake';
import type { SealKeys } from './seal-keys';

const BATCH = 200;
/** Number of imports whose receipts stay available. */
const RECEIPTS_FILES_MAX = 50;
const WRITE_BYTES = 4 * 1024 * 1024;
/** Internal failures that count as the cloud's own trouble. */
const FAILURES_MAX = 20;

export interface BundleImportOptions {
  readonly folder: string;
  readonly sealKeys: SealKeys;
  readonly boxKeys: BoxKeys;
  readonly intake: CloudIntake;
  /** Takes the box's statements about people. */
  readonly acceptPeople: (node: string, people: BoxPeople) => Promise<void>;
  readonly blobs: BlobStore;
  readonly identity: StoreIdentity;
  readonly keys: readonly PublicKey[];
  /** Free bytes that must remain. */
  readonly minFreeBytes: number;
  readonly onError: (error: unknown) => void;
}

/** Import whose bundle is verified and belongs to its box. */
interface StartedImport {
  readonly id: string;
  /**
   * Imports everything, a line each; see `importLineSchema`. After an interruption the same bundle can be imported
   * again.
   */
  lines(): AsyncGenerator<ImportLine>;
}

/**
 * Import of sealed bundles (protocol, "Sealed bundle"): unsealed into a file, fully verified, then submitted like `POST
 * /api/ops` of the box's bridge. Importing again changes nothing and returns the same receipts.
 */
export class BundleImport {
  readonly #options: BundleImportOptions;

  private constructor(parts: BundleImportOptions) {
    this.#options = parts;
  }

  /** Removes leftovers of interrupted imports. */
  static async open(parts: BundleImportOptions): Promise<BundleImport> {
    await mkdir(parts.folder, { recursive: true, mode: 0o700 });
    for (const name of await readdir(parts.folder))
      if (name.endsWith('.tar')) await rm(path.join(parts.folder, name), { force: true });
    return new BundleImport(parts);
  }

  /**
   * Writes a bundle to disk and verifies it.
   *
   * @param source its bytes as they arrive
   * @throws ReefError `bad-message` (not a bundle, cut off, altered, sealed to another key), `unsupported-version`,
   * `forbidden` {confirm} (another box's, unknown key), `storage-full`. Nothing was imported then.
   */
  async start(
    source: AsyncIterable<Uint8Array>,
    vouching: (node: string) => Promise<Vouching>,
  ): Promise<StartedImport> {
    const { folder, sealKeys, boxKeys } = this.#options;
    const id = makeId((n) => randomBytes(n));
    const file = path.join(folder, `${id}.tar`);
    try {
      await this.#saveArchive(file, unseal(sealKeys.identities, source));
      const bundle = await checkBundle(file);
      const vouched = await vouching(bundle.manifest.node);
      const known = await boxKeys.trust(signerKey(bundle.signature), bundle.manifest, vouched);
      const before = await boxKeys.previousImportAt(bundle.manifest);
      return {
        id,
        lines: () =>
          this.#withReceiptsFile(
            id,
            file,
            this.#importLines(id, bundle, { known, before, person: vouched.by === 'staff' ? vouched.person : null }),
          ),
      };
    } catch (error) {
      await unlink(file).catch(() => undefined);
      throw error;
    }
  }

  /** Returns the receipts file of an import; undefined if it no longer exists. */
  async receiptsFile(id: string): Promise<string | undefined> {
    if (!/^[0-9A-Za-z]{12,19}$/.test(id)) return undefined;
    const file = path.join(this.#options.folder, `${id}.receipts.json`);
    return (await stat(file).catch(() => undefined))?.isFile() === true ? file : undefined;
  }

  async #saveArchive(file: string, opened: AsyncIterable<Buffer>): Promise<void> {
    const { folder, minFreeBytes } = this.#options;
    const fd = await realDisk.open(file, 'wx+');
    try {
      let at = 0;
      let waiting: Buffer[] = [];
      let length = 0;
      const flush = async (): Promise<void> => {
        if ((await realDisk.statfs(folder)).free - length < minFreeBytes)
          throw new ReefError('storage-full', {
            message:
              'The cloud’s disk has no room to open this bundle. Nothing was imported. Free some space, then import it again.',
          });
        await realDisk.write(fd, waiting, at);
        at += length;
        waiting = [];
        length = 0;
      };
      for await (const part of opened) {
        waiting.push(part);
        length += part.length;
        if (length >= WRITE_BYTES) await flush();
      }
      if (length > 0) await flush();
    } catch (error) {
      throw isDiskFull(error)
        ? new ReefError('storage-full', {
            message: 'The cloud’s disk is full. Nothing was imported. Free some space, then import the bundle again.',
            cause: error,
          })
        : error;
    } finally {
      await realDisk.close(fd);
    }
  }

  /** Copies the lines to the receipts file and cleans up at the end. */
  async *#withReceiptsFile(id: string, file: string, lines: AsyncGenerator<ImportLine>): AsyncGenerator<ImportLine> {
    const { folder } = this.#options;
    const draft = path.join(folder, `${id}.tar.receipts.tar`);
    const fd = await realDisk.open(draft, 'w');
    let whole = false;
    try {
      let at = 0;
      for await (const line of lines) {
        const text = Buffer.from(`${JSON.stringify(line)}\n`, 'utf8');
        await realDisk.write(fd, [text], at);
        at += text.length;
        yield line;
      }
      await realDisk.fsync(fd);
      whole = true;
    } finally {
      await realDisk.close(fd);
      if (whole) await realDisk.rename(draft, path.join(folder, `${id}.receipts.json`));
      else await unlink(draft).catch(() => undefined);
      await unlink(file).catch(() => undefined);
      await this.#prune();
    }
  }

  async #prune(): Promise<void> {
    const { folder } = this.#options;
    const names = (await readdir(folder)).filter((name) => name.endsWith('.receipts.json'));
    if (names.length <= RECEIPTS_FILES_MAX) return;
    const dated = await Promise.all(
      names.map(async (name) => ({ name, at: (await stat(path.join(folder, name))).mtimeMs })),
    );
    for (const { name } of dated.sort((a, b) => b.at - a.at).slice(RECEIPTS_FILES_MAX))
      await unlink(path.join(folder, name));
  }

  async *#importLines(
    id: string,
    bundle: CheckedBundle,
    {
      known,
      before,
      person,
    }: { readonly known: boolean; readonly before: Date | null; readonly person: string | null },
  ): AsyncGenerator<ImportLine> {
    const { identity, keys, boxKeys, acceptPeople } = this.#options;
    const {
      manifest: { people, ...manifest },
      signature,
    } = bundle;
    const done: Record<keyof ImportDone, number> = { receipted: 0, refused: 0, waiting: 0, failed: 0, newBlobs: 0 };
    yield {
      bundle: manifest,
      cloud: { node: identity.nodeId, storeEpoch: identity.storeEpoch, keys: [...keys] },
      signer: { kid: signature.kid, known, before: before?.toISOString() ?? null },
    };
    const submitter: Submitter = {
      roles: new Set(['anyone', 'box']),
      person: null,
      deviceId: null,
      node: manifest.node,
    };
    let batch: unknown[] = [];
    const flush = async (): Promise<ImportLine[]> => {
      const items = batch;
      batch = [];
      const lines: ImportLine[] = [];
      for (const run of runsOfAKind(items)) {
        const brought: (ReefError | undefined)[] = [];
        // Sequential: two records of one photograph must not both write it.
        for (const item of run) brought.push(await this.#storeBlobOf(bundle, item, done));
        lines.push(...(await startEach(run, (item, i) => this.#importOp(submitter, item, done, brought[i]))));
        if (done.failed > 0) this.#checkFailures(lines);
      }
      return lines;
    };
    for await (const text of bundle.lines()) {
      batch.push(parseLine(text));
      if (batch.length >= BATCH) yield* await flush();
    }
    yield* await flush();
    // After the operations: a random uid belongs to the box that brought its profile first.
    if (people !== undefined) await acceptPeople(manifest.node, people);
    await boxKeys.recordImport(id, manifest, signature.kid, person, done);
    yield { done };
  }

  async #storeBlobOf(
    bundle: CheckedBundle,
    item: unknown,
    done: Record<keyof ImportDone, number>,
  ): Promise<ReefError | undefined> {
    try {
      if (await this.#storeBlob(bundle, isObject(item) ? item['op'] : undefined)) done.newBlobs += 1;
      return undefined;
    } catch (thrown) {
      return this.#toReportedError(thrown);
    }
  }

  async #importOp(
    submitter: Submitter,
    item: unknown,
    done: Record<keyof ImportDone, number>,
    failed: ReefError | undefined,
  ): Promise<ImportLine> {
    const op = isObject(item) ? item['op'] : undefined;
    const opId = opIdOf(op);
    try {
      if (failed !== undefined) throw failed;
      const taken = await this.#options.intake.submit(op, submitter, isObject(item) ? { by: item['by'] } : {});
      if ('needs' in taken) {
        done.waiting += 1;
        return { opId: opId ?? '', needs: [...taken.needs] };
      }
      done[taken.receipt.accepted ? 'receipted' : 'refused'] += 1;
      return { receipt: taken.receipt };
    } catch (thrown) {
      done.failed += 1;
      return { opId, error: { ...this.#toReportedError(thrown).toWire() } };
    }
  }

  /** @throws ReefError if the next operations would fail too: full disk, database unavailable */
  #checkFailures(lines: readonly ImportLine[]): void {
    const errors = lines.flatMap((line) => ('error' in line ? [line.error] : []));
    const full = errors.find(({ code }) => code === 'storage-full');
    if (full !== undefined) throw new ReefError('storage-full', { message: full.message });
    if (errors.filter(({ code }) => code === 'internal').length > FAILURES_MAX) throw new ReefError('internal');
  }

  #toReportedError(thrown: unknown): ReefError {
    const error = thrown instanceof ReefError ? thrown : toReefError(thrown);
    if (error.code === 'internal') this.#options.onError(thrown);
    return error;
  }

  /** Stores the bytes named by a photograph's record, if the bundle has them and the cloud does not. */
  async #storeBlob(bundle: CheckedBundle, op: unknown): Promise<boolean> {
    const { blobs } = this.#options;
    const body = isObject(op) && op['kind'] === 'image' && isObject(op['body']) ? op['body'] : {};
    const named = blobRefSchema.safeParse({ sha256: body['sha256'], bytes: body['bytes'] });
    const bytes = named.success ? bundle.blobBytes(named.data.sha256) : undefined;
    if (!named.success || bytes === undefined) return false;
    const { sha256 } = named.data;
    if ((await blobs.size(sha256)) !== undefined) return false;
    const owner = `bundle-${sha256}`;
    try {
      const { offset, complete } = await blobs.begin({
        owner,
        sha256: sha256 as Sha256,
        bytes,
        type: 'application/octet-stream',
      });
      if (!complete) await blobs.write(uploadIdOf(owner, sha256), offset, bundle.readBlob(sha256, offset));
      return true;
    } catch (error) {
      const { code } = toReefError(error);
      // Another submitter stored it in the meantime.
      if (code === 'offset-mismatch' && (await blobs.size(sha256)) !== undefined) return false;
      // The bytes are not a photograph: its record stays parked, the others continue.
      if (code === 'unsupported-media') return false;
      throw error;
    }
  }
}

function parseLine(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
