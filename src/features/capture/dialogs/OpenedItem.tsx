import { useState } from 'react';
import type { ImageRepository, PhotographView } from '../../../data/repositories';
import type { ImageId, SurveyId } from '../../../domain/ids';
import { Dialog } from '../../../ui/controls/Dialog';
import type { RollItem } from '../roll/roll-items';
import { PhotographDialog, type TwinPhotograph } from './PhotographDialog';
import { useBackCloses } from './use-back-closes';
import { MoveDialog, type OtherSurvey } from '../roll/SelectionBar';
import { refusedText } from '../capture-text';

interface Props {
  readonly images: ImageRepository;
  readonly surveyId: SurveyId;
  readonly rollItems: readonly RollItem[];
  readonly openedKey: string;
  readonly order: readonly ImageId[];
  readonly numberOf: (id: ImageId) => number | null;
  /** Key of another tile, or null to close. */
  readonly onOpen: (key: string | null) => void;
  readonly onKeep: (id: ImageId) => void;
  readonly onRetake: (id: ImageId, file: File) => void;
  readonly onRemove: (id: ImageId) => void;
  readonly onMove: (id: ImageId, before: ImageId | null) => void;
  readonly others: readonly OtherSurvey[];
  readonly onToSurvey: (id: ImageId, to: SurveyId) => void;
}

/** Dialog of a tile: the photograph, its duplicate, or the reason for a refusal. */
export function OpenedItem({
  images,
  surveyId,
  rollItems,
  openedKey,
  order,
  numberOf,
  onOpen,
  onKeep,
  onRetake,
  onRemove,
  onMove,
  others,
  onToSurvey,
}: Props) {
  const [isMoving, setMoving] = useState(false);
  const index = rollItems.findIndex(({ key }) => key === openedKey);
  const rollItem = rollItems[index];
  const close = (): void => onOpen(null);
  useBackCloses(rollItem !== undefined, close);
  if (rollItem === undefined) return null;
  if (rollItem.kind === 'adding') {
    const { state, name } = rollItem.file;
    return (
      <Dialog isOpen onClose={close} title={name}>
        <p>
          {state.status === 'refused'
            ? refusedText(state.error)
            : state.status === 'reading'
              ? 'Being read and saved. Not safe yet: keep the card.'
              : 'Waiting to be saved. Keep the card.'}
        </p>
      </Dialog>
    );
  }
  const shown =
    rollItem.kind === 'known' ? rollItem.twin : { number: rollItem.number, photograph: rollItem.photograph };
  if (shown === null) {
    return (
      <Dialog isOpen onClose={close} title={rollItem.kind === 'known' ? rollItem.file.name : ''}>
        <p>Identical, byte for byte, to a photograph that was removed from this survey.</p>
      </Dialog>
    );
  }
  const { number, photograph } = shown;
  if (isMoving) {
    return (
      <MoveDialog
        selected={[photograph.id]}
        order={order}
        onClose={() => setMoving(false)}
        onMove={(before) => {
          setMoving(false);
          onMove(photograph.id, before);
        }}
        others={others}
        onToSurvey={(to) => {
          setMoving(false);
          close();
          onToSurvey(photograph.id, to);
        }}
      />
    );
  }
  const neighbour = (by: -1 | 1): (() => void) | null => {
    for (let i = index + by; i >= 0 && i < rollItems.length; i += by) {
      const other = rollItems[i];
      if (other?.kind === 'photograph') return () => onOpen(other.key);
    }
    return null;
  };
  const twin = twinOf(photograph, rollItems, numberOf);
  const next = neighbour(1);
  const previous = neighbour(-1);
  return (
    <PhotographDialog
      images={images}
      surveyId={surveyId}
      photograph={photograph}
      number={number}
      total={order.length}
      numberOf={numberOf}
      onClose={close}
      twin={twin}
      onTwin={() => twin !== null && onOpen(twin.photograph.id)}
      onPrevious={previous}
      onNext={next}
      onKeep={() => onKeep(photograph.id)}
      onRetake={(file) => {
        close();
        onRetake(photograph.id, file);
      }}
      onRemove={() => {
        (next ?? previous ?? close)();
        onRemove(photograph.id);
      }}
      onMove={() => setMoving(true)}
    />
  );
}

/** Photograph of the hint "Like 6". */
function twinOf(
  { hints }: PhotographView,
  rollItems: readonly RollItem[],
  numberOf: (id: ImageId) => number | null,
): TwinPhotograph | null {
  const hint = hints.find(({ kind }) => kind === 'near-duplicate');
  const of = hint?.kind === 'near-duplicate' ? hint.of : null;
  for (const item of rollItems)
    if (item.kind === 'photograph' && item.photograph.id === of)
      return { number: numberOf(of) ?? item.number, photograph: item.photograph };
  return null;
}
