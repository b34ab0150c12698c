import type { ReactElement, Ref } from 'react';
import { useImperativeHandle, useLayoutEffect, useRef } from 'react';
import { Gestures, wheelFactor } from './gestures';
import styles from './PictureViewer.module.css';
import { Loupe } from './loupe';
import { listenToPointers } from './pointers';
import { PictureStage } from './picture-stage';
import { usePictureSource } from './use-picture-source';
import type { PictureViewerProps, ViewerHandle } from './viewer.types';

/**
 * Viewer of a picture with zoom, pan, rotation and marks on top; reports pen, finger and mouse. Fills its parent; the
 * picture is upright whatever the camera's orientation.
 */
export function PictureViewer(props: PictureViewerProps & { readonly ref?: Ref<ViewerHandle> }): ReactElement {
  const { picture, pointerMode, light, marks, areMarksHidden, children, layers, ref } = props;
  const latest = useRef(props);
  /** Shows a ring of the pen's width at the pointer, except while drawing: each move would trigger a layout. */
  const showRing = useRef<() => void>(undefined);
  useLayoutEffect(() => {
    latest.current = props;
    showRing.current?.();
  });
  const at = useRef<HTMLDivElement>(null);
  const pictureAt = useRef<HTMLCanvasElement>(null);
  const marksAt = useRef<HTMLDivElement>(null);
  const overAt = useRef<HTMLDivElement>(null);
  const ringAt = useRef<HTMLDivElement>(null);
  const loupeAt = useRef<HTMLCanvasElement>(null);
  const stage = useRef<PictureStage>(undefined);

  useLayoutEffect(() => {
    const parts = { stage: at.current, picture: pictureAt.current, marks: marksAt.current, over: overAt.current };
    const ring = ringAt.current;
    const lens = loupeAt.current;
    if (
      parts.stage === null ||
      parts.picture === null ||
      parts.marks === null ||
      parts.over === null ||
      ring === null ||
      lens === null
    )
      return undefined;
    const element = parts.stage;
    const made = new PictureStage(
      { stage: element, picture: parts.picture, marks: parts.marks, over: parts.over },
      (facts) => {
        showRing.current?.();
        latest.current.onView(facts);
      },
      latest.current.zoomLimits,
    );
    stage.current = made;
    const gestures = new Gestures();
    let pointer: readonly [number, number] | null = null;
    const loupe = new Loupe({
      canvas: lens,
      stage: made,
      marks: () => (latest.current.areMarksHidden ? null : latest.current.marks),
      penWidth: () => (latest.current.penWidth ?? 0) * made.scale,
    });
    showRing.current = () => {
      const width = (latest.current.penWidth ?? 0) * made.scale;
      const isSeen = pointer !== null && width > 0 && !gestures.isDrawing && latest.current.pointerMode === 'paint';
      const visibility = isSeen ? 'visible' : 'hidden';
      if (ring.style.visibility !== visibility) ring.style.visibility = visibility;
      if (pointer === null || !isSeen) return;
      ring.style.width = ring.style.height = `${width}px`;
      ring.style.transform = `translate(${pointer[0] - width / 2}px, ${pointer[1] - width / 2}px)`;
    };
    const off = listenToPointers(element, {
      onInput: (event, isMoving) => {
        made.applyGestures(
          gestures.handle(event, { pointerMode: latest.current.pointerMode, isMoving }),
          latest.current.pen,
        );
        if (!gestures.isDrawing) loupe.hide();
        else if (event.kind === 'down' && event.type === 'touch') loupe.show(event.x, event.y);
        else if (event.kind === 'move' && event.type === 'touch')
          loupe.show(event.samples.at(-2) ?? 0, event.samples.at(-1) ?? 0);
      },
      onWheel: (delta, mode, isPinch, x, y) => made.zoomAt(wheelFactor(delta, mode, isPinch), x, y),
      onHover: (place) => {
        pointer = place;
        showRing.current?.();
      },
    });
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) made.resize(entry.contentRect.width, entry.contentRect.height);
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      off();
      loupe.hide();
      made.stop();
      stage.current = undefined;
    };
  }, []);

  const source = usePictureSource(stage, latest, picture.key, light.isCorrected);

  useLayoutEffect(() => {
    const holder = marksAt.current;
    if (holder === null || marks === null) return undefined;
    holder.replaceChildren(marks);
    return () => holder.replaceChildren();
  }, [marks]);

  useImperativeHandle(
    ref,
    (): ViewerHandle => ({
      nextZoomStep: () => stage.current?.nextZoomStep(),
      zoomBy: (factor) => stage.current?.zoomBy(factor),
      zoomTo: (factor, around) => stage.current?.zoomTo(factor, around),
      panBy: (x, y) => stage.current?.panBy(x, y),
      fit: () => stage.current?.fit(),
      rotate: () => stage.current?.rotate(),
      placeOf: (clientX, clientY) => {
        const box = at.current?.getBoundingClientRect();
        return stage.current?.placeAt(clientX - (box?.left ?? 0), clientY - (box?.top ?? 0)) ?? [NaN, NaN];
      },
      pixels: async (width) => {
        const shown = source.current;
        if (shown === undefined) return null;
        const bitmap = await shown.render(width);
        const canvas = document.createElement('canvas');
        canvas.width = bitmap.width;
        canvas.height = bitmap.height;
        const context = canvas.getContext('2d', { willReadFrequently: true, alpha: false });
        context?.drawImage(bitmap, 0, 0);
        bitmap.close();
        return context?.getImageData(0, 0, canvas.width, canvas.height) ?? null;
      },
      crop: async (area, width) => (await source.current?.crop(area, width)) ?? null,
    }),
    [source],
  );

  const filter =
    light.brightness === 1 && light.contrast === 1
      ? undefined
      : `brightness(${light.brightness}) contrast(${light.contrast})`;
  return (
    <div ref={at} className={styles.stage} data-hand={pointerMode}>
      <canvas ref={pictureAt} className={styles.picture} role="img" aria-label={picture.name} style={{ filter }} />
      <div ref={marksAt} className={styles.marks} aria-hidden="true" data-hidden={areMarksHidden || undefined} />
      <div ref={overAt} className={styles.over}>
        {layers}
        {children !== undefined && (
          <svg viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
            {children}
          </svg>
        )}
      </div>
      <canvas ref={loupeAt} className={styles.loupe} aria-hidden="true" data-loupe />
      <div ref={ringAt} className={styles.ring} aria-hidden="true" />
    </div>
  );
}
