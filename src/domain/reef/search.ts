import { distanceKm, type GeoPoint } from '../position/geo-point';
import { plainText } from './plain-text';
import type { Reef } from './reef';

/** A table made ready to be searched; make it once. */
export interface ReefIndex {
  readonly entries: readonly Entry[];
}

interface Entry {
  readonly reef: Reef;
  readonly plain: string;
  readonly words: readonly string[];
  /** The number without its hyphen: `16071`. */
  readonly number: string;
}

export interface ReefSearch {
  /** Words of the name, in any order, begun or misspelt; or the number, `16-071`, `16071`, `16 71`. */
  readonly query: string;
  /** Where the boat is: of reefs that fit equally well the nearer comes first, and with no query the nearest. */
  readonly near?: GeoPoint | undefined;
  readonly limit: number;
}

/** How well a word fits; the sum over the query's words orders what was found. */
const COST = { whole: 0, begins: 1, within: 3, oneOff: 5, twoOff: 7 } as const;
/** A word of so many letters may be one (or two) letters wrong. */
const ONE_TYPO_FROM = 3;
const TWO_TYPOS_FROM = 8;
/** So many that fit as typed, and misspelt ones are not looked for. */
const ENOUGH = 3;
const NO_MATCH = Infinity;

export function reefIndex(reefs: readonly Reef[]): ReefIndex {
  return {
    entries: reefs.map((reef) => {
      const plain = plainText(reef.name);
      return { reef, plain, words: plain.split(' '), number: compact(reef.gid) };
    }),
  };
}

/** The reefs that fit a query, best first, at most `limit`. Fewer where fewer fit; none for a query that fits none. */
export function searchReefs({ entries }: ReefIndex, { query, near, limit }: ReefSearch): readonly Reef[] {
  const { number, words } = readQuery(query);
  const isOpen = number === undefined && words.length === 0;
  if (isOpen && near === undefined) return [];
  const strict = entries
    .map((entry) => [entry, isOpen ? 0 : matchCost(entry, number, words, false)] as const)
    .filter(([, fit]) => fit < NO_MATCH);
  const found = strict.length >= Math.min(limit, ENOUGH) || isOpen ? strict : withTypos(entries, strict, number, words);
  const ranked = found.map(([entry, fit]) => ({
    entry,
    fit,
    km: near === undefined ? 0 : distanceKm(near, entry.reef.position),
  }));
  ranked.sort(
    (a, b) =>
      a.fit - b.fit || a.km - b.km || compare(a.entry.number, b.entry.number) || compare(a.entry.plain, b.entry.plain),
  );
  return ranked.slice(0, limit).map(({ entry }) => entry.reef);
}

type Found = readonly (readonly [Entry, number])[];

function withTypos(
  entries: readonly Entry[],
  strict: Found,
  number: ChartNumber | undefined,
  words: readonly string[],
): Found {
  const known = new Set(strict.map(([entry]) => entry));
  const loose = entries.flatMap((entry) => {
    if (known.has(entry)) return [];
    const fit = matchCost(entry, number, words, true);
    return fit < NO_MATCH ? [[entry, fit] as const] : [];
  });
  return [...strict, ...loose];
}

/** Every part of the query must fit something; the less bent, the better. */
function matchCost(
  entry: Entry,
  number: ChartNumber | undefined,
  words: readonly string[],
  allowTypos: boolean,
): number {
  let fit = 0;
  if (number !== undefined) {
    const isWhole = entry.number === number.whole || entry.number === number.begun;
    if (!isWhole && !entry.number.startsWith(number.begun)) return NO_MATCH;
    fit += isWhole ? COST.whole : COST.begins;
  }
  for (const word of words) {
    const best = wordMatchCost(entry, word, allowTypos);
    if (best === NO_MATCH) return NO_MATCH;
    fit += best;
  }
  // `moore` finds Moore Reef before the reef of another name with a Moore in it.
  return fit + (words[0] === undefined || entry.plain.startsWith(words[0]) ? 0 : 0.5);
}

function wordMatchCost({ words, plain, number }: Entry, word: string, allowTypos: boolean): number {
  if (words.includes(word)) return COST.whole;
  if (words.some((own) => own.startsWith(word))) return COST.begins;
  if (/^\d/.test(word) && number.startsWith(word)) return COST.begins;
  if (word.length >= 3 && plain.includes(word)) return COST.within;
  if (!allowTypos || word.length < ONE_TYPO_FROM) return NO_MATCH;
  const most = word.length < TWO_TYPOS_FROM ? 1 : 2;
  const off = Math.min(...words.map((own) => editDistance(word, own, most)));
  if (off > most) return NO_MATCH;
  return off === 1 ? COST.oneOff : COST.twoOff;
}

/**
 * How many letters a typed word is off the beginning of another: letters changed, missing, added, or two that changed
 * places. More than `most` counts as infinitely many.
 */
export function editDistance(typed: string, word: string, most: number): number {
  const width = Math.min(word.length, typed.length + most);
  if (width < typed.length - most) return NO_MATCH;
  let before: number[] = [];
  let row = Array.from({ length: width + 1 }, (_, j) => j);
  for (let i = 1; i <= typed.length; i++) {
    const next = [i];
    for (let j = 1; j <= width; j++) {
      const same = typed[i - 1] === word[j - 1];
      let least = Math.min(
        (row[j] ?? NO_MATCH) + 1,
        (next[j - 1] ?? NO_MATCH) + 1,
        (row[j - 1] ?? NO_MATCH) + (same ? 0 : 1),
      );
      if (i > 1 && j > 1 && typed[i - 1] === word[j - 2] && typed[i - 2] === word[j - 1])
        least = Math.min(least, (before[j - 2] ?? NO_MATCH) + 1);
      next.push(least);
    }
    if (Math.min(...next) > most) return NO_MATCH;
    before = row;
    row = next;
  }
  const off = Math.min(...row);
  return off > most ? NO_MATCH : off;
}

/** A chart's number in a query: as begun (`16-07` begins 16-071), and as meant where it is whole (`16-7` is 16-007). */
interface ChartNumber {
  readonly begun: string;
  readonly whole: string;
}

/** The number in a query (`16-071`, `16071`, `16 71`), and the words beside it. */
function readQuery(query: string): { readonly number: ChartNumber | undefined; readonly words: readonly string[] } {
  const plain = plainText(query.replace(/(\d)\s*[-‐‑–]\s*(\d)/g, '$1-$2'), /[^a-z0-9-]+/g);
  const found = /(?:^|\s)(\d{2})[- ]?(\d{1,4})([a-z]?)(?=\s|$)/.exec(plain);
  const words = (found === null ? plain : plain.replace(found[0], ' ')).split(/[\s-]+/).filter((word) => word !== '');
  if (found === null) return { number: undefined, words };
  const [, zone = '', count = '', letter = ''] = found;
  return { number: { begun: `${zone}${count}${letter}`, whole: `${zone}${count.padStart(3, '0')}${letter}` }, words };
}

function compact(gid: string): string {
  return gid.toLowerCase().replace(/[^a-z0-9]/g, '');
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
