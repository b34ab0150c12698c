/** Colours of the cover bands (3§9). */
type FiveColours = readonly [string, string, string, string, string];

type SixColours = readonly [string, string, string, string, string, string];

/** Colours of the report map in the current theme. */
export interface ReportColours {
  readonly sea: string;
  /** Water deeper than 200 m. */
  readonly deep: string;
  readonly shoal: string;
  readonly land: string;
  readonly coast: string;
  readonly contour: string;
  readonly text: string;
  readonly halo: string;
  readonly reef: string;
  readonly reefLine: string;
  readonly surveyed: string;
  readonly surveyedLine: string;
  /** Outline of the reef that is hovered, and of the selected one. */
  readonly hovered: string;
  readonly selected: string;
  readonly bands: FiveColours;
  /** Below 50, and from 50, 60, 70, 80 and 90 percent. */
  readonly rubble: SixColours;
  /** Line of what has a figure: bands are light and dark, their edge is neither. */
  readonly edge: string;
}

/**
 * Cover bands from few to much coral: lightness alone distinguishes them, so they are safe for every colour vision.
 * Warm, since all else on the chart is cool. On the dark chart the order of lightness is reversed: more coral stands
 * out.
 */
const BANDS = {
  light: ['#fff0c2', '#ffc285', '#f5808a', '#b83280', '#571063'],
  dark: ['#6d3a86', '#b3478c', '#ee7a83', '#fdb67f', '#fff0c2'],
} as const satisfies Record<string, FiveColours>;

/** Rubble probability: browns of the class, by lightness. */
const RUBBLE = {
  light: ['#fbf3e4', '#f0dfc6', '#d9b98f', '#b98d5f', '#8d6239', '#5a3a1b'],
  dark: ['#46372a', '#5f4a35', '#86684a', '#ad8a66', '#d3b48f', '#f6e3c5'],
} as const satisfies Record<string, SixColours>;

/** Seven colours of zoning (3§9), in the order of `zone`: Pink, Green, Orange, Olive Green, Yellow, Dark Blue, Light Blue. */
export const ZONE_COLOURS = ['#f2a0c8', '#4f9d3a', '#f08a24', '#8a8f2b', '#f4dc3c', '#26519e', '#8fd0ef'] as const;

/** Colours of the priority layers, with a letter next to them in legends. */
export const PRIORITY_COLOURS = {
  keySourceReefs: '#5d07fe',
  cotsPriority: '#9e3955',
  censusPriority: '#f69b01',
  deepReefs: '#121886',
  hotRefugiaReefs: '#e2343c',
} as const;

export function reportColours(root: HTMLElement = document.documentElement): ReportColours {
  const style = getComputedStyle(root);
  const token = (name: string): string => style.getPropertyValue(name).trim();
  const isDark = root.dataset['theme'] === 'dark';
  const scale = isDark ? 'dark' : 'light';
  return {
    sea: token('--deep'),
    deep: mixed(token('--deep'), token('--contour'), 0.16),
    shoal: token('--shoal'),
    land: token('--land'),
    coast: token('--accent-deep'),
    contour: token('--contour'),
    text: token('--text'),
    halo: token('--deep'),
    reef: mixed(token('--shoal'), token('--contour'), isDark ? 0.15 : 0.35),
    reefLine: token('--contour'),
    surveyed: token('--accent'),
    surveyedLine: token('--accent-deep'),
    hovered: token('--text'),
    selected: token('--alert-text'),
    bands: BANDS[scale],
    rubble: RUBBLE[scale],
    edge: token('--text'),
  };
}

/** Mixes two `#rrggbb` colours; `share` of the second, 0..1. */
function mixed(first: string, second: string, share: number): string {
  const parts = (hex: string): number[] => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  const [a, b] = [parts(first), parts(second)];
  return `#${a
    .map((value, n) =>
      Math.round(value + ((b[n] ?? value) - value) * share)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
}
