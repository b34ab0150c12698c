import { deadOption, labelOption } from './label-option';
import {
  BLEACHED_CLASS,
  BRANCHING,
  EXPERT_STRUCTURE,
  FLAGGED,
  MASSIVE,
  OTHER_CORAL,
  PLATING,
  SAND,
  WATER,
} from './main-set';

const OTHER_HARD = {
  ...OTHER_CORAL,
  hint: 'Hard, and none of the above.',
  long_desc: 'Hard coral whose shape is neither branching, flat nor a dome: crusts, columns, loose mushrooms, leaves.',
} as const;

/** 2§3 "Expert". */
export const EXPERT_SET = [
  BRANCHING,
  deadOption(
    BRANCHING,
    'branching_dead',
    'Branching coral, dead',
    'Branches still stand and have no tissue: bare and grey, or under turf. Broken ones that lie are rubble, part of the substrate.',
  ),
  PLATING,
  deadOption(
    PLATING,
    'plating_dead',
    'Plating coral, dead',
    'Plates and tables that keep their shape without tissue. A broken plate counts while it is larger than a hand.',
  ),
  MASSIVE,
  deadOption(
    MASSIVE,
    'massive_dead',
    'Boulder coral, dead',
    'Domes without tissue, often pitted or covered with turf. If the pattern of polyps cannot be seen, it is substrate.',
  ),
  labelOption({
    id: 'softcoral',
    label: 'Soft coral',
    style: ['S', 'S'],
    hint: 'Leathers, fans, fleshy lobes.',
    long: 'It has no skeleton of stone and moves with the water: leathers, fleshy lobes, spaghetti, fans.',
    images: { near: 'From near', afar: 'From afar', bleached: 'Bleached' },
    exercise: 'Paint soft corals on made pictures.',
  }),
  OTHER_HARD,
  deadOption(
    OTHER_HARD,
    'othercoral-dead',
    'Dead coral',
    'Dead hard coral of any other shape, or whose shape can no longer be named and is surely coral.',
  ),
  EXPERT_STRUCTURE,
  SAND,
  WATER,
  BLEACHED_CLASS,
  FLAGGED,
] as const;
