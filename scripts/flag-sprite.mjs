// All country flags in one SVG, a symbol per ISO 3166-1 code, to cache for offline days.
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

/** @returns the sprite and its codes */
export function flagSprite() {
  const folder = path.join(
    path.dirname(createRequire(import.meta.url).resolve('country-flag-icons/package.json')),
    '3x2',
  );
  const codes = readdirSync(folder)
    .flatMap((file) => /^([A-Z]{2})\.svg$/.exec(file)?.[1] ?? [])
    .sort();
  const symbols = codes.map((code) =>
    readFileSync(path.join(folder, `${code}.svg`), 'utf8')
      .trim()
      .replace(' xmlns="http://www.w3.org/2000/svg"', '')
      .replace('<svg', `<symbol id="${code}"`)
      .replace(/<\/svg>$/, '</symbol>'),
  );
  return { svg: `<svg xmlns="http://www.w3.org/2000/svg">${symbols.join('')}</svg>`, codes };
}
