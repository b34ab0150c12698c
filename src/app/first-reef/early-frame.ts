import type { FirstPicture } from '../../domain/results/first-picture/first-picture';
import { paintCanvas, paintingKey, showPainting } from '../../features/map/first-picture/paint-canvas';
import { readFacts, storePainting, type StoredPainting } from '../../features/map/first-picture/stored-painting';
import { coversOf } from '../../features/report-map/drawer/first-reefs';
import { noteFocus, watchPress } from '../../features/report-map/drawer/replace-list';
import { earlyList } from './early-list';
import { earlyPage, type EarlyPage } from './early-page';
import type { EarlyPlan } from './early-plan';
import { firstRows, type FirstRows } from './first-rows';

/** Style sheet of this script's modules, put in by the build (`scripts/first-reef.mjs`). */
declare const FIRST_REEF_STYLES: string;

/** Facts that a stored painting has with it. */
interface PaintingFacts {
  /** Address of this script, which has its hash: another one may paint otherwise. */
  readonly version: string;
  readonly datasetId: string;
  /** Rows of the list without a selected reef. */
  readonly rows: FirstRows;
  /** `paintingKey` */
  readonly view: string;
  /** `textKeyOf` the text that is painted. */
  readonly text: string;
}

/** State of the canvas: it shows a stored painting, or one that was made on this page. */
interface Painted {
  readonly key: string;
  readonly isStored: boolean;
}

/** First frame of the report in the shell. */
export class EarlyFrame {
  readonly #plan: EarlyPlan;
  #page: EarlyPage | null = null;
  /** Reads the picture that is shown, which is not needed where its painting is stored. */
  #picture: (() => FirstPicture) | null = null;
  /** Key of the text of that picture. */
  #text = '';
  #painted: Painted | null = null;
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

  /** Shows a version of the picture; a later one takes the place of the first. @param text key of its text */
  show(picture: FirstPicture, text: string): void {
    if (this.#isReleased) return;
    this.setPicture(() => picture, text);
    this.#painted = null;
    const rows = (): FirstRows => firstRows(this.#picture?.().results ?? [], this.#selected());
    if (this.#page === null) {
      this.#begin(rows);
      return;
    }
    this.#paint();
    void this.#untilFree().then(() => this.#fillList(rows));
  }

  /**
   * Shows the painting of the last visit.
   * @returns false if it was made by another version of this script or for another page, size or theme
   */
  showPainting(painting: StoredPainting): boolean {
    const facts = readFacts<PaintingFacts>(painting);
    const { datasetId, list } = this.#plan;
    const rows = facts?.rows;
    if (facts?.version !== import.meta.url || facts.datasetId !== datasetId || rows === undefined) return false;
    if (typeof list?.selected === 'string' && !rows.first.some(({ id }) => id === list.selected)) return false;
    const page = this.#begin(() => rows);
    const key = paintingKey(page.canvas, this.#viewOf(page));
    if (key !== facts.view || !showPainting(page.canvas, painting.image)) return false;
    this.#notePainted({ key, isStored: true });
    return true;
  }

  /** Reads the picture if another one than the stored painting is needed. @param text key of its text */
  setPicture(read: () => FirstPicture, text: string): void {
    this.#text = text;
    let picture: FirstPicture | null = null;
    this.#picture = () => (picture ??= coversOf(read(), this.#plan.datasetId));
    // The page may have another size by now.
    if (this.#page !== null && this.#painted?.isStored === true) this.#paint();
  }

  /** Stores what is painted for the next visit. */
  storePainting(): void {
    if (this.#page === null || this.#painted === null || this.#painted.isStored || this.#picture === null) return;
    const { datasetId, url } = this.#plan;
    const rows = firstRows(this.#picture().results, null);
    const facts: PaintingFacts = {
      version: import.meta.url,
      datasetId,
      rows,
      view: this.#painted.key,
      text: this.#text,
    };
    void storePainting(url, this.#page.canvas, facts);
  }

  /** Puts the page into the shell. */
  #begin(rows: () => FirstRows): EarlyPage {
    const page = (this.#page = earlyPage(this.#plan));
    this.#fillList(rows);
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
    return page;
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
  #fillList(rows: () => FirstRows): void {
    const { list } = this.#plan;
    if (list === null || this.#isReleased) return;
    const giveFocus = noteFocus();
    const options = {
      ...list,
      selected: this.#selected(),
      onPick: (featureId: string) => {
        this.#picked = featureId;
        putReefIntoAddress(featureId);
      },
    };
    this.#page?.body?.replaceChildren(...earlyList(rows(), options));
    giveFocus();
  }

  /** Feature id of the reef that is open. */
  #selected(): string | null {
    return this.#picked ?? this.#plan.list?.selected ?? null;
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

  #notePainted(painted: Painted): void {
    this.#painted = painted;
    performance.mark('first-picture');
    this.#onPainted();
  }

  #viewOf({ insets }: EarlyPage): Parameters<typeof paintCanvas>[2] {
    const { bounds, startView } = this.#plan;
    return { bounds, startView, insets: insets() };
  }

  #paint(): void {
    if (this.#page === null || this.#picture === null || this.#isReleased) return;
    const { canvas } = this.#page;
    const view = this.#viewOf(this.#page);
    const key = paintingKey(canvas, view);
    // The first size that is reported may be that of a stored painting.
    if (this.#painted?.key === key) return;
    if (paintCanvas(canvas, this.#picture(), view)) this.#notePainted({ key, isStored: false });
    else this.#onPainted();
  }
}

/** The app opens the reef that was picked before it came. */
function putReefIntoAddress(featureId: string): void {
  const url = new URL(location.href);
  url.searchParams.set('reef', featureId);
  history.replaceState(history.state, '', url);
}
