import { useLayoutEffect, useRef, type RefObject } from 'react';
import { formatBytes } from '../../../base/format-bytes';
import { formatCount } from '../../../base/plural';
import type { ImageRepository, PhotographView } from '../../../data/repositories';
import type { SurveyId } from '../../../domain/ids';
import { Button } from '../../../ui/controls/Button';
import { Dialog } from '../../../ui/controls/Dialog';
import { Icon } from '../../../ui/display/Icon';
import { useObservable } from '../../shell';
import { usePreview } from '../roll/use-preview';
import styles from './RemovedDialog.module.css';

interface Props {
  readonly images: ImageRepository;
  readonly surveyId: SurveyId;
  readonly onClose: () => void;
  readonly onRestore: (photographs: readonly PhotographView[]) => void;
}

/** Removed photographs, which can be restored. */
export function RemovedDialog({ images, surveyId, onClose, onRestore }: Props) {
  const removed = useObservable(images.removed(surveyId));
  const none = removed.items.length === 0;
  const list = useRef<HTMLUListElement>(null);
  const keepFocus = useFocusAfterRemoval(list, removed.items);
  return (
    <Dialog
      isOpen
      wide
      onClose={onClose}
      title="Removed photographs"
      actions={
        none ? undefined : (
          <Button
            variant="primary"
            onPress={() => {
              keepFocus(0);
              onRestore(removed.items);
            }}
          >
            Restore all
          </Button>
        )
      }
    >
      <p>
        {none
          ? 'None. Photographs that you remove are listed here and can be restored.'
          : `${formatCount(removed.items.length, 'photograph')}. They no longer belong to the survey; the originals are still stored.`}
      </p>
      <ul ref={list} className={styles.list}>
        {removed.items.map((photograph, i) => (
          <RemovedRow
            key={photograph.id}
            images={images}
            photograph={photograph}
            onRestore={() => {
              keepFocus(i);
              onRestore([photograph]);
            }}
          />
        ))}
      </ul>
    </Dialog>
  );
}

/** Moves the focus of a restored row to its successor or the dialog; otherwise Escape would reach nothing. */
function useFocusAfterRemoval(
  list: RefObject<HTMLUListElement | null>,
  items: readonly PhotographView[],
): (index: number) => void {
  const leaving = useRef<{ readonly at: number; readonly of: number } | null>(null);
  useLayoutEffect(() => {
    const [left, inner] = [leaving.current, list.current];
    // The list may change earlier for other reasons.
    if (left === null || inner === null || items.length >= left.of) return;
    leaving.current = null;
    const buttons = inner.querySelectorAll<HTMLElement>('button');
    (buttons[Math.min(left.at, buttons.length - 1)] ?? inner.closest<HTMLElement>('[role="dialog"]'))?.focus();
  }, [list, items]);
  return (index) => {
    leaving.current = { at: index, of: items.length };
  };
}

function RemovedRow({
  images,
  photograph,
  onRestore,
}: {
  readonly images: ImageRepository;
  readonly photograph: PhotographView;
  readonly onRestore: () => void;
}) {
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
        <span>{formatBytes(photograph.bytes)}</span>
      </span>
      <Button aria-label={`Restore ${photograph.name}`} onPress={onRestore}>
        Restore
      </Button>
    </li>
  );
}
