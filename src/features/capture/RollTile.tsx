import { memo } from 'react';
import type { ImageRepository, PhotographView } from '../../data/repositories';
import type { ImageId } from '../../domain/ids';
import { Icon } from '../../ui/Icon';
import { Lamp } from '../../ui/Lamp';
import { lightsOf } from '../sync-status';
import type { AddingItem } from './adding-state';
import type { Cell } from './cells';
import { usePreview } from './previews';
import styles from './RollTile.module.css';
import { cellName, hintWord, refusedWords } from './words';

interface Props {
  readonly id: string;
  readonly images: ImageRepository;
  readonly cell: Cell;
  readonly index: number;
  readonly count: number;
  /** Px within the roll. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly isActive: boolean;
  readonly isSelected: boolean;
  readonly isSelecting: boolean;
  /** Where a dragged photograph would come in. */
  readonly drop: 'before' | 'after' | null;
  readonly numberOf: (id: ImageId) => number | null;
}

/** One tile of the roll. */
export const RollTile = memo(function RollTile({
  id,
  images,
  cell,
  index,
  count,
  x,
  y,
  width,
  height,
  isActive,
  isSelected,
  isSelecting,
  drop,
  numberOf,
}: Props) {
  return (
    <li
      id={id}
      role="option"
      aria-selected={isSelected}
      aria-setsize={count}
      aria-posinset={index + 1}
      aria-label={cellName(cell, numberOf)}
      data-index={index}
      {...factsOf(cell)}
      draggable={cell.kind === 'photograph'}
      className={[
        styles.tile,
        isActive ? styles.active : '',
        isSelected ? styles.selected : '',
        drop === null ? '' : styles[drop],
      ].join(' ')}
      style={{ transform: `translate(${x}px, ${y}px)`, width, height }}
    >
      {cell.kind === 'photograph' && (
        <Photograph images={images} photograph={cell.photograph} number={cell.number} numberOf={numberOf} />
      )}
      {cell.kind === 'known' && <Known images={images} twin={cell.twin} name={cell.item.name} />}
      {cell.kind === 'adding' && <Adding item={cell.item} />}
      {(isSelecting || isSelected) && cell.kind === 'photograph' && (
        <span className={styles.mark}>{isSelected && <Icon name="check" />}</span>
      )}
    </li>
  );
});

/** What tests and style sheets read of a tile. */
function factsOf(cell: Cell): Record<`data-${string}`, string> {
  if (cell.kind === 'photograph') {
    const { sha256, custody, name } = cell.photograph;
    return { 'data-sha256': sha256, 'data-custody': custody.at, 'data-name': name };
  }
  return { 'data-adding': cell.item.state.status, 'data-name': cell.item.name };
}

interface PhotographProps {
  readonly images: ImageRepository;
  readonly photograph: PhotographView;
  readonly number: number;
  readonly numberOf: (id: ImageId) => number | null;
}

function Photograph({ images, photograph, number, numberOf }: PhotographProps) {
  const url = usePreview(images, photograph);
  const { preview, custody, hints } = photograph;
  const [hint] = hints;
  const isHeld = custody.at === 'held';
  const light = lightsOf(custody, preview !== 'elsewhere');
  const isSaved = light.tablet === 'on' || light.box === 'on' || light.shore === 'on';
  if (preview === 'none') {
    return (
      <span className={`${styles.blank} ${hint !== undefined || isHeld ? styles.flag : ''}`}>
        <b>No preview</b>
        <span>The original is saved and safe.</span>
        <span className={styles.tag}>
          <span>{number.toLocaleString('en')}</span>
          <Where light={light} isSaved={isSaved} />
        </span>
      </span>
    );
  }
  return (
    <>
      {url === null ? (
        preview === 'elsewhere' && custody.at !== 'tablet' && <span className={styles.ground}>On another tablet</span>
      ) : (
        <Picture sha256={photograph.sha256} url={url} />
      )}
      {isHeld || hint !== undefined ? (
        <>
          <span className={styles.frame} />
          <span className={`${styles.tag} ${styles.coral}`}>
            <span className={styles.word}>{isHeld ? 'Held back' : hint !== undefined && hintWord(hint, numberOf)}</span>
            <span className={styles.signs}>
              <span className={styles.small}>{number.toLocaleString('en')}</span>
              <Icon name="alert" />
            </span>
          </span>
        </>
      ) : (
        <span className={styles.tag}>
          <span>{number.toLocaleString('en')}</span>
          <Where light={light} isSaved={isSaved} />
        </span>
      )}
    </>
  );
}

/**
 * The picture of one photograph. Another photograph in the same tile gets an element of its own: the old one would show its
 * picture until the new one is decoded, over the name and the buttons of the wrong photograph.
 */
export function Picture({ sha256, url }: { readonly sha256: PhotographView['sha256']; readonly url: string }) {
  return <img key={sha256} className={styles.picture} src={url} alt="" draggable={false} decoding="async" />;
}

/** A tick for saved; the hull or the hill once it is there. */
function Where({ light, isSaved }: { readonly light: ReturnType<typeof lightsOf>; readonly isSaved: boolean }) {
  return (
    <span className={styles.signs}>
      {light.shore === 'on' ? (
        <Lamp shape="hill" state="on" />
      ) : (
        light.box !== 'off' && <Lamp shape="hull" state={light.box} />
      )}
      {isSaved && <Icon name="check" />}
    </span>
  );
}

function Known({
  images,
  twin,
  name,
}: {
  readonly images: ImageRepository;
  readonly twin: Extract<Cell, { kind: 'known' }>['twin'];
  readonly name: string;
}) {
  return (
    <>
      {twin === null ? (
        <span className={styles.ground}>{name}</span>
      ) : (
        <TwinPicture images={images} photograph={twin.photograph} />
      )}
      <span className={styles.hatch} />
      <span className={`${styles.tag} ${styles.sand}`}>
        <span className={styles.word}>
          {twin === null ? 'Duplicate' : `Same as ${twin.number.toLocaleString('en')}`}
        </span>
        <Icon name="dup" />
      </span>
    </>
  );
}

function TwinPicture({
  images,
  photograph,
}: {
  readonly images: ImageRepository;
  readonly photograph: PhotographView;
}) {
  const url = usePreview(images, photograph);
  return url === null ? <span className={styles.ground} /> : <Picture sha256={photograph.sha256} url={url} />;
}

function Adding({ item }: { readonly item: AddingItem }) {
  if (item.state.status === 'refused') {
    const words = refusedWords(item.state.error);
    const [title, ...why] = words.split(': ');
    return (
      <span className={`${styles.blank} ${styles.refused}`}>
        <b>{title}</b>
        <span className={styles.why}>{why.join(': ')}</span>
        <span className={styles.tag}>
          <span className={styles.word}>{item.name}</span>
          <Icon name="alert" />
        </span>
      </span>
    );
  }
  const isReading = item.state.status === 'reading';
  return (
    <span className={isReading ? styles.now : styles.wait}>
      {isReading && <span className={styles.ring} />}
      <span className={styles.tag}>
        <span className={styles.word}>{item.name}</span>
        <span className={styles.small}>{isReading ? 'reading' : 'waiting'}</span>
      </span>
    </span>
  );
}
