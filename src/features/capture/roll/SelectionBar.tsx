import { useState } from 'react';
import { formatCount } from '../../../base/plural';
import type { ImageId } from '../../../domain/ids';
import { Button } from '../../../ui/controls/Button';
import { Dialog } from '../../../ui/controls/Dialog';
import { HoldButton } from '../../../ui/controls/HoldButton';
import { NumberField } from '../../../ui/controls/NumberField';
import styles from './SelectionBar.module.css';

interface Props {
  readonly selected: readonly ImageId[];
  readonly order: readonly ImageId[];
  readonly onAll: () => void;
  readonly onDone: () => void;
  readonly onRemove: () => void;
  readonly onMove: (before: ImageId | null) => void;
}

/** Footer during selection. */
export function SelectionBar({ selected, order, onAll, onDone, onRemove, onMove }: Props) {
  const [isMoving, setMoving] = useState(false);
  const none = selected.length === 0;
  return (
    <>
      <p className={styles.words} role="status">
        <b>{none ? 'Select photographs' : `${formatCount(selected.length, 'photograph')} selected`}</b>
        <span>
          {none ? 'Tap each photograph.' : 'Drag them, or use the buttons. Removed photographs can be restored.'}
        </span>
      </p>
      <Button onPress={onDone}>Done</Button>
      <Button onPress={onAll}>All</Button>
      <Button isDisabled={none || selected.length === order.length} onPress={() => setMoving(true)}>
        Move
      </Button>
      <HoldButton isDisabled={none} onHeld={onRemove} holdLabel="Hold to remove">
        Remove
      </HoldButton>
      {isMoving && (
        <MoveDialog
          selected={selected}
          order={order}
          onClose={() => setMoving(false)}
          onMove={(before) => {
            setMoving(false);
            onMove(before);
          }}
        />
      )}
    </>
  );
}

interface MoveProps {
  readonly selected: readonly ImageId[];
  readonly order: readonly ImageId[];
  readonly onClose: () => void;
  readonly onMove: (before: ImageId | null) => void;
}

export function MoveDialog({ selected, order, onClose, onMove }: MoveProps) {
  const [place, setPlace] = useState<number | null>(1);
  const moving = new Set(selected);
  const rest = order.filter((id) => !moving.has(id));
  const last = rest.length + 1;
  const isPlace = place !== null && Number.isInteger(place) && place >= 1 && place <= last;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={selected.length === 1 ? 'Move the photograph' : `Move ${selected.length.toLocaleString('en')} photographs`}
      actions={
        <>
          <Button onPress={() => onMove(rest[0] ?? null)}>To the front</Button>
          <Button onPress={() => onMove(null)}>To the end</Button>
          <Button variant="primary" isDisabled={!isPlace} onPress={() => isPlace && onMove(rest[place - 1] ?? null)}>
            {isPlace ? `Move to ${place.toLocaleString('en')}` : 'Move'}
          </Button>
        </>
      }
    >
      <NumberField
        label="New position"
        value={place}
        onChange={setPlace}
        min={1}
        max={last}
        error={isPlace ? undefined : `Enter a position from 1 to ${last.toLocaleString('en')}.`}
      />
    </Dialog>
  );
}
