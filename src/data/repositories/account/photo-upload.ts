import { ReefError } from '../../../domain/errors';
import type { CloudHttp } from '../../transport/cloud/cloud-http';
import { ObservableValue, isSameJson } from '../../transport/observable';
import type { Observable } from '../live';

/** How far a photograph of oneself is. */
export interface PhotoUploadFacts {
  readonly status: 'sending' | 'paused' | 'done' | 'cancelled' | 'failed';
  /** Bytes that the shore has on disk, of all. */
  readonly sent: number;
  readonly bytes: number;
  /** Why it failed; `resume` tries again from where it was. */
  readonly problem: ReefError | null;
}

/** A photograph of oneself on its way. */
export interface PhotoUpload {
  readonly facts: Observable<PhotoUploadFacts>;
  /** Stops after the piece in hand. */
  readonly pause: () => void;
  /** Goes on after `pause`, or after it failed. */
  readonly resume: () => void;
  /** Gives it up; what the profile shows stays as it was. */
  readonly cancel: () => void;
}

interface PhotoUploadOptions {
  readonly http: Pick<CloudHttp, 'startUpload' | 'patch'>;
  readonly sha256: (of: Blob) => Promise<string>;
  readonly chunkBytes: number;
  /** Called once all bytes are there. */
  readonly onUploaded: (sha256: string) => Promise<void>;
}

/** Brings a picture ashore in pieces; what is there already is not sent again (2§7 "Profile photo upload"). */
export function uploadPhoto(picture: Blob, { http, sha256, chunkBytes, onUploaded }: PhotoUploadOptions): PhotoUpload {
  const facts = new ObservableValue<PhotoUploadFacts>(
    { status: 'sending', sent: 0, bytes: picture.size, problem: null },
    isSameJson,
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
        // It was told to go on while the last piece was on its way.
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
