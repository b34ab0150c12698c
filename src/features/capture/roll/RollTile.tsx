import { memo } from 'react';
import type { ImageRepository, PhotographView } from '../../../data/repositories';
import type { ImageId } from '../../../domain/ids';
import { Icon } from '../../../ui/display/Icon';
import { Lamp } from '../../../ui/feedback/Lamp';
import { lightsOf } from '../../sync-status';
import type { AddingItem } from '../queue/adding-state';
import type { RollItem } from './roll-items';
import { usePreview } from './use-preview';
import styles from './RollTile.module.css';
import { elsewhereText, rollItemLabel, hintLabel, refusedText } from '../capture-text';

interface Props {
  readonly id: string;
  readonly images: ImageRepository;
  readonly rollItem: RollItem;
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
  readonly drop: 'before' | 'after' | null;
  readonly numberOf: (id: ImageId) => number | null;
}

export const RollTile = memo(function RollTile({
  id,
  images,
  rollItem,
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
      aria-label={rollItemLabel(rollItem, numberOf)}
      data-index={index}
      {...dataAttributes(rollItem)}
      draggable={rollItem.kind === 'photograph'}
      className={[
        styles.tile,
        isActive ? styles.active : '',
        isSelected ? styles.selected : '',
        drop === null ? '' : styles[drop],
      ].join(' ')}
      style={{ transform: `translate(${x}px, ${y}px)`, width, height }}
    >
      {rollItem.kind === 'photograph' && (
        <PhotographContent
          images={images}
          photograph={rollItem.photograph}
          number={rollItem.number}
          numberOf={numberOf}
        />
      )}
      {rollItem.kind === 'known' && <DuplicateContent images={images} twin={rollItem.twin} name={rollItem.file.name} />}
      {rollItem.kind === 'adding' && <FileContent item={rollItem.file} />}
      {(isSelecting || isSelected) && rollItem.kind === 'photograph' && (
        <span className={styles.mark}>{isSelected && <Icon name="check" />}</span>
      )}
    </li>
  );
});

/** For tests and style sheets. */
function dataAttributes(rollItem: RollItem): Record<`data-${string}`, string> {
  if (rollItem.kind === 'photograph') {
    const { sha256, custody, name } = rollItem.photograph;
    return { 'data-sha256': sha256, 'data-custody': custody.status, 'data-name': name };
  }
  return { 'data-adding': rollItem.file.state.status, 'data-name': rollItem.file.name };
}

interface PhotographContentProps {
  readonly images: ImageRepository;
  readonly photograph: PhotographView;
  readonly number: number;
  readonly numberOf: (id: ImageId) => number | null;
}

function PhotographContent({ images, photograph, number, numberOf }: PhotographContentProps) {
  const url = usePreview(images, photograph);
  const { preview, custody, hints } = photograph;
  const [hint] = hints;
  const isHeld = custody.status === 'held';
  const light = lightsOf(custody, preview !== 'elsewhere');
  const isSaved = light.tablet === 'on' || light.box === 'on' || light.shore === 'on';
  if (preview === 'none' && url === null) {
    return (
      <span className={`${styles.blank} ${hint !== undefined || isHeld ? styles.flag : ''}`}>
        <b>No preview</b>
        <span>The original is saved and safe.</span>
        <span className={styles.tag}>
          <span>{number.toLocaleString('en')}</span>
          <CustodyMark light={light} isSaved={isSaved} />
        </span>
      </span>
    );
  }
  return (
    <>
      {url === null ? (
        preview === 'elsewhere' &&
        (custody.status !== 'tablet' || custody.lostBy !== undefined) && (
          <span className={styles.ground}>{elsewhereText(custody)}</span>
        )
      ) : (
        <TilePicture sha256={photograph.sha256} url={url} />
      )}
      {isHeld || hint !== undefined ? (
        <>
          <span className={styles.frame} />
          <span className={`${styles.tag} ${styles.coral}`}>
            <span className={styles.word}>{isHeld ? 'On hold' : hint !== undefined && hintLabel(hint, numberOf)}</span>
            <span className={styles.signs}>
              <span className={styles.small}>{number.toLocaleString('en')}</span>
              <Icon name="alert" />
            </span>
          </span>
        </>
      ) : (
        <span className={styles.tag}>
          <span>{number.toLocaleString('en')}</span>
          <CustodyMark light={light} isSaved={isSaved} />
        </span>
      )}
    </>
  );
}

/**
 * Keyed by photograph: a reused element would show the old picture until the new one is decoded, next to the wrong name
 * and buttons.
 */
export function TilePicture({ sha256, url }: { readonly sha256: PhotographView['sha256']; readonly url: string }) {
  return <img key={sha256} className={styles.picture} src={url} alt="" draggable={false} decoding="async" />;
}

/** Tick for saved; a hull or a hill once it is there. */
function CustodyMark({ light, isSaved }: { readonly light: ReturnType<typeof lightsOf>; readonly isSaved: boolean }) {
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

function DuplicateContent({
  images,
  twin,
  name,
}: {
  readonly images: ImageRepository;
  readonly twin: Extract<RollItem, { kind: 'known' }>['twin'];
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
  return url === null ? <span className={styles.ground} /> : <TilePicture sha256={photograph.sha256} url={url} />;
}

function FileContent({ item }: { readonly item: AddingItem }) {
  if (item.state.status === 'refused') {
    const text = refusedText(item.state.error);
    const [title, ...why] = text.split(': ');
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
