import type { Outline } from '../../../domain/analysis/labelling/outline';
import { PALETTE_COLOURS, type ClassStyle } from '../../../domain/analysis/palette';
import { ANALYSIS_LIMITS } from '../../../domain/limits';
import { boxWidth, labelLetter, letterColour, topPatternId, type LaidOutPicture } from './label-look';
import { nextUnlabelled } from './neighbours';
import { scaledPath } from './outline-shape';
import styles from './OutlineLayers.module.css';

/** Label that is shown before the rest of the screen knows of it. */
interface FirstLabel {
  readonly outline: Outline;
  readonly style: ClassStyle;
  /** Outline that is active next; null for none. */
  readonly next: Outline | null;
}

const ANY_LETTER = 'x';
/** Farther than any line reaches beyond the picture, CSS px. */
const BEYOND = 16;

interface LabelElements {
  readonly group: SVGElement;
  readonly fill: SVGElement;
  readonly border: SVGElement;
  readonly box: SVGElement;
  readonly letter: SVGElement;
}

/** Content of the layer. */
interface TopContent {
  readonly outlines: readonly Outline[];
  readonly active: Outline | null;
  /** Labels of the layer below, as they are shown. */
  readonly labels: ReadonlyMap<string, ClassStyle>;
  readonly at: LaidOutPicture;
}

/** Elements of an outline and of the one that is active next, and what they were made of. */
interface Drawn {
  readonly of: readonly [Outline, Outline | null, LaidOutPicture];
  readonly label: LabelElements;
  readonly active: SVGElement;
  readonly next: SVGElement | undefined;
}

/**
 * Topmost layer of the stage, drawn without React: the active outline and, hidden, its label and the outline that is
 * active next. A tap changes a few attributes of elements that have their style and layout already, in CSS px and
 * without transforms of their own: the browser repaints this layer, and composes the page as it did before.
 */
export class TopLayer {
  #svg: SVGSVGElement | null = null;
  #content: TopContent | null = null;
  #drawn: Drawn | null = null;
  #first: FirstLabel | null = null;
  /** Labels below when the screen learnt of the first one; null before. */
  #over: TopContent['labels'] | null = null;

  /** Follows what the screen shows; draws if it is something else. */
  update(svg: SVGSVGElement, content: TopContent): void {
    const { labels } = content;
    const before = this.#content;
    if (this.#svg === svg && before !== null && isSame(before, content)) return;
    [this.#svg, this.#content] = [svg, content];
    if (this.#over !== null && this.#over !== labels) this.#first = this.#over = null;
    if (this.#first === null) this.#draw();
    else this.show(this.#first);
  }

  /** Shows a label, and the next outline as the active one, at once. It stays until the labels below have it. */
  show(first: FirstLabel): void {
    if (this.#content === null) return;
    const { at } = this.#content;
    const { outline, style, next } = first;
    const of = this.#drawn?.of;
    if (of?.[0] !== outline || of[1] !== next || of[2] !== at) this.#make(outline, next, at);
    [this.#first, this.#over] = [first, null];
    if (this.#drawn === null) return;
    const { label, active, next: nextElement } = this.#drawn;
    const colour = PALETTE_COLOURS[style.palette];
    const { x, side } = labelLetter(outline, at);
    const wide = boxWidth(style, side);
    write(label.fill, { fill: `url(#${topPatternId(style, at)})` });
    write(label.border, { stroke: colour });
    write(label.box, { x: x * at.width - wide / 2, width: wide, fill: colour });
    write(label.letter, { fill: letterColour(style) });
    label.letter.textContent = style.mark;
    write(label.group, { visibility: 'visible', 'data-labelled': outline.id });
    write(active, { visibility: 'hidden' });
    active.removeAttribute('data-active');
    if (next !== null && nextElement !== undefined)
      write(nextElement, { visibility: 'visible', 'data-active': next.id });
  }

  /** Ends the label that is shown: with the next change of the labels below, or at once if it was refused. */
  end(isRefused: boolean): void {
    this.#over = this.#content?.labels ?? null;
    if (!isRefused) return;
    this.#first = this.#over = null;
    this.#draw();
  }

  #draw(): void {
    if (this.#content === null) return;
    const { outlines, active, labels, at } = this.#content;
    if (active !== null)
      return this.#make(
        active,
        nextUnlabelled(outlines, (id) => id === active.id || labels.has(id)),
        at,
      );
    this.#drawn = null;
    this.#svg?.replaceChildren();
  }

  #make(outline: Outline, next: Outline | null, at: LaidOutPicture): void {
    const label = labelElements(outline, at);
    const active = activeElement(outline, at, { 'data-active': outline.id });
    const nextElement = next === null ? undefined : activeElement(next, at, { visibility: 'hidden' });
    this.#drawn = { of: [outline, next, at], label, active, next: nextElement };
    this.#svg?.replaceChildren(ground(at), label.group, active, ...(nextElement === undefined ? [] : [nextElement]));
  }
}

/** Transparent ground beyond the picture's edge: the browser composes a layer again when its extent changes. */
const ground = ({ width, height }: LaidOutPicture): SVGElement =>
  element('rect', {
    x: -BEYOND,
    y: -BEYOND,
    width: width + 2 * BEYOND,
    height: height + 2 * BEYOND,
    fill: 'transparent',
  });

const isSame = (a: TopContent, b: TopContent): boolean =>
  a.outlines === b.outlines && a.active === b.active && a.labels === b.labels && a.at === b.at;

function activeElement(outline: Outline, { width, height }: LaidOutPicture, attributes: Attributes): SVGElement {
  const d = scaledPath(outline, width, height);
  return element('g', attributes, [
    element('path', { class: styles.activeUnder, d }),
    element('path', { class: styles.activeOver, d }),
  ]);
}

/** Elements of a label as `LabelledOutline` has them, hidden and without what its style adds. */
function labelElements(outline: Outline, at: LaidOutPicture): LabelElements {
  const d = scaledPath(outline, at.width, at.height);
  const { x, y, side, rounding, baseline, fontSize } = labelLetter(outline, at);
  const [left, top] = [x * at.width, y * at.height];
  const turned = { transform: at.turns === 0 ? undefined : `rotate(${-90 * at.turns} ${left} ${top})` };
  const fill = element('path', { d, 'fill-opacity': ANALYSIS_LIMITS.mlFillOpacity, 'fill-rule': 'evenodd' });
  const border = element('path', { class: styles.border, d });
  const box = element('rect', { class: styles.box, y: top - side / 2, height: side, rx: rounding, ...turned });
  const letter = element('text', {
    class: styles.letter,
    x: left,
    y: top + baseline,
    'font-size': fontSize,
    // Painted from the beginning: the browser composes a layer again when it gets its first text.
    fill: 'transparent',
    visibility: 'visible',
    ...turned,
  });
  letter.textContent = ANY_LETTER;
  return { group: element('g', { visibility: 'hidden' }, [fill, border, box, letter]), fill, border, box, letter };
}

function element(name: string, attributes: Attributes, children: readonly SVGElement[] = []): SVGElement {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  write(made, attributes);
  made.append(...children);
  return made;
}

type Attributes = Readonly<Record<string, string | number | undefined>>;

function write(of: SVGElement, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) of.setAttribute(name, String(value));
}
