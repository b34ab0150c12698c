import { distanceKm, type GeoPoint } from '../position/geo-point';
import { plainText } from './plain-text';
import type { Reef } from './reef';
import { reefLabel } from './reef-label';

/** Search index of a table; build it once. */
export interface ReefIndex {
  readonly entries: readonly Entry[];
}

interface Entry {
  readonly reef: Reef;
  readonly plain: string;
  readonly words: readonly string[];
  /** Number without its hyphen: `16071`. */
  readonly number: string;
}

interface ReefSearch {
  /** Words of the name in any order, as prefixes or with typos; or the number, `16-071`, `16071`, `16 71`. */
  readonly query: string;
  /** Position of the vessel: matches near it come first; without a query the nearest are returned. */
  readonly near?: GeoPoint | undefined;
  readonly limit: number;
}

/** Cost of a word match; results are ordered by the sum over the query's words. */
const COST = { whole: 0, begins: 1, within: 3, oneOff: 5, twoOff: 7 } as const;
/** Word lengths from which one or two typos are allowed. */
const ONE_TYPO_FROM = 3;
const TWO_TYPOS_FROM = 8;
/** Matches that cost this much more than the best are left out: they would bury it. */
const WORSE_BY = COST.within;
/** Reefs within a day's reach of the vessel, km. */
export const NEAR_KM = 50;
const NO_MATCH = Infinity;

export function reefIndex(reefs: readonly Reef[]): ReefIndex {
  return {
    entries: reefs.map((reef) => {
      const plain = plainText(reef.name);
      return { reef, plain, words: plain.split(' '), number: compact(reef.gid) };
    }),
  };
}

/** Only reef with exactly this label; any other text stays as it was typed. */
export function labelledReef({ entries }: ReefIndex, text: string): Reef | null {
  const wanted = text.trim();
  const named = wanted === '' ? [] : entries.filter(({ reef }) => reefLabel(reef) === wanted);
  return named.length === 1 ? (named[0]?.reef ?? null) : null;
}

/** Returns the best matches alone, those near the vessel first, at most `limit`; others with typos if nothing matches. */
export function searchReefs({ entries }: ReefIndex, { query, near, limit }: ReefSearch): readonly Reef[] {
  const { number, words } = readQuery(query);
  const isOpen = number === undefined && words.length === 0;
  if (isOpen && near === undefined) return [];
  const strict = entries
    .map((entry) => [entry, isOpen ? 0 : matchCost(entry, number, words, null)] as const)
    .filter(([, fit]) => fit < NO_MATCH);
  const found = strict.length > 0 || isOpen ? strict : withTypos(entries, number, words);
  const best = found.reduce((least, [, fit]) => Math.min(least, fit), NO_MATCH);
  const matches = found.filter(([, fit]) => fit < best + WORSE_BY);
  const ranked = matches.map(([entry, fit]) => ({
    entry,
    fit,
    km: near === undefined ? 0 : distanceKm(near, entry.reef.position),
  }));
  ranked.sort(
    (a, b) =>
      Number(isFar(a.km)) - Number(isFar(b.km)) ||
      a.fit - b.fit ||
      a.km - b.km ||
      compare(a.entry.number, b.entry.number) ||
      compare(a.entry.plain, b.entry.plain),
  );
  return ranked.slice(0, limit).map(({ entry }) => entry.reef);
}

type Found = readonly (readonly [Entry, number])[];

/** Edit distances to words of names, by typed word: thousands of names share most of their words. */
type Distances = Map<string, Map<string, number>>;

const isFar = (km: number): boolean => km > NEAR_KM;

function withTypos(entries: readonly Entry[], number: ChartNumber | undefined, words: readonly string[]): Found {
  const distances: Distances = new Map(words.map((word) => [word, new Map()]));
  return entries.flatMap((entry) => {
    const fit = matchCost(entry, number, words, distances);
    return fit < NO_MATCH ? [[entry, fit] as const] : [];
  });
}

/** Cost of a match: every part of the query must match. @param distances null: no typos are allowed */
function matchCost(
  entry: Entry,
  number: ChartNumber | undefined,
  words: readonly string[],
  distances: Distances | null,
): number {
  let fit = 0;
  if (number !== undefined) {
    const isWhole = entry.number === number.whole || entry.number === number.begun;
    if (!isWhole && !entry.number.startsWith(number.begun)) return NO_MATCH;
    fit += isWhole ? COST.whole : COST.begins;
  }
  for (const word of words) {
    const best = wordMatchCost(entry, word, distances?.get(word));
    if (best === NO_MATCH) return NO_MATCH;
    fit += best;
  }
  // Prefers names that start with the query: `moore` finds Moore Reef first.
  return fit + (words[0] === undefined || entry.plain.startsWith(words[0]) ? 0 : 0.5);
}

function wordMatchCost(
  { words, plain, number }: Entry,
  word: string,
  distances: Map<string, number> | undefined,
): number {
  if (words.includes(word)) return COST.whole;
  if (words.some((own) => own.startsWith(word))) return COST.begins;
  if (/^\d/.test(word) && number.startsWith(word)) return COST.begins;
  if (word.length >= 3 && plain.includes(word)) return COST.within;
  if (distances === undefined || word.length < ONE_TYPO_FROM) return NO_MATCH;
  const most = word.length < TWO_TYPOS_FROM ? 1 : 2;
  let off = NO_MATCH;
  for (const own of words) {
    const known = distances.get(own) ?? editDistance(word, own, most);
    distances.set(own, known);
    off = Math.min(off, known);
  }
  if (off > most) return NO_MATCH;
  return off === 1 ? COST.oneOff : COST.twoOff;
}

/**
 * Edit distance between a typed word and the start of another: substitutions, insertions, deletions and transpositions.
 * Infinite above `most`.
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

/** Chart number in a query: as a prefix (`16-07` of 16-071), and zero-padded (`16-7` is 16-007). */
interface ChartNumber {
  readonly begun: string;
  readonly whole: string;
}

/** Splits a query into chart number (`16-071`, `16071`, `16 71`) and words. */
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
