import { useEffect, useState, type RefObject } from 'react';
import { fitView } from './fit-view';
import type { ReportMapDriver } from './report-map';
import type { ReportMapProps } from './report-map-props';

/**
 * True once the map shows at least what the first picture below it shows: until then it is hidden, and keeps to the
 * picture's view as panels open and the window changes its size.
 *
 * @param areArchivesOpen true once the archives that are in reach are open
 */
export function useTakeOver(
  map: ReportMapDriver | null,
  element: RefObject<HTMLElement | null>,
  { region: { mapBounds }, startView, selected, insets, paint, meta }: ReportMapProps,
  areArchivesOpen: boolean,
): boolean {
  const [shown, setShown] = useState<ReportMapDriver | null>(null);
  const isShown = map !== null && shown === map;
  const hasFigures = paint !== null;
  const hasReefs = meta?.layers.some(({ kind }) => kind === 'reefs') ?? false;
  useEffect(() => {
    if (map === null || !areArchivesOpen || !hasFigures) return undefined;
    let isCurrent = true;
    void map.idle().then(async () => {
      if (!isCurrent || (hasReefs && !map.hasArchive('reefs'))) return;
      await map.drawEveryPixel();
      if (isCurrent) setShown(map);
    });
    return () => {
      isCurrent = false;
    };
  }, [map, areArchivesOpen, hasFigures, hasReefs]);
  const followsPicture = !isShown && startView === null && selected === null;
  useEffect(() => {
    const container = element.current;
    if (map === null || container === null || !followsPicture) return undefined;
    const observer = new ResizeObserver(() => {
      map.resize();
      map.jumpTo(fitView(mapBounds, { width: container.clientWidth, height: container.clientHeight }, insets));
    });
    observer.observe(container);
    return () => observer.disconnect();
  }, [map, element, followsPicture, mapBounds, insets]);
  return isShown;
}
