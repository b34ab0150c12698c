import { Button } from '../../../ui/controls/Button';
import type { MainAction } from '../labelling-text';
import styles from './LabelFoot.module.css';

interface Props {
  readonly action: MainAction;
  readonly isSaving: boolean;
  readonly isReadOnly: boolean;
  /** Place of the picture, and for experts the counters. */
  readonly region: string;
  readonly text: string;
  readonly onBack: () => void;
  readonly onContinue: () => void;
  readonly onSubmit: () => void;
}

/** Back, and Continue or Submit. */
export function LabelFoot({ action, isSaving, isReadOnly, region, text, onBack, onContinue, onSubmit }: Props) {
  return (
    <footer className={styles.foot} data-foot>
      <p>
        <b>{region}</b>
        {text}
      </p>
      <Button isDisabled={isSaving} onPress={onBack}>
        Back
      </Button>
      <Button
        variant="primary"
        isDisabled={isSaving || action.kind === 'missing' || (isReadOnly && action.kind === 'submit')}
        onPress={action.kind === 'submit' ? onSubmit : onContinue}
      >
        {isSaving ? 'Saving...' : action.text}
      </Button>
    </footer>
  );
}
