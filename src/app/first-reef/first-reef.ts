import { decodeFirstPicture } from '../../domain/results/first-picture/decode-first-picture';
import type { FirstPicture } from '../../domain/results/first-picture/first-picture';
import { offerEarlyReading, type EarlyReading } from '../../features/map/first-picture/early-reading';
import { paintCanvas } from '../../features/map/first-picture/paint-canvas';
import { beginReading } from '../../features/map/first-picture/read-first-picture';
import { lastVisitor } from '../../features/report-map/data/last-visitor';
import { coversOf } from '../../features/report-map/drawer/first-reefs';
import { noteFocus, watchPress } from '../../features/report-map/drawer/replace-list';
import { parseStoredState, STORED_STATE } from '../../features/shell/stored-state';
import { readLocalSetting } from '../../platform/local-settings';
import { earlyList } from './early-list';
import { earlyPage, type EarlyPage } from './early-page';
import { planFirstFrame, type EarlyPlan } from './early-plan';

/** Style sheet of this script's modules, put in by the build (`scripts/first-reef.mjs`). */
declare const FIRST_REEF_STYLES: string;

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
    const reading: EarlyReading = {
      url: plan.url,
      json: undefined,
      onVersion: null,
      done: beginReading(plan.url, (json) => {
        const picture = decodeFirstPicture(json);
        reading.json = json;
        frame.show(picture);
        reading.onVersion?.(json);
        // A hidden page draws no frame, so there is none to wait for.
        if (document.hidden) resolve();
      }),
      handOver: () => frame.handOver(),
      release: () => frame.release(),
    };
    offerEarlyReading(reading);
    // Without a picture the app explains what is missing.
    void reading.done.finally(() => {
      if (reading.json === undefined) resolve();
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

/** First frame of the report in the shell. */
class EarlyFrame {
  readonly #plan: EarlyPlan;
  #page: EarlyPage | null = null;
  #picture: FirstPicture | null = null;
  #isReleased = false;
  #isPressed = false;
  /** Feature id of the reef that was picked. */
  #picked: string | null = null;
  readonly #onPressEnd: (() => void)[] = [];
  #endPresses = (): void => undefined;
  #giveFocus = (): void => undefined;
  readonly #styles = new CSSStyleSheet();
  readonly #resized = new ResizeObserver(() => this.#paint());

  readonly #onPainted: () => void;

  /** @param onPainted called whenever the picture is painted, or cannot be */
  constructor(plan: EarlyPlan, onPainted: () => void) {
    this.#plan = plan;
    this.#onPainted = onPainted;
  }

  /** Shows a version of the picture; a later one takes the place of the first. */
  show(picture: FirstPicture): void {
    if (this.#isReleased) return;
    this.#picture = coversOf(picture, this.#plan.datasetId);
    if (this.#page !== null) {
      this.#paint();
      void this.#untilFree().then(() => this.#fillList());
      return;
    }
    const page = (this.#page = earlyPage(this.#plan));
    this.#fillList();
    this.#endPresses = watchPress((isPressed) => {
      this.#isPressed = isPressed;
      if (!isPressed) for (const goOn of this.#onPressEnd.splice(0)) goOn();
    });
    this.#styles.replaceSync(FIRST_REEF_STYLES);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, this.#styles];
    document.querySelector('.opening')?.replaceWith(page.main);
    const link = document.querySelector('.rail [href="/detailed-reporting"]');
    link?.classList.add('is-active');
    link?.setAttribute('aria-current', 'page');
    // Reports the first size too: before the frame that has the canvas is drawn.
    this.#resized.observe(page.canvas);
  }

  /** Settles when the app may take its place, in the same task. */
  async handOver(): Promise<void> {
    await this.#untilFree();
    this.#giveFocus = noteFocus();
  }

  /** Settles when nothing is pressed. */
  async #untilFree(): Promise<void> {
    if (this.#isPressed) await new Promise<void>((resolve) => this.#onPressEnd.push(resolve));
  }

  /** Lists the reefs of the picture. */
  #fillList(): void {
    const { list } = this.#plan;
    if (list === null || this.#picture === null || this.#isReleased) return;
    const giveFocus = noteFocus();
    const options = {
      ...list,
      selected: this.#picked ?? list.selected,
      onPick: (featureId: string) => {
        this.#picked = featureId;
        putReefIntoAddress(featureId);
      },
    };
    this.#page?.body?.replaceChildren(...earlyList(this.#picture.results, options));
    giveFocus();
  }

  /** The app's page has taken its place: once that has its styles, those of the early one go. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#resized.disconnect();
    this.#endPresses();
    this.#giveFocus();
    const awaited = [...document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')]
      .filter(({ sheet }) => sheet === null)
      .map((link) => new Promise((resolve) => ['load', 'error'].forEach((end) => link.addEventListener(end, resolve))));
    void Promise.all(awaited).then(() => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== this.#styles);
    });
  }

  #paint(): void {
    if (this.#page === null || this.#picture === null || this.#isReleased) return;
    const { canvas, insets } = this.#page;
    const { bounds, startView } = this.#plan;
    if (paintCanvas(canvas, this.#picture, { bounds, startView, insets: insets() })) performance.mark('first-picture');
    this.#onPainted();
  }
}

/** The app opens the reef that was picked before it came. */
function putReefIntoAddress(featureId: string): void {
  const url = new URL(location.href);
  url.searchParams.set('reef', featureId);
  history.replaceState(history.state, '', url);
}
