import { describe, expect, test } from 'vitest';
import { CATEGORY_CLASSES } from '../../domain/analysis/free-draw/categories';
import { DEMO_SIZE, DEMOS, FULL_DEMOS, matchDemo, type Demo } from '../../domain/analysis/free-draw/demos';
import { statsOf } from '../../domain/analysis/free-draw/stats';
import { REEF_CLASSES } from '../../imaging/reef-renderer/reef-classes';
import { CATEGORY_OF, sceneOfDemo } from '../../imaging/reef-renderer/render-demo';
import { buildReef } from '../../imaging/reef-renderer/render-reef';
import { overlapsOf } from './demo-overlap';

const SIZE = DEMO_SIZE.width * DEMO_SIZE.height;
const ALL: readonly Demo[] = [...Object.values(DEMOS).flat(), ...FULL_DEMOS];

const labelOfType = (id: string): number => CATEGORY_CLASSES.find(({ type }) => type.id === id)?.label ?? 0;

/** Types of the true labels of a demo, a label each. */
function truthOf({ scene }: Demo): { readonly labels: Uint8Array; readonly types: readonly string[] } {
  return { labels: buildReef(sceneOfDemo(scene)).label, types: REEF_CLASSES.map(({ letter }) => CATEGORY_OF[letter]) };
}

function matched(demo: Demo, truth: Uint8Array, painted: Uint8Array) {
  const counts = new Uint32Array(256);
  for (const label of painted) counts[label] = (counts[label] ?? 0) + 1;
  const picture = (labels: Uint8Array) => ({ labels, ...DEMO_SIZE });
  const overlaps = overlapsOf(picture(painted), picture(truth), Object.keys(demo.breakdown));
  return matchDemo(statsOf(counts, CATEGORY_CLASSES), demo, overlaps);
}

/**
 * Paints each type of the demo in its true amount on what is something else, if there is room: the painter of
 * bare sand.
 */
function paintElsewhere(demo: Demo, { labels, types }: ReturnType<typeof truthOf>): Uint8Array {
  const painted = new Uint8Array(SIZE);
  for (const type of Object.keys(demo.breakdown)) {
    const isTrue = types.map((each) => each === type);
    const label = labelOfType(type);
    let left = 0;
    for (let at = 0; at < SIZE; at++) if (isTrue[labels[at] ?? 0] === true) left++;
    for (const isWrong of [true, false])
      for (let at = 0; at < SIZE && left > 0; at++)
        if (painted[at] === 0 && (isTrue[labels[at] ?? 0] !== true) === isWrong) {
          painted[at] = label;
          left--;
        }
  }
  return painted;
}

describe('2§4, 2§5 the place counts in training', () => {
  test.each(ALL.map((demo) => [demo.id, demo] as const))(
    '%s: the truth passes, sand of its size fails',
    (_id, demo) => {
      const truth = truthOf(demo);
      const asPainted = truth.types.map((type) => (type in demo.breakdown ? labelOfType(type) : 0));
      const right = truth.labels.map((label) => asPainted[label] ?? 0);
      expect(matched(demo, truth.labels, right)).toMatchObject({ isMet: true });
      const wrong = matched(demo, truth.labels, paintElsewhere(demo, truth));
      expect(wrong.isMet).toBe(false);
      expect(wrong.types.map(({ verdict }) => verdict)).toContain('elsewhere');
      expect(wrong.whole.verdict).toBe('met');
    },
  );
});
