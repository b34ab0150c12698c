import type { ImageRepository, PhotographView } from '../../data/repositories';
import type { SurveyId } from '../../domain/ids';
import { Button } from '../../ui/Button';
import { Dialog } from '../../ui/Dialog';
import { Icon } from '../../ui/Icon';
import { useLive } from '../shell';
import { bytesWords, count } from '../sync-status';
import { usePreview } from './previews';
import styles from './RemovedDialog.module.css';

interface Props {
  readonly images: ImageRepository;
  readonly surveyId: SurveyId;
  readonly onClose: () => void;
  readonly onRestore: (photographs: readonly PhotographView[]) => void;
}

/** The photographs that were removed from a survey; their bytes are kept, and each can be put back. */
export function RemovedDialog({ images, surveyId, onClose, onRestore }: Props) {
  const removed = useLive(images.removed(surveyId));
  const none = removed.items.length === 0;
  return (
    <Dialog
      isOpen
      wide
      onClose={onClose}
      title="Removed photographs"
      actions={
        none ? undefined : (
          <Button look="primary" onPress={() => onRestore(removed.items)}>
            Put all back
          </Button>
        )
      }
    >
      <p>{none ? 'None. What you remove from the roll is listed here and can be put back.' : `${count(removed.items.length, 'photograph')}. They no longer belong to the survey; the originals are kept.`}</p>
      <ul className={styles.list}>
        {removed.items.map((photograph) => (
          <Row key={photograph.id} images={images} photograph={photograph} onRestore={() => onRestore([photograph])} />
        ))}
      </ul>
    </Dialog>
  );
}

function Row({ images, photograph, onRestore }: { readonly images: ImageRepository; readonly photograph: PhotographView; readonly onRestore: () => void }) {
  const url = usePreview(images, photograph);
  return (
    <li className={styles.row}>
      {url === null ? (
        <span className={styles.none}>
          <Icon name="photos" />
        </span>
      ) : (
        <img className={styles.picture} src={url} alt="" loading="lazy" />
      )}
      <span className={styles.words}>
        <b>{photograph.name}</b>
        <span>{bytesWords(photograph.bytes)}</span>
      </span>
      <Button aria-label={`Put back ${photograph.name}`} onPress={onRestore}>
        Put back
      </Button>
    </li>
  );
}
