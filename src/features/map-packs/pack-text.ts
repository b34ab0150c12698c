import { formatBytes } from '../../base/format-bytes';
import { formatCount } from '../../base/plural';
import type { PackProgress } from './pack-progress';

/** Usual size of a small picture (800 px) and of a survey card. */
export const PICTURE_BYTES = 90_000;
export const CARD_BYTES = 8_000;

/** Number of reefs whose survey cards are stored, and of small pictures. */
export interface TakenCards {
  readonly reefs: number;
  readonly pictures: number;
}

/** @param isWhole true if all chosen cards and pictures are stored */
export function startLabel({ status, isOld }: PackProgress, isWhole: boolean): string {
  if (status === 'paused' || status === 'failed') return 'Resume';
  if (status !== 'kept') return 'Download';
  if (isOld) return 'Download the newer map';
  return isWhole ? 'Check again' : 'Resume';
}

/** @param reefs number whose surveys were read in a running download; null before */
export function progressText(
  { status, received, total, isOld }: PackProgress,
  reefs: number | null,
  ofReefs: number,
): string {
  const map = `${formatBytes(received)} of ${formatBytes(total)}`;
  if (reefs !== null) return `Map downloaded. Surveys of ${reefs} of ${formatCount(ofReefs, 'reef')}.`;
  switch (status) {
    case 'kept':
      return isOld ? 'An older map is on this tablet.' : `The map is on this tablet: ${formatBytes(total)}.`;
    case 'fetching':
      return `Downloading: ${map}.`;
    case 'paused':
    case 'failed':
      return `Paused: ${map}.`;
    case 'none':
      return 'The map is not on this tablet yet.';
  }
}

/** `Survey cards of 12 of 24 reefs, 3 of 40 pictures.`; empty without any. */
export function cardsText(stored: TakenCards, all: TakenCards): string {
  if (stored.reefs === 0 && stored.pictures === 0) return '';
  const cards = `Survey cards of ${Math.min(stored.reefs, all.reefs)} of ${formatCount(all.reefs, 'reef')}`;
  return stored.pictures === 0
    ? `${cards}.`
    : `${cards}, ${Math.min(stored.pictures, all.pictures)} of ${formatCount(all.pictures, 'picture')}.`;
}
