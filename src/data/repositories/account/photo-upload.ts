import { ReefError } from '../../../domain/errors';
import type { CloudHttp } from '../../transport/cloud/cloud-http';
import { ObservableValue, isJsonEqual } from '../../../base/observable';
import type { Observable } from '../live';

/** Progress of a profile photo upload. */
interface PhotoUploadFacts {
  readonly status: 'sending' | 'paused' | 'done' | 'cancelled' | 'failed';
  /** Bytes stored in the cloud. */
  readonly sent: number;
  readonly bytes: number;
  /** Reason of a failure; `resume` continues from there. */
  readonly problem: ReefError | null;
}

export interface PhotoUpload {
  readonly facts: Observable<PhotoUploadFacts>;
  /** Stops after the current chunk. */
  readonly pause: () => void;
  /** Continues after `pause` or a failure. */
  readonly resume: () => void;
  /** Cancels the upload; the profile is unchanged. */
  readonly cancel: () => void;
}

interface PhotoUploadOptions {
  readonly http: Pick<CloudHttp, 'startUpload' | 'patch'>;
  readonly sha256: (of: Blob) => Promise<string>;
  readonly chunkBytes: number;
  readonly onUploaded: (sha256: string) => Promise<void>;
}

/** Uploads a photo in chunks and skips bytes that are there already (2§7 "Profile photo upload"). */
export function uploadPhoto(picture: Blob, { http, sha256, chunkBytes, onUploaded }: PhotoUploadOptions): PhotoUpload {
  const facts = new ObservableValue<PhotoUploadFacts>(
    { status: 'sending', sent: 0, bytes: picture.size, problem: null },
    isJsonEqual,
  );
  let running = false;
  const update = (change: Partial<PhotoUploadFacts>): void => facts.set({ ...facts.get(), ...change });
  const isSending = (): boolean => facts.get().status === 'sending';
  const sendAll = async (): Promise<void> => {
    const hash = await sha256(picture);
    const {
      uploadId,
      offset: there,
      complete,
    } = await http.startUpload({ sha256: hash, bytes: picture.size, type: picture.type });
    let offset = there;
    while (!complete && offset < picture.size) {
      update({ sent: offset });
      if (!isSending()) return;
      offset = await http.patch(
        uploadId,
        offset,
        new Uint8Array(await picture.slice(offset, offset + chunkBytes).arrayBuffer()),
      );
    }
    update({ sent: picture.size });
    if (!isSending()) return;
    await onUploaded(hash);
    update({ status: 'done' });
  };
  const run = (): void => {
    if (running) return;
    running = true;
    sendAll()
      .catch((error: unknown) => {
        if (facts.get().status !== 'cancelled')
          update({
            status: 'failed',
            problem: error instanceof ReefError ? error : new ReefError('internal', { cause: error }),
          });
      })
      .finally(() => {
        running = false;
        // It was resumed during the last chunk.
        if (isSending()) run();
      });
  };
  run();
  return {
    facts,
    pause: () => {
      if (isSending()) update({ status: 'paused' });
    },
    resume: () => {
      const { status } = facts.get();
      if (status !== 'paused' && status !== 'failed') return;
      update({ status: 'sending', problem: null });
      run();
    },
    cancel: () => {
      if (facts.get().status !== 'done') update({ status: 'cancelled' });
    },
  };
}
