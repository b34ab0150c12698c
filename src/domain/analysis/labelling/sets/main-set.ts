import { labelOption } from './label-option';

const SHAPES = { near: 'From near', afar: 'From afar' };
const BLEACHED = { ...SHAPES, bleached: 'Bleached' };

/** Growth forms and the rest of a picture (2§3 "Main ml categories"). */
export const BRANCHING = labelOption({
  id: 'branching',
  label: 'Branching coral',
  style: ['B', 'B'],
  hint: 'Fingers, bushes, antlers: longer than they are thick.',
  long: 'Its colonies grow in branches: staghorns, bushes, bottle brushes, fingers. Look for gaps of shadow between the branches. Most of the outline decides, not its middle.',
  images: BLEACHED,
  exercise: 'Paint branching corals on made pictures.',
});
export const PLATING = labelOption({
  id: 'plating',
  label: 'Plating coral',
  style: ['P', 'P'],
  hint: 'Tables, plates and whorls: flat and thin.',
  long: 'Its colonies grow flat and wide: tables on one foot, plates above each other, whorls. Look for a thin rim and for shadow below it. A crust that only lifts its rim is other coral.',
  images: BLEACHED,
  exercise: 'Paint plating corals on made pictures.',
});
export const MASSIVE = labelOption({
  id: 'massive',
  label: 'Boulder coral',
  style: ['M', 'M'],
  hint: 'Domes and lumps, as thick as they are wide.',
  long: 'Its colonies are domes, lumps or pillars about as high as they are wide, round and smooth from afar. Rocks look similar: coral has an even colour and a fine pattern of polyps.',
  images: BLEACHED,
  exercise: 'Paint boulder corals on made pictures.',
});
export const OTHER_CORAL = labelOption({
  id: 'othercoral',
  label: 'Other coral',
  style: ['H', 'H'],
  hint: 'Any other coral: crusts, leaves, soft coral.',
  long: 'Any coral whose shape is neither branching, flat nor a dome: crusts, columns, mushrooms, leaves, and soft coral. You may be asked later whether it is hard or soft.',
  images: BLEACHED,
});
const STRUCTURE = labelOption({
  id: 'structure',
  label: 'Reef structure',
  style: ['T', 'T'],
  hint: 'Rock, rubble, old reef: bare or with algae.',
  long: 'Rock, rubble and dead reef on which nothing grows that you could name, bare or under turf and algae. Dead coral whose shape can still be seen belongs here as well.',
  images: SHAPES,
});
const BACKGROUND = labelOption({
  id: 'background',
  label: 'Water, sand, shadow',
  style: ['W', 'W'],
  hint: 'The background: nothing is built here.',
  long: 'Open water, sand and silt, and shadow in which nothing can be seen. An animal or a diver in front of it is part of it.',
  images: { near: 'Water', afar: 'Sand' },
  exercise: 'Paint water and sand on made pictures.',
});
const UNKNOWN = labelOption({
  id: 'unknown',
  label: 'I don’t know',
  style: ['U', '?'],
  hint: 'A good answer too.',
  long: 'You cannot tell what it is. That is worth more than a guess: someone else looks at it again.',
  path: ['badimage'],
  images: { near: 'Hard to say' },
});
const BAD_IMAGE = labelOption({
  id: 'badimage',
  label: 'Bad Image',
  style: ['X', 'X'],
  hint: 'Dark, blurred, blocked: all outlines get this label.',
  long: 'Out of focus, too close, too dark, too bright, something in front of it, or not a reef. Every outline gets this label, and you can submit at once. One Undo brings your labels back.',
  images: { blurred: 'Out of focus', dark: 'Too dark', obscured: 'Obscured' },
  isSeparate: true,
});

export const MAIN_SET = [BRANCHING, PLATING, MASSIVE, OTHER_CORAL, STRUCTURE, BACKGROUND, UNKNOWN, BAD_IMAGE] as const;

/** Classes that a set of named corals needs, so that every outline can be labelled (ours). */
export const SURROUNDINGS = [OTHER_CORAL, STRUCTURE, BACKGROUND, UNKNOWN, BAD_IMAGE] as const;

/** 2§3 "Dominant set: main categories plus nocoral and unknown". */
export const DOMINANT_SET = [
  BRANCHING,
  PLATING,
  MASSIVE,
  OTHER_CORAL,
  STRUCTURE,
  BACKGROUND,
  labelOption({
    id: 'nocoral',
    label: 'No coral',
    style: ['D', 'No'],
    hint: 'The picture has no coral at all.',
    long: 'None of the outlines holds coral, alive or bleached.',
  }),
  { ...UNKNOWN, path: ['unknown'] },
] as const;

/** 2§3 "Expert". */
export const BLEACHED_CLASS = labelOption({
  id: 'bleached',
  label: 'Bleached coral',
  style: ['E', 'E'],
  hint: 'White, and alive; of any shape.',
  long: 'Coral of any shape whose tissue is there and whose algae are not: bright white, with its fine structure whole. Dead coral is duller and soon grown over.',
  images: { branching: 'Branching', plating: 'Plating', massive: 'Boulder' },
});
export const SAND = labelOption({
  id: 'sand',
  label: 'Sand',
  style: ['N', 'N'],
  hint: 'Sand and silt.',
  long: 'Sand and silt without anything that could be named on it. A thin layer on rock is still rock.',
  images: SHAPES,
  exercise: 'Paint sand on made pictures.',
});
export const WATER = labelOption({
  id: 'background',
  label: 'Water and shadow',
  style: ['W', 'W'],
  hint: 'Open water and deep shadow.',
  long: 'Open water, and shadow in which nothing can be seen.',
  icon: 'water',
  images: { near: 'Water' },
  exercise: 'Paint water on made pictures.',
});
export const EXPERT_STRUCTURE = {
  ...STRUCTURE,
  label: 'Reef Substrate',
  hint: 'Rock, rubble, algae on dead reef.',
} as const;
export const FLAGGED = { ...BAD_IMAGE, path: ['flag'] } as const;
