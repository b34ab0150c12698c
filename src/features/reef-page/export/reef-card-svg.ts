import type { ReefResult } from '../../../domain/results/reef-result';
import {
  bandText,
  basisText,
  dominantText,
  lastSurveyedText,
  coverText,
  percentText,
  pieShares,
  rangeText,
  resultText,
  versionText,
} from '../../report-map';

/** Size of the card, px. */
export const CARD = { width: 960, height: 600 } as const;

/** Colours by letter of the class, and of the text on them; `none` is the share without coral. */
export interface CardColours {
  readonly of: (letter: 'B' | 'P' | 'M' | 'H' | 'none') => { readonly fill: string; readonly on: string };
  readonly ground: string;
  readonly text: string;
}

const LETTERS = { branching: 'B', plating: 'P', massive: 'M', other: 'H', none: 'none' } as const;

interface CardFacts {
  readonly reef: string;
  readonly dataset: string;
  readonly result: ReefResult;
  /** `As of Thu 19 Nov, 14:05`; null before an answer. */
  readonly asOf: string | null;
}

/** Card of a reef's result as a self-contained SVG file: figures, intervals, number of photographs, versions. */
export function reefCardSvg({ reef, dataset, result, asOf }: CardFacts, colours: CardColours): string {
  const shares = result.covers === null ? [] : pieShares(result.covers);
  const sum = shares.reduce((total, { estimate }) => total + Math.max(0, estimate.value), 0);
  let turned = 0;
  const slices = shares.map(({ key, estimate }) => {
    const from = turned;
    turned += sum === 0 ? 0 : Math.max(0, estimate.value) / sum;
    const { fill, on } = colours.of(LETTERS[key]);
    const [x, y] = pointAt(100, (from + turned) / 2);
    const letter =
      key === 'none' || estimate.value < 5
        ? ''
        : textAt(x, y + 8, LETTERS[key], { size: 22, fill: on, anchor: 'middle' });
    return turned - from < 0.0005
      ? ''
      : `<path d="${slicePath(from, turned)}" fill="${fill}" stroke="${colours.text}"/>${letter}`;
  });
  const line = (x: number, y: number, text: string, size = 22): string =>
    textAt(x, y, text, { size, fill: colours.text });
  const middle =
    result.covers === null
      ? ''
      : textAt(0, 6, coverText(result.covers.totalCoralCover.value), {
          size: 34,
          fill: colours.text,
          anchor: 'middle',
        }) + textAt(0, 32, 'coral', { size: 18, fill: colours.text, anchor: 'middle' });
  const list = shares.map(({ key, name, estimate }, n) => {
    const y = 190 + n * 44;
    const { fill, on } = colours.of(LETTERS[key]);
    const letter = key === 'none' ? '' : textAt(447, y - 3, LETTERS[key], { size: 18, fill: on, anchor: 'middle' });
    return `<rect x="430" y="${y - 22}" width="34" height="26" fill="${fill}" stroke="${colours.text}"/>${letter}${line(480, y, name)}${line(730, y, `${percentText(estimate.value)} (${rangeText(estimate)})`)}`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${CARD.width}" height="${CARD.height}" viewBox="0 0 ${CARD.width} ${CARD.height}" font-family="sans-serif">`,
    `<rect width="100%" height="100%" fill="${colours.ground}"/>`,
    line(40, 70, reef, 38),
    line(40, 112, `Coral cover, ${dataset}, ${result.year}`),
    `<g transform="translate(215 280)">${slices.join('')}${middle}</g>`,
    ...list,
    line(
      40,
      470,
      `Coral cover: ${bandText(result)}. Dominant coral: ${dominantText(result)}. Last surveyed: ${lastSurveyedText(result)}`,
      19,
    ),
    line(40, 502, `${resultText(result)}.`, 19),
    line(40, 534, `${basisText(result)}.`, 19),
    line(40, 566, `${versionText(result)}.${asOf === null ? '' : ` ${asOf}.`} Great Reef Census`, 19),
    '</svg>',
  ].join('');
}

interface TextStyle {
  readonly size: number;
  readonly fill: string;
  readonly anchor?: 'middle';
}

function textAt(x: number, y: number, text: string, { size, fill, anchor }: TextStyle): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" font-size="${size}" fill="${fill}"${anchor === undefined ? '' : ` text-anchor="${anchor}"`}>${escapeText(text)}</text>`;
}

const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const [OUTER, INNER] = [140, 70];

/** @param turn 0..1 clockwise from the top */
function pointAt(radius: number, turn: number): readonly [number, number] {
  const angle = turn * 2 * Math.PI - Math.PI / 2;
  return [radius * Math.cos(angle), radius * Math.sin(angle)];
}

/** Ring sector; a full ring in two halves, since an arc needs two points. */
function slicePath(from: number, to: number): string {
  if (to - from > 0.9995) return `${slicePath(from, from + 0.5)}${slicePath(from + 0.5, from + 0.999)}`;
  const large = to - from > 0.5 ? 1 : 0;
  const at = (radius: number, turn: number): string =>
    pointAt(radius, turn)
      .map((value) => value.toFixed(2))
      .join(' ');
  return `M${at(OUTER, from)}A${OUTER} ${OUTER} 0 ${large} 1 ${at(OUTER, to)}L${at(INNER, to)}A${INNER} ${INNER} 0 ${large} 0 ${at(INNER, from)}Z`;
}
