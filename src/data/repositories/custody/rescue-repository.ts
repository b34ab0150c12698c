import { ReefError } from '../../../domain/errors';
import { recordOwner } from '../../../domain/policy/topic-policy';
import { planRescueCopy, rescueCopyParts, unsentOps } from '../../rescue/plan-rescue-copy';
import type { OpenedRescueCopy } from '../../rescue/open-rescue-copy';
import { openRescueCopy, verifyRescueCopy } from '../../rescue/open-rescue-copy';
import type { ImportedRescue } from '../../rescue/import-rescue-copy';
import { countKnown, importRescueCopy } from '../../rescue/import-rescue-copy';
import { validReceipts } from '../../sync/custody/custody';
import { OTHERS_SURVEY_NAME } from './custody-repository';
import type { RepositoryContext } from '../repository-context';

export type { ImportedRescue } from '../../rescue/import-rescue-copy';

/** Where a rescue copy is written to: a file on a stick, or memory-backed parts that the browser saves in the end. */
export interface RescueTarget {
  readonly write: (part: Uint8Array<ArrayBuffer> | Blob) => Promise<void>;
  /** Ends writing; gives the file as it can be read back. */
  readonly finish: () => Promise<Blob>;
  /** Takes back what was begun. */
  readonly abandon: () => Promise<void>;
}

/** How far writing, checking or taking in is. Bytes. */
export interface RescueProgress {
  readonly step: 'writing' | 'checking' | 'taking';
  readonly done: number;
  readonly total: number;
}

interface ProgressOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: RescueProgress) => void;
}

/** A copy that was made and read back. */
export interface RescueCopy {
  readonly photographs: number;
  readonly records: number;
  /** Bytes of the file. */
  readonly bytes: number;
}

/** What is in a rescue copy, before anything of it is taken. */
export interface RescueContents {
  readonly madeAt: string;
  readonly deviceName: string;
  readonly surveys: readonly { readonly name: string; readonly date: string; readonly photographs: number }[];
  /** Photographs that the file holds whole, and how many of these are here already. */
  readonly photographs: number;
  readonly photographsPresent: number;
  readonly records: number;
  readonly recordsPresent: number;
  /** Photographs that the file was cut off before. */
  readonly truncatedPhotographs: number;
  readonly bytes: number;
}

/** An opened file and what is in it. */
export interface RescueFile {
  readonly contents: RescueContents;
  /** Takes it in. Doing so twice changes nothing. @throws ReefError `storage-full`, `hash-mismatch`; the signal's reason */
  readonly importCopy: (watching: ProgressOptions) => Promise<ImportedRescue>;
}

/** Unsent work as one file, for when a tablet cannot reach its box; and such a file on any tablet. Nothing here needs a server. */
export interface RescueRepository {
  /** What a copy made now would hold: photographs, other records, bytes of photographs. */
  readonly contents: () => { readonly photographs: number; readonly records: number; readonly bytes: number };
  /** The name that is proposed for the file. */
  readonly fileName: () => string;
  /**
   * Writes everything that has no receipt, and reads it back.
   *
   * @throws ReefError `not-found` where nothing is unsent, `hash-mismatch` where what was written cannot be read back, or a
   *   photograph is damaged here; the signal's reason. The target is taken back then.
   */
  readonly createCopy: (target: RescueTarget, watching: ProgressOptions) => Promise<RescueCopy>;
  /** Opens a file and says what is in it. @throws ReefError `bad-message`, `unsupported-version`, `hash-mismatch` */
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
            message: `The copy is not whole: ${Math.max(1, bad.length)} of its photographs cannot be read back. Everything is still on this tablet. Make it again, on another stick if there is one.`,
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
              isReceipted: (opId) => validReceipts(opIndex, opId).some(({ accepted }) => accepted),
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

/** Whose a survey of a copy is, as the copy says. */
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
