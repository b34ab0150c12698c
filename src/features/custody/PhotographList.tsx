import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import type { PhotographStatus, Repositories } from '../../data/repositories';
import { CustodyLights } from '../sync-status';
import styles from './PhotographList.module.css';
import { Thumbnail } from './Thumbnail';
import { usePhotographNames } from './use-photograph-names';
import { lightsAt, placeText } from './custody-text';

/** Height of a row before it is measured, px. */
const ROW_PX = 76;

/** List of a survey's photographs for eyes, keyboards and screen readers; renders only the visible rows. */
export function PhotographList({
  photographs,
  custody,
  images,
}: {
  readonly photographs: readonly PhotographStatus[];
  readonly custody: Repositories['custody'];
  readonly images: Repositories['census']['images'];
}) {
  const place = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: photographs.length,
    getScrollElement: () => place.current,
    estimateSize: () => ROW_PX,
    overscan: 6,
    getItemKey: (i) => photographs[i]?.id ?? i,
  });
  const shown = rows.getVirtualItems();
  const names = usePhotographNames(
    custody,
    shown.flatMap(({ index }) => photographs[index]?.id ?? []),
  );
  return (
    <div ref={place} className={styles.list} tabIndex={0} role="list" aria-label="All photographs of this survey">
      <div className={styles.all} style={{ height: rows.getTotalSize() }}>
        {shown.map(({ index, key, start }) => {
          const photograph = photographs[index];
          if (photograph === undefined) return null;
          return (
            <div
              key={key}
              ref={rows.measureElement}
              data-index={index}
              role="listitem"
              aria-setsize={photographs.length}
              aria-posinset={index + 1}
              className={styles.row}
              style={{ transform: `translateY(${start}px)` }}
            >
              <Thumbnail
                images={images}
                sha256={names.get(photograph.id)?.hasPreview === true ? photograph.sha256 : null}
              />
              <span className={styles.words}>
                <b>Photograph {photograph.number}</b> {names.get(photograph.id)?.name}
                <small>{placeText(photograph, new Date())}</small>
              </span>
              <CustodyLights lights={lightsAt(photograph)} />
            </div>
          );
        })}
      </div>
    </div>
  );
}
