import type { ExperienceKey, SurveyType } from '../../src/domain/survey/survey';
import type { Habitat } from '../../src/imaging/reef-renderer/habitats';

/** Person of the demo. `.invalid` addresses never receive mail. */
export interface DemoPerson {
  readonly key: string;
  readonly first: string;
  readonly last: string;
  readonly email: string;
}

export interface DemoSurvey {
  readonly key: string;
  readonly name: string;
  /** Key of a `DemoPerson`. */
  readonly person: string;
  readonly date: string;
  readonly timeIn: string;
  readonly type: SurveyType;
  /** Row of the bundled reef table (`public/reefs/gbr.json`). */
  readonly reef: {
    readonly id: string;
    readonly gid: string;
    readonly name: string;
    readonly latitude: number;
    readonly longitude: number;
  };
  readonly site: { readonly name: string; readonly type: string };
  /** Metres; `duration` is minutes. */
  readonly visibility: number;
  readonly duration: number;
  readonly experience: Partial<Record<ExperienceKey, readonly [string]>>;
  readonly habitats: readonly Habitat[];
}

const DEMO_PEOPLE: readonly DemoPerson[] = [
  { key: 'mele', first: 'Mele', last: 'Tavita (demo)', email: 'mele@demo.invalid' },
  { key: 'joss', first: 'Joss', last: 'Ferrand (demo)', email: 'joss@demo.invalid' },
  { key: 'ines', first: 'Inês', last: 'Moura (demo)', email: 'ines@demo.invalid' },
];

const DEMO_SURVEYS: readonly DemoSurvey[] = [
  {
    key: 'moore-front',
    name: 'Moore Reef, front crest (demo)',
    person: 'mele',
    date: '2025-11-04',
    timeIn: '09:20',
    type: 'snorkel',
    reef: { id: '16071100104', gid: '16-071', name: 'Moore Reef', latitude: -16.87431, longitude: 146.21297 },
    site: { name: 'Outer edge, second mooring', type: 'crest' },
    visibility: 18,
    duration: 50,
    experience: {
      overall: ['Thriving'],
      water: ['Clear'],
      coral: ['50 to 75%'],
      colour: ['Full of colour'],
      wildlife: ['Plenty'],
      crownOfThorns: ['None seen'],
      coralBleaching: ['None'],
    },
    habitats: ['crest', 'crest', 'slope', 'crest', 'slope', 'crest', 'crest', 'slope', 'crest', 'crest'],
  },
  {
    key: 'agincourt-slope',
    name: 'Agincourt Reefs, back slope (demo)',
    person: 'mele',
    date: '2025-11-05',
    timeIn: '10:05',
    type: 'scuba',
    reef: {
      id: '15099101104',
      gid: '15-099a',
      name: 'Agincourt Reefs (No 3)',
      latitude: -15.98979,
      longitude: 145.83221,
    },
    site: { name: 'Back slope, 6 to 12 m', type: 'slope' },
    visibility: 15,
    duration: 45,
    experience: {
      overall: ['Good'],
      water: ['Clear'],
      coral: ['30 to 50%'],
      colour: ['Some colour'],
      wildlife: ['Plenty'],
      crownOfThorns: ['Feeding scars only'],
      coralBleaching: ['A little, under 10%'],
      coralBleachingType: ['Pale'],
    },
    habitats: ['slope', 'bommie', 'slope', 'slope', 'bommie', 'slope', 'crest', 'slope'],
  },
  {
    key: 'myrmidon-lagoon',
    name: 'Myrmidon Reef, lagoon (demo)',
    person: 'joss',
    date: '2025-11-12',
    timeIn: '08:40',
    type: 'snorkel',
    reef: { id: '18034100104', gid: '18-034', name: 'Myrmidon Reef', latitude: -18.2657, longitude: 147.38425 },
    site: { name: 'Lagoon, south end', type: 'lagoon' },
    visibility: 22,
    duration: 40,
    experience: {
      overall: ['Good'],
      water: ['Clear'],
      coral: ['10 to 30%'],
      colour: ['Some colour'],
      wildlife: ['Some'],
      crownOfThorns: ['None seen'],
      coralBleaching: ['None'],
    },
    habitats: ['lagoon', 'lagoon', 'bommie', 'lagoon', 'bommie', 'lagoon', 'lagoon', 'bommie'],
  },
  {
    key: 'lizard-flat',
    name: 'Lizard Island, lagoon flat after the heat (demo)',
    person: 'joss',
    date: '2025-11-15',
    timeIn: '14:15',
    type: 'snorkel',
    reef: {
      id: '14116104104',
      gid: '14-116d',
      name: 'Lizard Island Reef (Lagoon)',
      latitude: -14.68558,
      longitude: 145.44981,
    },
    site: { name: 'Between the islands', type: 'flat' },
    visibility: 9,
    duration: 35,
    experience: {
      overall: ['Struggling'],
      water: ['A little murky'],
      coral: ['10 to 30%'],
      colour: ['Mostly pale'],
      wildlife: ['Some'],
      crownOfThorns: ['None seen'],
      coralBleaching: ['Some, 10 to 30%'],
      coralBleachingType: ['White'],
    },
    habitats: ['bleached', 'bleached', 'flat', 'bleached', 'bleached', 'flat', 'bleached'],
  },
  {
    key: 'bait-rubble',
    name: 'Bait Reef, after the cyclone (demo)',
    person: 'ines',
    date: '2025-11-20',
    timeIn: '11:30',
    type: 'scuba',
    reef: { id: '19137100104', gid: '19-137', name: 'Bait Reef', latitude: -19.80713, longitude: 149.07359 },
    site: { name: 'Stepping stones', type: 'bommie' },
    visibility: 12,
    duration: 42,
    experience: {
      overall: ['Mixed'],
      water: ['A little murky'],
      coral: ['Under 10%'],
      colour: ['Mostly brown or green'],
      wildlife: ['Little'],
      crownOfThorns: ['None seen'],
      coralBleaching: ['A little, under 10%'],
      coralBleachingType: ['Pale'],
      anythingElse: ['Broken branches everywhere below 5 m.'],
    },
    habitats: [
      'rubble-field',
      'rubble-field',
      'flat',
      'rubble-field',
      'bommie',
      'rubble-field',
      'rubble-field',
      'flat',
    ],
  },
];

export interface DemoContent {
  readonly people: readonly DemoPerson[];
  readonly surveys: readonly DemoSurvey[];
  /** Pixels of each photograph. */
  readonly size: { readonly width: number; readonly height: number };
}

export const DEMO_CONTENT: DemoContent = {
  people: DEMO_PEOPLE,
  surveys: DEMO_SURVEYS,
  size: { width: 1200, height: 900 },
};
