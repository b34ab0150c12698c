import { coverOf, labelOf } from './reef-classes';
import type { Cover, ReefClass } from './reef-classes';
import type { Brush, Ground } from './ground';
import { blend, emptyGround, palette } from './ground';
import type { ColonyKind, ReefScene } from './habitats';
import type { ColonyStyle } from './hard-corals';
import { antlers, boulder, fingers, plates } from './hard-corals';
import { renderPhotograph } from './light';
import { Noise } from './noise';
import { clam, fish, sponge, star } from './animals';
import { leather, rubble, tentacles, weed } from './soft-cover';
import { Random } from './random';
import { buildSeabed } from './seabed';
import { spoilPhotograph } from './spoil-photograph';
import { SUBJECTS, type SubjectKind } from './subjects';

export interface ReefPicture {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue interleaved, row by row. */
  readonly rgb: Uint8Array;
  /** One byte a pixel: `labelOf` the visible class. */
  readonly label: Uint8Array;
  readonly cover: Cover;
}

const COLONY_PALETTES = {
  antlers: palette('926a3a f0deb2', '706246 dcd2ec', '606c80 b0cef6', 'a6824c fcf0d0', '7e5242 ecbeaa'),
  fingers: palette(
    '845c3c eed6b0',
    '966070 f4ced8',
    '70683e e0de9e',
    '684e6a d0b4e8',
    '967452 f6e6ce',
    '546068 a6cee2',
  ),
  boulder: palette(
    '7a623a c4ac6c',
    '6c6648 b2ae7c',
    '846a5a ceb69c',
    '6c586a b4a0b2',
    '62685c aab296',
    '8a7042 ceb87a',
  ),
  plates: palette('805a36 eed6a8', '685442 d6c0a6', '705e70 cebadc', '7c7040 e6daa0', '926248 f6dcbe'),
  leather: palette('928060 d6c8a0', '8a6870 dcb6ba', '767c58 c4ca94', '987a4a dec48a'),
  tentacles: palette('88683e e2c892', '7a6474 dac0d6', '667452 c6d6a0'),
  weed: palette('46521e 82923a', '624824 9c7a3e', '2e542a 68964e'),
};

/** Radii in px of a picture 1200 wide: from, to. */
const SIZES: Readonly<Record<ColonyKind, readonly [number, number]>> = {
  antlers: [62, 170],
  fingers: [34, 112],
  boulder: [34, 150],
  plates: [60, 190],
  leather: [46, 130],
  tentacles: [56, 120],
  weed: [34, 90],
  rubble: [60, 170],
  sponge: [26, 58],
  clam: [26, 44],
  star: [22, 34],
  fish: [40, 130],
};

const CLASS_OF: Readonly<Record<ColonyKind, ReefClass>> = {
  antlers: 'B',
  fingers: 'H',
  boulder: 'M',
  plates: 'P',
  leather: 'S',
  tentacles: 'S',
  weed: 'A',
  rubble: 'R',
  sponge: 'G',
  clam: 'G',
  star: 'G',
  fish: 'G',
};

const [BLEACHED] = palette('d6d8d0 fcfcf6');
const [DEAD] = palette('5e5a42 8e866a');

/** Placement attempts on a picture full of rock, whatever its size. */
const TRIES = 300;

/**
 * Renders a photograph of a reef with known ground truth. Deterministic per scene; about half a second at 1200 × 900.
 */
export function renderReef(scene: ReefScene): ReefPicture {
  const { width, height, seed } = scene;
  const ground = buildReef(scene);
  const clear = renderPhotograph(ground, scene.water, seed, width / 1200);
  const rgb = scene.spoilt === undefined ? clear : spoilPhotograph(clear, width, height, scene.spoilt);
  return { width, height, rgb, label: ground.label, cover: coverOf(ground.label) };
}

/** Reef of a scene, unlit. */
export function buildReef(scene: ReefScene): Ground {
  const { width, height, seed } = scene;
  const scale = width / 1200;
  const random = new Random(seed);
  const noise = new Noise(seed ^ 0x3c6ef372);
  const ground = emptyGround(width, height);
  buildSeabed(ground, noise, random, scene.bottom, scale * (scene.groundZoom ?? 1));
  const brush = { ground, random, noise, scale };
  growColonies(brush, scene);
  drawSubject(brush, scene);
  return ground;
}

function drawSubject(brush: Brush, { subject, width, height, bleached, dead }: ReefScene): void {
  if (subject === undefined) return;
  const [x, y, radius] = [width / 2, height * 0.52, subject.radius * width];
  const { kind } = subject;
  if (isColony(kind))
    drawColony(
      brush,
      kind,
      x,
      y,
      radius,
      styleOf(brush.random, kind, bleached, dead),
      brush.random.between(0, 2 * Math.PI),
    );
  else SUBJECTS[kind](brush, x, y, radius, labelOf('G'));
}

const isColony = (kind: SubjectKind | ColonyKind): kind is ColonyKind => kind in CLASS_OF;

interface PlacedColony {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
}

/** Places colonies where there is room, large ones first, as on a reef the young fill the gaps between the old. */
function growColonies(brush: Brush, { growth, mix, zoom, bleached, dead, width, height }: ReefScene): void {
  const { random, scale } = brush;
  const placed: PlacedColony[] = [];
  const current = random.between(0, 2 * Math.PI);
  const tries = Math.round((TRIES * growth * (height / width) * (4 / 3)) / zoom ** 1.3);
  for (let n = 0; n < tries; n++) {
    const kind = random.pickWeighted(mix);
    const [small, large] = SIZES[kind];
    const young = n / tries;
    const wanted = (large - (large - small) * Math.min(1, young * 1.15)) * random.between(0.7, 1.1) * zoom * scale;
    const x = random.between(-0.04, 1.04) * width;
    const y = random.between(-0.04, 1.04) * height;
    // Farther colonies, at the top, are smaller.
    const radius = wanted * (0.74 + 0.4 * Math.max(0, Math.min(1, y / height)));
    if (
      !canGrowAt(brush, kind, x, y) ||
      (kind !== 'fish' && placed.some((other) => Math.hypot(other.x - x, other.y - y) < (other.radius + radius) * 0.66))
    )
      continue;
    if (kind !== 'fish') placed.push({ x, y, radius });
    drawColony(brush, kind, x, y, radius, styleOf(random, kind, bleached, dead), current);
  }
}

/**
 * True if a kind can grow here: corals need hard ground; weed, rubble, clams and stars also grow on sand; fish are
 * anywhere.
 */
function canGrowAt({ ground, random }: Brush, kind: ColonyKind, x: number, y: number): boolean {
  const column = Math.max(0, Math.min(ground.width - 1, Math.round(x)));
  const row = Math.max(0, Math.min(ground.height - 1, Math.round(y)));
  const here = ground.label[row * ground.width + column] ?? 0;
  if (kind === 'fish') return true;
  if (here === labelOf('T')) return true;
  if (here !== labelOf('N')) return false;
  if (kind === 'star' || kind === 'weed' || kind === 'rubble') return true;
  return kind !== 'sponge' && random.chance(0.16);
}

function styleOf(random: Random, kind: ColonyKind, bleached: number, dead: number): ColonyStyle {
  const letter = CLASS_OF[kind];
  // Soft coral keeps its state only where all is in it: scenes of a reef count hard coral alone.
  const isAll = letter === 'S' && (bleached === 1 || dead === 1);
  const hard = isAll || letter === 'B' || letter === 'H' || letter === 'M' || letter === 'P';
  const fate = random.next();
  if (hard && fate < bleached) return { label: labelOf('E'), flesh: BLEACHED[0], tip: BLEACHED[1] };
  if (hard && fate < bleached + dead) return { label: labelOf('D'), flesh: DEAD[0], tip: DEAD[1] };
  const variants = COLONY_PALETTES[kind in COLONY_PALETTES ? (kind as keyof typeof COLONY_PALETTES) : 'boulder'];
  const [flesh, tip] = random.pick(variants);
  const [, other] = random.pick(variants);
  const bright = random.between(0.86, 1.12);
  return {
    label: labelOf(letter),
    flesh: [flesh[0] * bright, flesh[1] * bright, flesh[2] * bright],
    tip: blend(tip, other, random.between(0, 0.3)),
  };
}

function drawColony(
  brush: Brush,
  kind: ColonyKind,
  x: number,
  y: number,
  radius: number,
  style: ColonyStyle,
  current: number,
): void {
  switch (kind) {
    case 'antlers':
      return antlers(brush, x, y, radius, style);
    case 'fingers':
      return fingers(brush, x, y, radius, style);
    case 'boulder':
      return boulder(brush, x, y, radius, style);
    case 'plates':
      return plates(brush, x, y, radius, style);
    case 'leather':
      return leather(brush, x, y, radius, style);
    case 'tentacles':
      return tentacles(brush, x, y, radius, style, current);
    case 'weed':
      return weed(brush, x, y, radius, style, current);
    case 'rubble':
      return rubble(brush, x, y, radius, style.label);
    case 'sponge':
      return sponge(brush, x, y, radius, style.label);
    case 'clam':
      return clam(brush, x, y, radius, style.label);
    case 'star':
      return star(brush, x, y, radius, style.label);
    case 'fish':
      return fish(brush, x, y, radius, style.label);
  }
}
