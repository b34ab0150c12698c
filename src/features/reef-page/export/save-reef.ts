import type { FeatureTable } from '../../../domain/results/feature-table';
import type { ReefResult } from '../../../domain/results/reef-result';
import { resultsCsv } from '../../../domain/results/csv/results-csv';
import { startDownload } from '../../../platform/save-file';
import { CARD, reefCardSvg, type CardColours } from './reef-card-svg';

/** Pixels of the picture per px of the card. */
const SHARPNESS = 2;

/** Saves results of a reef as CSV, with the versions that made them. */
export function saveReefCsv(results: readonly ReefResult[], table: FeatureTable, name: string): void {
  startDownload(`${fileName(name)}.csv`, new Blob([resultsCsv(results, table)], { type: 'text/csv;charset=utf-8' }));
}

/** Saves the card of a result as PNG. @throws Error if the browser cannot draw it */
export async function saveReefPng(facts: Parameters<typeof reefCardSvg>[0]): Promise<void> {
  const svg = reefCardSvg(facts, cardColours());
  const url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  try {
    const picture = new Image();
    picture.src = url;
    await picture.decode();
    const canvas = document.createElement('canvas');
    canvas.width = CARD.width * SHARPNESS;
    canvas.height = CARD.height * SHARPNESS;
    canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
    if (blob === null) throw new Error('This browser could not make the picture.');
    startDownload(`${fileName(`${facts.reef} ${facts.dataset}`)}.png`, blob);
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Colours of the classes in the present theme, on white as on paper. */
function cardColours(): CardColours {
  const style = getComputedStyle(document.documentElement);
  return {
    of: (letter) =>
      letter === 'none'
        ? { fill: '#e8e8e8', on: '#000000' }
        : { fill: style.getPropertyValue(`--c-${letter}`), on: style.getPropertyValue(`--c-${letter}-on`) },
    ground: '#ffffff',
    text: '#000000',
  };
}

function fileName(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}]+/gu, '-').replaceAll(/^-|-$/g, '') || 'reef';
}
