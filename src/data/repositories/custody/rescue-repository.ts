import { ReefError } from '../../../domain/errors';
import { recordOwner } from '../../../domain/policy/topic-policy';
import { planRescueCopy, rescueCopyParts, unsentOps } from '../../rescue/plan-rescue-copy';
import type { OpenedRescueCopy } from '../../rescue/open-rescue-copy';
import { openRescueCopy, verifyRescueCopy } from '../../rescue/open-rescue-copy';
import type { ImportedRescue } from '../../rescue/import-rescue-copy';
import { countKnown, importRescueCopy } from '../../rescue/import-rescue-copy';
import { proofsOf } from '../../sync/custody/custody';
import { OTHERS_SURVEY_NAME } from './custody-repository';
import type { RepositoryContext } from '../repository-context';

export type { ImportedRescue } from '../../rescue/import-rescue-copy';

/** Destination of a rescue copy: a file on a stick, or parts in memory that the browser saves at the end. */
export interface RescueTarget {
  readonly write: (part: Uint8Array<ArrayBuffer> | Blob) => Promise<void>;
  readonly finish: () => Promise<Blob>;
  readonly abandon: () => Promise<void>;
}

/** Progress of writing, checking or importing, in bytes. */
export interface RescueProgress {
  readonly step: 'writing' | 'checking' | 'taking';
  readonly done: number;
  readonly total: number;
}

interface ProgressOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: RescueProgress) => void;
}

interface RescueCopy {
  readonly photographs: number;
  readonly records: number;
  /** Bytes of the file. */
  readonly bytes: number;
}

export interface RescueContents {
  readonly madeAt: string;
  readonly deviceName: string;
  readonly surveys: readonly { readonly name: string; readonly date: string; readonly photographs: number }[];
  /** Complete photographs in the file, and the number of them already here. */
  readonly photographs: number;
  readonly photographsPresent: number;
  readonly records: number;
  readonly recordsPresent: number;
  /** Photographs missing because the file is truncated. */
  readonly truncatedPhotographs: number;
  readonly bytes: number;
}

/** Opened file and its contents. */
export interface RescueFile {
  readonly contents: RescueContents;
  /**
   * Imports it; idempotent.
   * @throws ReefError `storage-full`, `hash-mismatch`; the signal's reason
   */
  readonly importCopy: (watching: ProgressOptions) => Promise<ImportedRescue>;
}

/** Unsent work as one file, for a tablet that cannot reach its box. Needs no server. */
export interface RescueRepository {
  /** Contents of a copy made now: photographs, other records, bytes of photographs. */
  readonly contents: () => { readonly photographs: number; readonly records: number; readonly bytes: number };
  readonly fileName: () => string;
  /**
   * Writes everything without a receipt and reads it back.
   * @throws ReefError `not-found` if nothing is unsent, `hash-mismatch` if the copy or a photograph is damaged; the
   * signal's reason. The target is then abandoned.
   */
  readonly createCopy: (target: RescueTarget, watching: ProgressOptions) => Promise<RescueCopy>;
  /**
   * Opens a file and reads its contents.
   * @throws ReefError `bad-message`, `unsupported-version`, `hash-mismatch`
   */
  readonly open: (file: Blob) => Promise<RescueFile>;
}

export function createRescueRepository(parts: RepositoryContext): RescueRepository {
  const { store, opIndex, self, sync, projector } = parts;
  return {
    contents: () => {
      const owed = unsentOps(opIndex);
      const blobs = new Map(
        owed.flatMap(({ blob }) =>
          blob !== undefined && opIndex.hasBytes(blob.sha256) ? [[blob.sha256, blob.bytes] as const] : [],
        ),
      );
      return {
        photographs: blobs.size,
        records: owed.filter(({ kind }) => kind !== 'image').length,
        bytes: [...blobs.values()].reduce((sum, bytes) => sum + bytes, 0),
      };
    },
    fileName: () => `reef-rescue-${store.isoNow().slice(0, 16).replaceAll(/[:T]/g, '-')}.tar`,
    createCopy: async (target, { signal, onProgress }) => {
      try {
        await opIndex.follow();
        const plan = await planRescueCopy(store, opIndex, {
          id: (await store.getMeta('deviceId')) ?? '',
          name: self.name,
        });
        let done = 0;
        for await (const part of rescueCopyParts(store, plan)) {
          signal.throwIfAborted();
          await target.write(part);
          done += part instanceof Blob ? part.size : part.byteLength;
          onProgress({ step: 'writing', done, total: plan.bytes });
        }
        const file = await target.finish();
        const total = plan.manifest.blobs.reduce((sum, { bytes }) => sum + bytes, 0);
        const bad = await verifyRescueCopy(store.host, file, {
          signal,
          onBytes: (bytes) => onProgress({ step: 'checking', done: bytes, total }),
        });
        if (file.size !== plan.bytes || bad.length > 0) {
          throw new ReefError('hash-mismatch', {
            field: 'rescue',
            message: `The copy is incomplete: ${Math.max(1, bad.length)} of its photographs cannot be read back. Everything is still on this tablet. Make the copy again, on another stick if possible.`,
          });
        }
        return { photographs: plan.photographs, records: plan.manifest.ops.count, bytes: plan.bytes };
      } catch (error) {
        await target.abandon();
        throw error;
      }
    },
    open: async (file) => {
      const opened = await openRescueCopy(store.host, file);
      return {
        contents: await contentsOf(parts, opened),
        importCopy: async ({ signal, onProgress }) => {
          const total = [...opened.blobs.values()].reduce((sum, { bytes }) => sum + bytes, 0);
          try {
            return await importRescueCopy(parts, opened, {
              signal,
              isOffered: (opId) => sync.sender.offered.has(opId),
              isReceipted: (opId) => proofsOf(opIndex, opId).length > 0,
              onBytes: (done) => onProgress({ step: 'taking', done, total }),
            });
          } finally {
            await opIndex.follow();
            projector.schedule();
            sync.progress.tryNow();
          }
        },
      };
    },
  };
}

/** Owner of a survey according to the copy. */
function ownerOf({ ops }: OpenedRescueCopy, surveyId: string): string | null {
  return (
    ops
      .flatMap(({ op }) => (op.kind === 'survey' && op.docId === surveyId ? (recordOwner(op.body) ?? []) : []))
      .at(-1) ?? null
  );
}

async function contentsOf(parts: RepositoryContext, opened: OpenedRescueCopy): Promise<RescueContents> {
  const { manifest, ops, blobs, truncated, file } = opened;
  const known = await countKnown(parts, opened);
  return {
    madeAt: manifest.madeAt,
    deviceName: manifest.device.name,
    surveys: manifest.surveys.map(({ id, name, date, photographs }) =>
      parts.access.canSeeRemoteSurvey(id, ownerOf(opened, id))
        ? { name, date, photographs }
        : { name: OTHERS_SURVEY_NAME, date: '', photographs },
    ),
    photographs: blobs.size,
    photographsPresent: known.photographs,
    records: ops.length,
    recordsPresent: known.records,
    truncatedPhotographs: truncated.length,
    bytes: file.size,
  };
}
