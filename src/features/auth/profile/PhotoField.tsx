import { useEffect, useState } from 'react';
import { FileTrigger } from 'react-aria-components';
import { formatBytes } from '../../../base/format-bytes';
import type { PhotoUpload, ProfileRepository, Repositories } from '../../../data/repositories';
import { shrinkPhoto } from '../../../platform/shrink-photo';
import { Button } from '../../../ui/controls/Button';
import { Meter } from '../../../ui/feedback/Meter';
import { useObservable } from '../../shell';
import { FormError } from '../FormError';
import { useTask } from '../use-task';
import styles from '../auth.module.css';

interface Props {
  readonly account: Pick<Repositories['account'], 'signIn'>;
  readonly profile: Pick<ProfileRepository, 'setPhoto' | 'removePhoto' | 'photo'>;
}

/** Profile photo (2§7): resized here, then uploaded with progress, pause, resume and cancel. */
export function PhotoField({ account, profile }: Props) {
  const { account: signedIn } = useObservable(account.signIn.facts);
  const picture = useObservable(profile.photo);
  const removing = useTask();
  const isRemoving = removing.task.status === 'working';
  const [upload, setUpload] = useState<PhotoUpload | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const choosePhoto = async (files: FileList | null): Promise<void> => {
    const file = files?.[0];
    if (file === undefined) return;
    setProblem(null);
    try {
      setUpload(await profile.setPhoto(await shrinkPhoto(file)));
    } catch (error) {
      setUpload(null);
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  const remove = (): void =>
    void removing.run('other', async () => {
      setUpload(null);
      await profile.removePhoto();
      return 'Your photo was removed.';
    });
  return (
    <div className={styles.photo} role="group" aria-label="Profile photo">
      <span className={styles.title}>Profile photo</span>
      {signedIn === null ? (
        <p className={styles.quiet}>Sign in ashore to add a photo.</p>
      ) : (
        <div className={styles.main}>
          <FileTrigger acceptedFileTypes={['image/*']} onSelect={(files) => void choosePhoto(files)}>
            <Button icon="camera" isDisabled={isRemoving}>
              {picture === null ? 'Choose a photo' : 'Choose another photo'}
            </Button>
          </FileTrigger>
          {picture !== null && (
            <Button icon="close" isDisabled={isRemoving} onPress={remove}>
              {isRemoving ? 'Removing' : 'Remove photo'}
            </Button>
          )}
        </div>
      )}
      {upload !== null && <UploadProgress upload={upload} />}
      {problem !== null && <p role="alert">{problem}</p>}
      {upload === null && removing.task.status === 'done' && <p role="status">{removing.task.text}</p>}
      <FormError problem={removing.problem} />
    </div>
  );
}

function UploadProgress({ upload }: { readonly upload: PhotoUpload }) {
  const { status, sent, bytes, problem } = useObservable(upload.facts);
  // Leaving the form cancels the upload.
  useEffect(() => () => upload.cancel(), [upload]);
  if (status === 'done') return <p role="status">Your profile shows the new photo now.</p>;
  if (status === 'cancelled') return <p role="status">The upload was cancelled. Nothing was changed.</p>;
  return (
    <>
      <Meter label="Uploading" value={sent} max={bytes} valueText={`${formatBytes(sent)} of ${formatBytes(bytes)}`} />
      {problem !== null && <p role="alert">{problem.message}</p>}
      <div className={styles.main}>
        {status === 'sending' ? (
          <Button icon="pause" onPress={upload.pause}>
            Pause
          </Button>
        ) : (
          <Button icon="play" onPress={upload.resume}>
            {status === 'failed' ? 'Try again' : 'Resume'}
          </Button>
        )}
        <Button icon="close" onPress={upload.cancel}>
          Cancel
        </Button>
      </div>
    </>
  );
}
