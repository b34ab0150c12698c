export interface ChartColours {
  readonly sea: string;
  readonly shoal: string;
  readonly land: string;
  readonly contour: string;
  readonly reef: string;
  readonly reefLine: string;
  readonly text: string;
  readonly halo: string;
  readonly track: string;
}

const TOKENS: Readonly<Record<keyof ChartColours, string>> = {
  sea: '--deep',
  shoal: '--shoal',
  land: '--land',
  contour: '--contour',
  reef: '--accent',
  reefLine: '--accent-deep',
  text: '--text',
  halo: '--deep',
  track: '--alert-text',
};

export function chartColours(): ChartColours {
  const style = getComputedStyle(document.documentElement);
  const read = (name: keyof ChartColours): string => style.getPropertyValue(TOKENS[name]).trim();
  return {
    sea: read('sea'),
    shoal: read('shoal'),
    land: read('land'),
    contour: read('contour'),
    reef: read('reef'),
    reefLine: read('reefLine'),
    text: read('text'),
    halo: read('halo'),
    track: read('track'),
  };
}
