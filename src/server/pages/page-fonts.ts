interface PageFont {
  /** File of the package `@fontsource`, by which the app's build names its own. */
  readonly file: string;
  readonly family: string;
  readonly weight: string;
  /** Characters for which browsers fetch the file. */
  readonly range: string;
}

const LATIN =
  'U+0000-00FF, U+0131, U+0152-0153, U+02BB-02BC, U+02C6, U+02DA, U+02DC, U+0304, U+0308, U+0329, U+2000-206F, U+20AC, U+2122, U+2191, U+2193, U+2212, U+2215, U+FEFF, U+FFFD';
const LATIN_EXTENDED =
  'U+0100-02BA, U+02BD-02C5, U+02C7-02CC, U+02CE-02D7, U+02DD-02FF, U+1D00-1DBF, U+1E00-1E9F, U+1EF2-1EFF, U+2020, U+20A0-20AB, U+20AD-20C0, U+2113, U+2C60-2C7F, U+A720-A7FF';

/** Fonts of the app that the pages show too. */
export const PAGE_FONTS: readonly PageFont[] = [
  { file: 'work-sans-latin-wght-normal', family: 'Work Sans', weight: '100 900', range: LATIN },
  { file: 'work-sans-latin-ext-wght-normal', family: 'Work Sans', weight: '100 900', range: LATIN_EXTENDED },
  { file: 'poppins-latin-500-normal', family: 'Poppins', weight: '500', range: LATIN },
  { file: 'poppins-latin-600-normal', family: 'Poppins', weight: '600', range: LATIN },
];

/** Address of a font that no build changes; it leads to the app's own file. */
export function pageFontPath({ file }: Pick<PageFont, 'file'>): string {
  return `/fonts/${file}.woff2`;
}

/** Until a font has come, and where the app is not built, the page stands in the system's. */
export const FONT_FACES = PAGE_FONTS.map(
  (font) =>
    `@font-face { font-family: '${font.family}'; font-weight: ${font.weight}; font-display: swap; src: url(${pageFontPath(font)}) format('woff2'); unicode-range: ${font.range}; }`,
).join('\n  ');
