import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { AnalysisRepository, NextImage, TraceImage } from '../../../data/repositories';
import type { AnalysisId } from '../../../domain/ids';
import { Button } from '../../../ui/controls/Button';
import { Dialog } from '../../../ui/controls/Dialog';
import { NO_IMAGE_MESSAGES } from '../../analysis';
import { useObservable } from '../../shell';
import { completionText } from '../labelling-text';
import styles from './CompletionDialog.module.css';

/** Labelling that was saved just now. */
export interface SavedLabelling {
  readonly id: AnalysisId;
  readonly preview: Blob | null;
  /** True if the photograph had no analysis of this person before. */
  readonly isFirst: boolean;
}

interface Props {
  readonly analyses: Pick<AnalysisRepository, 'mine'>;
  readonly saved: SavedLabelling;
  readonly regionName: string;
  /** null while it is looked for. */
  readonly next: NextImage | null;
  readonly onNext: (image: TraceImage) => void;
  readonly onClose: () => void;
}

/** Completion dialog (2§2 "preview image, title, text, actions Go to Dashboard and Next Image"). */
export function CompletionDialog({ analyses, saved, regionName, next, onNext, onClose }: Props) {
  const mine = useObservable(analyses.mine);
  // The list may be a moment behind the save; 2§4: "increases the user's analysis count by 1".
  const count = new Set([...mine.items.map(({ id }) => id), saved.id]).size;
  const { title, text } = completionText(count, regionName);
  const image = next !== null && 'image' in next ? next.image : null;
  return (
    <Dialog
      isOpen
      title={title}
      onClose={onClose}
      actions={
        <>
          <span className={styles.leave}>
            <Link to="/dashboard">Go to Dashboard</Link>
          </span>
          <Button
            variant="primary"
            autoFocus
            isDisabled={image === null}
            onPress={() => image !== null && onNext(image)}
          >
            {next === null ? 'Looking for the next image' : 'Next Image'}
          </Button>
        </>
      }
    >
      <Preview picture={saved.preview} />
      <p className={styles.count} role="status">
        {text}
      </p>
      {next !== null && 'none' in next && <p>{NO_IMAGE_MESSAGES[next.none].text}</p>}
    </Dialog>
  );
}

function Preview({ picture }: { readonly picture: Blob | null }) {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (picture === null) return undefined;
    const made = URL.createObjectURL(picture);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [picture]);
  return url === null ? null : <img className={styles.preview} src={url} alt="Your labels on the photograph" />;
}
