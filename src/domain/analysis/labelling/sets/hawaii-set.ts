import { deadOption, labelOption } from './label-option';
import type { LabelOption } from './label-option';
import { BLEACHED_CLASS, EXPERT_STRUCTURE, FLAGGED, OTHER_CORAL, SAND, SURROUNDINGS, WATER } from './main-set';

const VIEWS = { near: 'From near', afar: 'From afar' };

/** Corals of Hawaii (2§3 "Hawaii"). */
export const HAWAII_SET: readonly LabelOption[] = [
  labelOption({
    id: 'lobe',
    label: 'Lobe coral',
    style: ['M', 'L'],
    hint: 'Smooth lumps and lobes, yellow-green to brown.',
    long: 'Porites lobata and its kin: mounds of rounded lobes with a smooth skin of tiny polyps, often the largest colonies of a reef.',
    images: VIEWS,
    isSpecific: true,
  }),
  labelOption({
    id: 'finger',
    label: 'Finger coral',
    style: ['B', 'F'],
    hint: 'Thick upright fingers, close together.',
    long: 'Porites compressa: fingers as thick as a thumb that stand close together and cover whole slopes in calm water.',
    images: VIEWS,
    isSpecific: true,
  }),
  labelOption({
    id: 'rice',
    label: 'Rice coral',
    style: ['P', 'R'],
    hint: 'Crusts and plates with a skin like grains of rice.',
    long: 'Montipora capitata and its kin: crusts, plates and short columns with bumps like grains of rice, brown with a pale rim.',
    images: VIEWS,
    isSpecific: true,
  }),
  labelOption({
    id: 'cauliflower',
    label: 'Cauliflower coral',
    style: ['G', 'C'],
    hint: 'Round heads of short, flat branches.',
    long: 'Pocillopora meandrina: heads of the size of a ball with short branches like a cauliflower, brown, green or pink, each by itself.',
    images: VIEWS,
    isSpecific: true,
  }),
  labelOption({
    id: 'antler',
    label: 'Antler coral',
    style: ['A', 'A'],
    hint: 'Large colonies of long, thick branches.',
    long: 'Pocillopora grandis, formerly eydouxi: colonies up to the size of a table, with branches as long as a hand that end blunt.',
    images: VIEWS,
    isSpecific: true,
  }),
];

/** Labels of versions 3.1 and 3.2: the Hawaiian corals, and what else outlines can hold (ours). */
export const HAWAII_LABELS: readonly LabelOption[] = [...HAWAII_SET, ...SURROUNDINGS];

const dead = (live: LabelOption): LabelOption =>
  deadOption(
    live,
    `${live.id}_dead`,
    `${live.label}, dead`,
    `The shape of ${live.label.toLowerCase()} without its tissue: bare and grey, or under turf and algae.`,
  );

/** 2§3 "Hawaii expert set"; substrate, sand, water and bad image are ours, so that a whole picture can be labelled. */
export const HAWAII_EXPERT_SET: readonly LabelOption[] = [
  ...HAWAII_SET.flatMap((live) => [live, dead(live)]),
  OTHER_CORAL,
  labelOption({
    id: 'sandpaper',
    label: 'Sandpaper rice coral',
    style: ['S', 'Sp'],
    hint: 'Crusts with a skin like sandpaper.',
    long: 'Montipora patula: crusts with a fine rough skin, tan or orange, with a thin purple rim and polyps of the same purple.',
    images: VIEWS,
    isSpecific: true,
  }),
  labelOption({
    id: 'rubble',
    label: 'Rubble',
    style: ['R', 'Ru'],
    hint: 'Loose broken pieces.',
    long: 'Broken pieces of coral, loose and mostly about a finger long, grey or grown over.',
    images: VIEWS,
  }),
  BLEACHED_CLASS,
  EXPERT_STRUCTURE,
  SAND,
  WATER,
  FLAGGED,
];
