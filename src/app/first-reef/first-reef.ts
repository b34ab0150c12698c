import { decodeFirstPicture } from '../../domain/results/first-picture/decode-first-picture';
import { offerEarlyReading, type EarlyReading } from '../../features/map/first-picture/early-reading';
import { beginReading, type ShownVersion } from '../../features/map/first-picture/read-first-picture';
import { lastVisitor } from '../../features/report-map/data/last-visitor';
import { parseStoredState, STORED_STATE } from '../../features/shell/stored-state';
import { readLocalSetting } from '../../platform/local-settings';
import { EarlyFrame } from './early-frame';
import { planFirstFrame } from './early-plan';

/**
 * Paints picture and list of the address into the page before the app runs; the app takes them over without another
 * request (`use-first-picture.ts`).
 * @returns settles once the link is free for the app: the picture has come, or none will
 */
export async function showFirstReef(): Promise<void> {
  const plan = planFirstFrame(location, parseStoredState(readLocalSetting(STORED_STATE)).region, lastVisitor.get());
  if (plan === null) return;
  await new Promise<void>((resolve) => {
    const frame = new EarlyFrame(plan, () => void afterNextFrame().then(resolve));
    // A hidden page draws no frame, so there is none to wait for.
    const onShown = (): void => {
      if (document.hidden) resolve();
    };
    const show = (json: unknown, { text, isPainted }: ShownVersion): void => {
      if (isPainted) frame.setPicture(() => decodeFirstPicture(json), text);
      else frame.show(decodeFirstPicture(json), text);
      reading.json = json;
      reading.onVersion?.(json);
      onShown();
    };
    const reading: EarlyReading = {
      url: plan.url,
      json: undefined,
      onVersion: null,
      done: beginReading(plan.url, show, (painting) => {
        const isShown = frame.showPainting(painting);
        if (isShown) onShown();
        return isShown;
      }),
      handOver: () => frame.handOver(),
      release: () => frame.release(),
    };
    offerEarlyReading(reading);
    void reading.done.finally(() => {
      // Without a picture the app explains what is missing.
      if (reading.json === undefined) resolve();
      void afterNextFrame().then(() => onceIdle(() => frame.storePainting()));
    });
  });
}

/**
 * Settles once a frame that is being drawn is on the screen: the one after it may begin before, the one after that does
 * not. The app's files would hold both back.
 */
async function afterNextFrame(): Promise<void> {
  for (let n = 0; n < 2; n++) await new Promise((resolve) => requestAnimationFrame(resolve));
  await new Promise((resolve) => setTimeout(resolve));
}

// Safari has no idle callbacks.
const onceIdle = (call: () => void): void =>
  void ('requestIdleCallback' in globalThis ? requestIdleCallback(call) : setTimeout(call, 1000));
