import { useEffect, useRef, useState } from 'react';
import { Button } from '../../../ui/controls/Button';
import { useShortcuts } from '../../../ui/keys/use-shortcuts';
import { WHOLE, moveBy, zoomAt, type ZoomView } from './zoom-view';
import styles from './ZoomPicture.module.css';

interface Props {
  /** Small picture. */
  readonly url: string;
  readonly alt: string;
  /** Reads the whole file, for a closer look; null if it is not on this tablet or this browser cannot show it. */
  readonly original: (() => Promise<Blob>) | null;
  /** True next to another picture: a narrow one keeps full screen as its one button. */
  readonly isBeside?: boolean;
}

/** Factor of a press on a button or key. */
const STEP = 1.6;
/** Magnification from which the small picture is too coarse. */
const CLOSE = 1.2;

/** Photograph that zooms by pinch, wheel, keys and buttons, and fills the screen. */
export function ZoomPicture({ url, alt, original, isBeside = false }: Props) {
  const stage = useRef<HTMLDivElement>(null);
  const fingers = useRef(new Map<number, { x: number; y: number }>());
  const [view, setView] = useState<ZoomView>(WHOLE);
  const [isFull, setFull] = useState(false);
  const close = useOriginal(original, view.scale > CLOSE || isFull);
  const zoom = (factor: number, at?: { readonly x: number; readonly y: number }): void => {
    const box = stage.current?.getBoundingClientRect();
    if (box === undefined) return;
    setView((now) => zoomAt(now, box, at ?? { x: box.width / 2, y: box.height / 2 }, factor));
  };
  const fill = (full: boolean): void => {
    setFull(full);
    setView(WHOLE);
    // In a browser without full screen, the picture fills its window.
    if (full) void stage.current?.requestFullscreen?.().catch(() => undefined);
    else if (document.fullscreenElement !== null) void document.exitFullscreen();
  };
  useEffect(() => {
    const leave = (): void => {
      if (document.fullscreenElement === null) setFull(false);
    };
    document.addEventListener('fullscreenchange', leave);
    return () => document.removeEventListener('fullscreenchange', leave);
  }, []);
  useShortcuts(
    {
      '+': { label: 'Zoom in', run: () => zoom(STEP) },
      '-': { label: 'Zoom out', run: () => zoom(1 / STEP) },
      f: { label: 'Full screen', run: () => fill(!isFull) },
    },
    { scope: 'dialog' },
  );
  // React's wheel listener is passive: the dialog would scroll.
  useEffect(() => {
    const element = stage.current;
    const turn = (event: WheelEvent): void => {
      event.preventDefault();
      const box = element?.getBoundingClientRect();
      if (box !== undefined)
        setView((now) =>
          zoomAt(now, box, { x: event.clientX - box.left, y: event.clientY - box.top }, Math.exp(-event.deltaY / 400)),
        );
    };
    element?.addEventListener('wheel', turn, { passive: false });
    return () => element?.removeEventListener('wheel', turn);
  }, []);

  const onMove = (event: React.PointerEvent): void => {
    const before = fingers.current.get(event.pointerId);
    const box = stage.current?.getBoundingClientRect();
    if (before === undefined || box === undefined) return;
    const now = { x: event.clientX - box.left, y: event.clientY - box.top };
    const [other] = [...fingers.current].flatMap(([id, at]) => (id === event.pointerId ? [] : [at]));
    fingers.current.set(event.pointerId, now);
    if (other === undefined) {
      setView((shown) => moveBy(shown, box, { x: now.x - before.x, y: now.y - before.y }));
      return;
    }
    const factor =
      Math.hypot(now.x - other.x, now.y - other.y) / Math.max(1, Math.hypot(before.x - other.x, before.y - other.y));
    const middle = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 };
    setView((shown) =>
      moveBy(zoomAt(shown, box, middle, factor), box, { x: (now.x - before.x) / 2, y: (now.y - before.y) / 2 }),
    );
  };
  const onEnd = ({ pointerId }: React.PointerEvent): void => void fingers.current.delete(pointerId);

  return (
    <div
      ref={stage}
      className={`${styles.stage} ${isFull ? styles.full : isBeside ? styles.beside : ''}`}
      data-zoomed={view.scale > 1 ? view.scale.toFixed(2) : undefined}
      data-full={isFull || undefined}
      onPointerDown={(event) => {
        const box = event.currentTarget.getBoundingClientRect();
        fingers.current.set(event.pointerId, { x: event.clientX - box.left, y: event.clientY - box.top });
      }}
      onPointerMove={onMove}
      onPointerUp={onEnd}
      onPointerCancel={onEnd}
      onPointerLeave={onEnd}
      onDoubleClick={() => setView(WHOLE)}
    >
      <img
        className={styles.picture}
        src={close ?? url}
        alt={alt}
        draggable={false}
        style={{ transform: `translate(${view.x}px, ${view.y}px) scale(${view.scale})` }}
      />
      <span className={styles.tools}>
        <Button icon="zoomout" aria-label="Zoom out" isDisabled={view.scale === 1} onPress={() => zoom(1 / STEP)} />
        <Button icon="zoomin" aria-label="Zoom in" onPress={() => zoom(STEP)} />
        <Button
          icon={isFull ? 'close' : 'full'}
          aria-label={isFull ? 'Leave full screen' : 'Full screen'}
          onPress={() => fill(!isFull)}
        />
      </span>
    </div>
  );
}

/** URL of the whole file, read when it is first wanted; null until then, or if it cannot be read. */
function useOriginal(read: (() => Promise<Blob>) | null, isWanted: boolean): string | null {
  const [url, setUrl] = useState<string | null>(null);
  const isAsked = useRef(false);
  useEffect(() => {
    if (!isWanted || read === null || isAsked.current) return;
    isAsked.current = true;
    read().then(
      (blob) => setUrl(URL.createObjectURL(blob)),
      (error: unknown) => console.warn('The whole photograph could not be read; the small picture is shown.', error),
    );
  }, [isWanted, read]);
  useEffect(() => (url === null ? undefined : () => URL.revokeObjectURL(url)), [url]);
  return url;
}
