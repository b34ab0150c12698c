// Draws the app's icons (public/icons) from the logo: a coral over a swell, in a ring. Run after a change here: node
// scripts/icons.mjs
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import sharp from 'sharp';
import { ROOT } from './setup.mjs';

const INK = '#02253b';
const TURQUOISE = '#4cc5c6';
const CORAL = '#fc8cac';

/** Logo on a dark field; `scale` is its share of the side (a maskable icon stays in the inner four fifths). */
function drawing({ scale, radius }) {
  const offset = (1 - scale) * 20;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><rect width="40" height="40" rx="${radius}" fill="${INK}"/><g transform="translate(${offset} ${offset}) scale(${scale})" fill="none" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round"><circle cx="20" cy="20" r="18.5" stroke="${TURQUOISE}"/><path d="M6 25c4-4 8-4 12 0s9 4 15 0" stroke="#fff"/><path d="M20 22V11M20 16l-5-4M20 14l5-4M15 12V8M25 10V7" stroke="${CORAL}"/></g></svg>\n`;
}

const folder = path.join(ROOT, 'public', 'icons');
mkdirSync(folder, { recursive: true });
const rounded = drawing({ scale: 0.84, radius: 9 });
const square = drawing({ scale: 0.64, radius: 0 });
writeFileSync(path.join(folder, 'icon.svg'), rounded);
const render = (svg, size, name) =>
  sharp(Buffer.from(svg), { density: 72 * (size / 40) * 2 })
    .resize(size, size)
    .png({ compressionLevel: 9, palette: true })
    .toFile(path.join(folder, name));
await Promise.all([
  render(rounded, 48, 'icon-48.png'),
  render(rounded, 192, 'icon-192.png'),
  render(rounded, 512, 'icon-512.png'),
  render(square, 512, 'maskable-512.png'),
  render(square, 180, 'apple-touch-icon.png'),
]);
