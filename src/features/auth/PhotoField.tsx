import { useEffect, useState } from 'react';
import { FileTrigger } from 'react-aria-components';
import type { AccountRepository, PhotoUpload, ProfileRepository } from '../../data/repositories';
import { shrinkPicture } from '../../platform/shrink-picture';
import { Button } from '../../ui/Button';
import { Meter } from '../../ui/Meter';
import { useLive } from '../shell';
import { bytesWords } from './log-words';
import styles from './auth.module.css';

interface Props {
  readonly account: Pick<AccountRepository, 'facts'>;
  readonly profile: Pick<ProfileRepository, 'setPicture'>;
}

/** A photograph of oneself (2§7): made small here, then brought ashore with progress, pause, resume and cancel. */
export function PhotoField({ account, profile }: Props) {
  const { account: signedIn } = useLive(account.facts);
  const [upload, setUpload] = useState<PhotoUpload | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const give = async (files: FileList | null): Promise<void> => {
    const file = files?.[0];
    if (file === undefined) return;
    setProblem(null);
    try {
      setUpload(await profile.setPicture(await shrinkPicture(file)));
    } catch (error) {
      setUpload(null);
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <div className={styles.photo} role="group" aria-label="Photograph of you">
      <span className={styles.title}>Photograph of you</span>
      {signedIn === null ? (
        <p className={styles.quiet}>It goes ashore once you are signed in there.</p>
      ) : (
        <div className={styles.main}>
          <FileTrigger acceptedFileTypes={['image/*']} onSelect={(files) => void give(files)}>
            <Button icon="camera">Choose a photograph</Button>
          </FileTrigger>
        </div>
      )}
      {upload !== null && <OnItsWay upload={upload} />}
      {problem !== null && <p role="alert">{problem}</p>}
    </div>
  );
}

function OnItsWay({ upload }: { readonly upload: PhotoUpload }) {
  const { status, sent, bytes, problem } = useLive(upload.facts);
  // Who leaves the form gives it up: nothing goes on unseen.
  useEffect(() => () => upload.cancel(), [upload]);
  if (status === 'done') return <p role="status">It stands in your profile now.</p>;
  if (status === 'cancelled') return <p role="status">It was given up. Nothing changed.</p>;
  return (
    <>
      <Meter label="Going ashore" value={sent} max={bytes} words={`${bytesWords(sent)} of ${bytesWords(bytes)}`} />
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
