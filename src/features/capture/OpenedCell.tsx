import { useState, type ReactNode } from 'react';
import type { ImageRepository } from '../../data/repositories';
import type { ImageId } from '../../domain/ids';
import { Dialog } from '../../ui/Dialog';
import type { Cell } from './cells';
import { PhotographDialog } from './PhotographDialog';
import { MoveDialog } from './SelectionBar';
import { refusedWords } from './words';

interface Props {
  readonly images: ImageRepository;
  readonly cells: readonly Cell[];
  readonly openedKey: string;
  readonly order: readonly ImageId[];
  readonly numberOf: (id: ImageId) => number | null;
  /** Another tile, or null to close. */
  readonly onOpen: (key: string | null) => void;
  readonly onKeep: (id: ImageId) => void;
  readonly onRetake: (id: ImageId, file: File) => void;
  readonly onRemove: (id: ImageId) => void;
  readonly onMove: (id: ImageId, before: ImageId | null) => void;
  /** A link to tracing it. */
  readonly toTrace: (id: ImageId, words: string) => ReactNode;
}

/** What Enter, or a touch, on a tile opens: the photograph large, its twin, or why a file was refused. */
export function OpenedCell({
  images,
  cells,
  openedKey,
  order,
  numberOf,
  onOpen,
  onKeep,
  onRetake,
  onRemove,
  onMove,
  toTrace,
}: Props) {
  const [isMoving, setMoving] = useState(false);
  const index = cells.findIndex(({ key }) => key === openedKey);
  const cell = cells[index];
  const close = (): void => onOpen(null);
  if (cell === undefined) return null;
  if (cell.kind === 'adding') {
    const { state, name } = cell.item;
    return (
      <Dialog isOpen onClose={close} title={name}>
        <p>
          {state.status === 'refused'
            ? refusedWords(state.error)
            : state.status === 'reading'
              ? 'It is being read and saved. It is not safe yet: keep the card.'
              : 'It waits for its turn and is not saved yet: keep the card.'}
        </p>
      </Dialog>
    );
  }
  const shown = cell.kind === 'known' ? cell.twin : { number: cell.number, photograph: cell.photograph };
  if (shown === null) {
    return (
      <Dialog isOpen onClose={close} title={cell.kind === 'known' ? cell.item.name : ''}>
        <p>It is the same, byte for byte, as a photograph that this survey had and that was removed meanwhile.</p>
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
      />
    );
  }
  const step = (by: -1 | 1): (() => void) | null => {
    for (let i = index + by; i >= 0 && i < cells.length; i += by) {
      const other = cells[i];
      if (other?.kind === 'photograph') return () => onOpen(other.key);
    }
    return null;
  };
  const next = step(1);
  const previous = step(-1);
  return (
    <PhotographDialog
      images={images}
      photograph={photograph}
      number={number}
      total={order.length}
      numberOf={numberOf}
      onClose={close}
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
      trace={photograph.preview === 'here' ? toTrace(photograph.id, 'Trace') : null}
    />
  );
}
