import type { ClassStyle, PaletteLetter } from '../../palette';
import { PALETTE_COLOURS } from '../../palette';

/** Example picture of a class. The app makes it: `labelScene` has the scene of its path. */
interface LabelImage {
  /** Storage path under the image base. */
  readonly image_path: string;
  readonly caption: string;
}

/** Coral category entry (2§3), in the specification's names: a class or an answer that a person picks. */
export interface LabelOption extends ClassStyle {
  readonly id: string;
  readonly label: string;
  /** Hex colour, or both colours of a striped class. */
  readonly colour: string | readonly [string, string];
  readonly colourName: string;
  /** Name of the SVG icon. */
  readonly icon: string;
  /** Address of the icon on every server of the app. */
  readonly iconPath: string;
  readonly hint: string;
  /** Hierarchy, outermost first; ends with `dead` for dead coral. */
  readonly path: readonly string[];
  /** Painted on the picture with colour, hatch and letter; false for an answer. */
  readonly decorate: boolean;
  readonly long_desc: string;
  /** Storage folder of the images; empty if there are none. */
  readonly image_path: string;
  readonly images: readonly LabelImage[];
  /** Exercise on this class. */
  readonly walkthrough?: { readonly url: string; readonly desc: string };
  readonly fillType?: 'striped';
  /** Shown apart from the others. */
  readonly separate?: true;
  /** One kind of coral with a name of its own, rather than a growth form. */
  readonly specific?: true;
}

const COLOUR_NAMES: Readonly<Record<PaletteLetter, string>> = {
  B: 'orange',
  P: 'pink',
  M: 'violet',
  H: 'yellow',
  S: 'lavender',
  E: 'pale mint',
  D: 'brown',
  A: 'green',
  R: 'tan',
  T: 'wine red',
  N: 'peach',
  W: 'navy',
  G: 'cyan',
  U: 'blue',
  X: 'black',
};

/** Folder of the icons (2§7 "Icons at cdn/200/icon/{name}.svg"). */
const ICON_BASE = '/cdn/200/icon';
/** Address of an icon. */
const iconPathOf = (icon: string): string => `${ICON_BASE}/${icon}.svg`;

/** Colours and marks, compactly: palette letter, or two of a striped class, and the mark. */
type StyleRow = readonly [palette: PaletteLetter | readonly [PaletteLetter, PaletteLetter], mark: string];

interface OptionRow {
  readonly id: string;
  readonly label: string;
  readonly style: StyleRow;
  readonly hint: string;
  readonly long: string;
  /** The id unless given. */
  readonly icon?: string;
  /** The id alone unless given. */
  readonly path?: readonly string[];
  readonly isAnswer?: boolean;
  /** Captions by file name. */
  readonly images?: Readonly<Record<string, string>>;
  /** Folder of the images; the id unless given. */
  readonly folder?: string;
  readonly exercise?: string;
  readonly isSeparate?: boolean;
  readonly isSpecific?: boolean;
}

/** Address of the public training, in which exercises are. */
const TRAINING = '/analysis/training';

/** Builds the entry of a row. */
export function labelOption(row: OptionRow): LabelOption {
  const [palette, mark] = row.style;
  const [first, second] = typeof palette === 'string' ? [palette, undefined] : palette;
  const images = Object.entries(row.images ?? {});
  const folder = images.length === 0 ? '' : (row.folder ?? row.id);
  const icon = row.icon ?? row.id.replaceAll('_', '-');
  return {
    id: row.id,
    label: row.label,
    palette: first,
    ...(second === undefined ? {} : { stripe: second, fillType: 'striped' as const }),
    mark,
    colour: second === undefined ? PALETTE_COLOURS[first] : [PALETTE_COLOURS[first], PALETTE_COLOURS[second]],
    colourName: second === undefined ? COLOUR_NAMES[first] : `${COLOUR_NAMES[first]} and ${COLOUR_NAMES[second]}`,
    icon,
    iconPath: iconPathOf(icon),
    hint: row.hint,
    path: row.path ?? [row.id],
    decorate: row.isAnswer !== true,
    long_desc: row.long,
    image_path: folder,
    images: images.map(([name, caption]) => ({ image_path: `${folder}/${name}`, caption })),
    ...(row.exercise === undefined ? {} : { walkthrough: { url: TRAINING, desc: row.exercise } }),
    ...(row.isSeparate === true ? { separate: true as const } : {}),
    ...(row.isSpecific === true ? { specific: true as const } : {}),
  };
}

/** Dead coral of a class: its colour striped with brown, its mark followed by `d`, its path by `dead`. */
export function deadOption(live: LabelOption, id: string, label: string, long: string): LabelOption {
  return labelOption({
    id,
    label,
    style: [[live.palette, 'D'], `${live.mark.slice(0, 1)}d`],
    hint: 'Its shape is left, its tissue is not: bare or overgrown.',
    long,
    icon: `${live.icon}-dead`,
    path: [...live.path, 'dead'],
    images: { dead: 'Dead' },
    folder: live.image_path,
    isSpecific: live.specific === true,
  });
}
