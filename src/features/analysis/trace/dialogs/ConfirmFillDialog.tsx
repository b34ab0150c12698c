import { Button } from '../../../../ui/controls/Button';
import { Dialog } from '../../../../ui/controls/Dialog';
import styles from './ConfirmFillDialog.module.css';
import { Swatch } from '../../stage/Swatch';
import type { FillConfirmation } from '../trace-state';

interface Props {
  readonly confirmation: FillConfirmation | null;
  readonly marks: number;
  readonly onConfirm: (question: FillConfirmation) => void;
  readonly onCancel: () => void;
}

/** Confirmation before a whole picture is filled (2§5). */
export function ConfirmFillDialog({ confirmation, marks, onConfirm, onCancel }: Props) {
  if (confirmation === null) return null;
  const { kind, paints } = confirmation;
  const name =
    paints.mod === undefined || paints.mod === 'live' ? paints.type.label : `${paints.type.label}, ${paints.mod}`;
  return (
    <Dialog
      isOpen
      role="alertdialog"
      onClose={onCancel}
      title={kind === 'zap' ? 'Fill the rest?' : 'Flag the whole picture as bad?'}
      actions={
        <>
          <Button onPress={onCancel}>{kind === 'zap' ? 'Cancel' : 'Keep my marks'}</Button>
          <Button variant="primary" autoFocus onPress={() => onConfirm(confirmation)}>
            {kind === 'zap' ? 'Fill the rest' : 'Flag the picture'}
          </Button>
        </>
      }
    >
      <p className={styles.what}>
        <Swatch of={paints} />
        <b>{name}</b>
      </p>
      {kind === 'zap' ? (
        <>
          <p>
            All unanalysed areas will be filled with it. What is painted stays as it is, and Undo takes the fill back.
          </p>
          {!paints.type.zap && (
            <p>
              The rest is seldom all one category: mostly it is water, sand or reef structure. Fill it with this only if
              you see it everywhere.
            </p>
          )}
        </>
      ) : (
        <p>
          The analysis will be cleared:{' '}
          {marks === 0
            ? 'only this flag is saved'
            : `${marks === 1 ? 'your mark is' : `your ${marks} marks are`} not saved, only this flag is`}
          . {paints.type.hint} Undo restores everything until you save.
        </p>
      )}
    </Dialog>
  );
}
