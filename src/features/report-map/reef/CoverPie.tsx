import { useId } from 'react';
import type { ReefResult } from '../../../domain/results/reef-result';
import type { CoralClass } from '../../../domain/results/cover';
import { HatchPattern, PaletteSwatch } from '../../analysis';
import { coverText, percentText, pieShares, rangeText } from './cover-text';
import styles from './CoverPie.module.css';

/** Letter of each class, which is also its colour and hatch. */
const LETTERS = { branching: 'B', plating: 'P', massive: 'M', other: 'H' } as const satisfies Record<
  CoralClass,
  string
>;

const OUTER = 58;
const INNER = 30;
/** Smallest share with room for its letter, percent. */
const LETTER_MIN = 5;

interface Props {
  readonly covers: NonNullable<ReefResult['covers']>;
}

/** Pie of coral cover in colour, hatch and letter, with its classes as a list (3§2). */
export function CoverPie({ covers }: Props) {
  const id = useId();
  const shares = pieShares(covers);
  const sum = shares.reduce((total, { estimate }) => total + Math.max(0, estimate.value), 0);
  let turned = 0;
  const slices = shares.map((share) => {
    const from = turned;
    turned += sum === 0 ? 0 : Math.max(0, share.estimate.value) / sum;
    return { ...share, from, to: turned };
  });
  return (
    <div className={styles.analysis}>
      <svg
        className={styles.pie}
        viewBox="-60 -60 120 120"
        role="img"
        aria-label={`Coral cover: ${shares.map(({ name, estimate }) => `${name} ${percentText(estimate.value)}`).join(', ')}`}
      >
        <defs>
          {Object.values(LETTERS).map((letter) => (
            <HatchPattern key={letter} id={`${id}${letter}`} of={{ palette: letter }} />
          ))}
        </defs>
        {slices.map(({ key, from, to, estimate }) =>
          to - from < 0.0005 ? null : (
            <g key={key}>
              <path
                d={slicePath(from, to)}
                className={styles.slice}
                fill={key === 'none' ? 'var(--sunken)' : `url(#${id}${LETTERS[key]})`}
              />
              {key !== 'none' && estimate.value >= LETTER_MIN && (
                <SliceLetter letter={LETTERS[key]} at={(from + to) / 2} />
              )}
            </g>
          ),
        )}
        <text className={styles.total} y="4">
          {coverText(covers.totalCoralCover.value)}
        </text>
        <text className={styles.word} y="16">
          coral
        </text>
      </svg>
      <ul className={styles.shares}>
        {shares.map(({ key, name, estimate }) => (
          <li key={key}>
            {key === 'none' ? (
              <span className={styles.none} />
            ) : (
              <PaletteSwatch palette={LETTERS[key]} mark={LETTERS[key]} />
            )}
            <span>{name}</span>
            <span className={styles.figure}>
              <strong>{percentText(estimate.value)}</strong>
              <small>{rangeText(estimate)}</small>
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function SliceLetter({ letter, at }: { readonly letter: string; readonly at: number }) {
  const [x, y] = pointAt((OUTER + INNER) / 2, at);
  return (
    <g transform={`translate(${x} ${y})`}>
      <circle r="8" className={styles.disc} style={{ fill: `var(--c-${letter})` }} />
      <text className={styles.letter} y="4" style={{ fill: `var(--c-${letter}-on)` }}>
        {letter}
      </text>
    </g>
  );
}

/** @param turn 0..1 clockwise from the top */
function pointAt(radius: number, turn: number): readonly [string, string] {
  const angle = turn * 2 * Math.PI - Math.PI / 2;
  return [(radius * Math.cos(angle)).toFixed(2), (radius * Math.sin(angle)).toFixed(2)];
}

/** Ring sector; a full ring in two halves, since an arc needs two points. */
function slicePath(from: number, to: number): string {
  if (to - from > 0.9995) return `${slicePath(from, from + 0.5)}${slicePath(from + 0.5, from + 0.999)}`;
  const large = to - from > 0.5 ? 1 : 0;
  const [a, b, c, d] = [pointAt(OUTER, from), pointAt(OUTER, to), pointAt(INNER, to), pointAt(INNER, from)].map(
    ([x, y]) => `${x} ${y}`,
  );
  return `M${a}A${OUTER} ${OUTER} 0 ${large} 1 ${b}L${c}A${INNER} ${INNER} 0 ${large} 0 ${d}Z`;
}
