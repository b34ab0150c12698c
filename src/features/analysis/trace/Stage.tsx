import type { ComponentProps } from 'react';
import { CATEGORY_CLASSES } from '../../../domain/analysis/free-draw/categories';
import { paletteOf } from '../../../domain/analysis/free-draw/colours';
import type { ViewState } from '../../picture-viewer';
import type { LetterPlace } from '../stage/letter-places';
import { PhotoStage, type UnitSize } from '../stage/PhotoStage';
import { Letter } from '../stage/Swatch';
import type { ToolDraft } from '../tools/tool';
import styles from './Stage.module.css';

interface Props extends Omit<ComponentProps<typeof PhotoStage>, 'overlay'> {
  readonly letters: readonly LetterPlace[];
  readonly draft: ToolDraft | null;
  /** SVG path in a 1 by 1 box; null for none. */
  readonly outline: string | null;
}

/** Side of a letter on screen, CSS px; smaller when the whole picture is visible. */
const letterPx = ({ scale, width }: ViewState): number => Math.max(18, Math.min(26, (scale * width) / 28));

/** Photograph with the letters of its areas, the line that is being drawn and the outline of a course. */
export function Stage({ letters, draft, outline, ...rest }: Props) {
  return (
    <PhotoStage
      {...rest}
      overlay={(view, { ux, uy }) => (
        <>
          {!rest.areMarksHidden &&
            letters.map(({ label, x, y }) => {
              const of = CATEGORY_CLASSES[label - 1];
              return of === undefined ? null : (
                <g
                  key={`${label} ${x} ${y}`}
                  transform={`translate(${x} ${y}) scale(${ux} ${uy}) rotate(${-90 * view.turns})`}
                >
                  <Letter palette={paletteOf(of)} mark={of.type.mark} x={0} y={0} size={letterPx(view)} />
                </g>
              );
            })}
          {outline !== null && (
            <>
              <path className={styles.outlineUnder} d={outline} />
              <path className={styles.outlineOver} d={outline} />
            </>
          )}
          {draft !== null && <Draft draft={draft} ux={ux} uy={uy} />}
        </>
      )}
    />
  );
}

/** White dashes over ink with corners; the first one is ringed when the line would close. */
function Draft({ draft: { line, corners, isClosing, closing }, ux, uy }: UnitSize & { readonly draft: ToolDraft }) {
  const pointsOf = (places: ToolDraft['line']): string =>
    places.map((position) => `${position[0] ?? 0},${position[1] ?? 0}`).join(' ');
  const points = pointsOf(line);
  return (
    <g className={styles.draft}>
      {closing.length > 0 && <polyline className={styles.closingLine} points={pointsOf(closing)} />}
      <polyline className={styles.draftUnder} points={points} />
      <polyline className={styles.draftOver} points={points} />
      {corners.map((position, index) => (
        <g key={index} transform={`translate(${position[0] ?? 0} ${position[1] ?? 0}) scale(${ux} ${uy})`}>
          <circle
            className={index === 0 && isClosing ? styles.closing : styles.corner}
            r={index === 0 && isClosing ? 12 : 7}
          />
        </g>
      ))}
    </g>
  );
}
