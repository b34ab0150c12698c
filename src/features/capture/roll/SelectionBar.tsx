import { useState } from 'react';
import { formatCount } from '../../../base/plural';
import type { ImageId, SurveyId } from '../../../domain/ids';
import { formatDay } from '../../../domain/survey/day';
import { Button } from '../../../ui/controls/Button';
import { Dialog } from '../../../ui/controls/Dialog';
import { HoldButton } from '../../../ui/controls/HoldButton';
import { NumberField } from '../../../ui/controls/NumberField';
import { Select } from '../../../ui/controls/Select';
import styles from './SelectionBar.module.css';

interface Props {
  readonly selected: readonly ImageId[];
  readonly order: readonly ImageId[];
  readonly onAll: () => void;
  readonly onDone: () => void;
  readonly onRemove: () => void;
  readonly onMove: (before: ImageId | null) => void;
  /** Surveys to which photographs can be moved, the newest first. */
  readonly others: readonly OtherSurvey[];
  readonly onToSurvey: (to: SurveyId) => void;
}

export interface OtherSurvey {
  readonly id: SurveyId;
  readonly name: string;
  /** ISO date. */
  readonly date: string;
}

/** Footer during selection. */
export function SelectionBar({ selected, order, onAll, onDone, onRemove, onMove, others, onToSurvey }: Props) {
  const [isMoving, setMoving] = useState(false);
  const none = selected.length === 0;
  const isFixed = selected.length === order.length && others.length === 0;
  return (
    <>
      <p className={styles.words} role="status">
        <b>{none ? 'Select photographs' : `${formatCount(selected.length, 'photograph')} selected`}</b>
        <span className={none || isFixed ? styles.why : ''}>
          {none
            ? 'Tap each photograph. Then it can be moved or removed.'
            : isFixed
              ? 'All are selected and there is no other survey, so there is nowhere to move them.'
              : 'Drag them, or use the buttons. Removed photographs can be restored.'}
        </span>
      </p>
      <Button onPress={onDone}>Done</Button>
      <Button onPress={onAll}>All</Button>
      <Button isDisabled={none || isFixed} onPress={() => setMoving(true)}>
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
          others={others}
          onToSurvey={(to) => {
            setMoving(false);
            onToSurvey(to);
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
  readonly others: readonly OtherSurvey[];
  readonly onToSurvey: (to: SurveyId) => void;
}

export function MoveDialog({ selected, order, onClose, onMove, others, onToSurvey }: MoveProps) {
  const [place, setPlace] = useState<number | null>(1);
  const [to, setTo] = useState<SurveyId | null>(null);
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
        to !== null ? (
          <Button variant="primary" onPress={() => onToSurvey(to)}>
            Move to the other survey
          </Button>
        ) : (
          rest.length > 0 && (
            <>
              <Button onPress={() => onMove(rest[0] ?? null)}>To the front</Button>
              <Button onPress={() => onMove(null)}>To the end</Button>
              <Button
                variant="primary"
                isDisabled={!isPlace}
                onPress={() => isPlace && onMove(rest[place - 1] ?? null)}
              >
                {isPlace ? `Move to ${place.toLocaleString('en')}` : 'Move'}
              </Button>
            </>
          )
        )
      }
    >
      {rest.length > 0 && to === null && (
        <NumberField
          label="New position"
          value={place}
          onChange={setPlace}
          min={1}
          max={last}
          error={isPlace ? undefined : `Enter a position from 1 to ${last.toLocaleString('en')}.`}
        />
      )}
      {others.length > 0 && (
        <Select
          label={rest.length > 0 && to === null ? 'Or to another survey' : 'To another survey'}
          placeholder="Choose a survey"
          options={others.map(({ id, name, date }) => ({ value: id, label: `${name}, ${formatDay(date)}` }))}
          value={to}
          onChange={setTo}
          help={`${selected.length === 1 ? 'It leaves' : 'They leave'} this survey and can be restored under “Removed”. Nothing is sent twice.`}
        />
      )}
    </Dialog>
  );
}
