import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const THEMES = ['light', 'dark', 'deck'] as const;
type Theme = (typeof THEMES)[number];

/** Measured when the palette was made. Ratios as in WCAG 2.2. */
const LOWEST: Record<Theme, { readonly text: number; readonly line: number }> = {
  light: { text: 6.1, line: 4.4 },
  dark: { text: 7.1, line: 6 },
  deck: { text: 10.6, line: 6 },
};

/** Text on every background that occurs. */
const WORDS: readonly (readonly [words: string, ground: string])[] = [
  ...['--bg', '--surface', '--sunken', '--raised', '--accent-soft', '--alert-soft'].map(
    (ground) => ['--text', ground] as const,
  ),
  ...['--bg', '--surface', '--sunken', '--raised'].map((ground) => ['--text-2', ground] as const),
  ...['--bg', '--surface', '--raised'].map((ground) => ['--link', ground] as const),
  ['--on-primary', '--primary'],
  ['--on-accent', '--accent'],
  ['--on-warn', '--warn'],
  ['--on-alert', '--alert'],
  ['--on-alert', '--warn'],
  ['--rail-text', '--rail-bg'],
];

const ERRORS: readonly (readonly [words: string, ground: string])[] = [
  ['--alert-text', '--bg'],
  ['--alert-text', '--surface'],
];

const LINES: readonly (readonly [line: string, ground: string])[] = [
  ...['--bg', '--surface'].map((ground) => ['--line-strong', ground] as const),
  ...['--bg', '--surface'].map((ground) => ['--focus', ground] as const),
];

const tokens = readFileSync(path.join(import.meta.dirname, 'tokens.css'), 'utf8');

function coloursOf(theme: Theme): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, selector = '', body = ''] of tokens
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .matchAll(/([^{}]+)\{([^{}]*)\}/g)) {
    const isMine = selector.includes(`[data-theme='${theme}']`) || selector.trim() === ':root';
    if (!isMine) continue;
    for (const [, name = '', value = ''] of body.matchAll(/(--[\w-]+):\s*([^;]+);/g)) found.set(name, value.trim());
  }
  return found;
}

/** Relative luminance of `#rrggbb`, 0..1. */
function luminance(colour: string): number {
  const parts = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(colour);
  if (parts === null) throw new Error(`${colour} is no #rrggbb`);
  const [r, g, b] = parts.slice(1).map((hex) => {
    const part = Number.parseInt(hex, 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((one, two) => two - one);
  return (light! + 0.05) / (dark! + 0.05);
}

/** Hue of `#rrggbb`, degrees. */
function hue(colour: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)) as [number, number, number];
  const [most, least] = [Math.max(r, g, b), Math.min(r, g, b)];
  const sixth =
    most === r ? (g - b) / (most - least) : most === g ? 2 + (b - r) / (most - least) : 4 + (r - g) / (most - least);
  return (sixth * 60 + 360) % 360;
}

function lowestOf(theme: Theme, pairs: readonly (readonly [string, string])[], floor: number): string[] {
  const colours = coloursOf(theme);
  return pairs.flatMap(([over, under]) => {
    const [a, b] = [over, under].map((name) => colours.get(name));
    if (a === undefined || b === undefined) return [`${over} on ${under}: no such token`];
    const ratio = contrast(a, b);
    return ratio + 0.05 >= floor ? [] : [`${over} on ${under}: ${ratio.toFixed(2)}, not ${floor}`];
  });
}

describe('contrast of the palettes', () => {
  it('contrast follows the standard: black on white is 21, grey 767676 on white 4.54', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
    expect(contrast('#767676', '#ffffff')).toBeCloseTo(4.54, 2);
  });

  for (const theme of THEMES) {
    it(`3§2 ${theme}: text contrasts with every background it appears on`, () => {
      expect(lowestOf(theme, WORDS, LOWEST[theme].text)).toEqual([]);
      expect(lowestOf(theme, ERRORS, Math.min(6, LOWEST[theme].text))).toEqual([]);
    });

    it(`3§2 ${theme}: outlines of controls and the focus ring are visible`, () => {
      expect(lowestOf(theme, LINES, LOWEST[theme].line)).toEqual([]);
    });

    it(`3§2 ${theme}: the letter of each class contrasts with its colour`, () => {
      const letters = [...'BPMHSEDARTNWGUX'].map((letter) => [`--c-${letter}-on`, `--c-${letter}`] as const);
      expect(lowestOf(theme, letters, 4.6)).toEqual([]);
    });
  }

  it('3§2 a focus ring is told from an error by its colour, in every theme', () => {
    for (const theme of THEMES) {
      const colours = coloursOf(theme);
      const [focus, error] = ['--focus', '--alert-text'].map((name) => hue(colours.get(name)!));
      const apart = Math.abs(focus! - error!);
      expect(Math.min(apart, 360 - apart), theme).toBeGreaterThanOrEqual(45);
    }
  });

  it('3§2 the end of a long bar is visible against the empty part', () => {
    for (const theme of THEMES) {
      const colours = coloursOf(theme);
      const [tide, sunken, text] = ['--tide', '--sunken', '--text'].map((name) => colours.get(name)!);
      expect(
        Math.max(contrast(tide!, sunken!), Math.min(contrast(text!, tide!), contrast(text!, sunken!))),
        theme,
      ).toBeGreaterThanOrEqual(3);
    }
  });
});
