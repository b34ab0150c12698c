import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { LayerKey } from '../../../domain/region/region';
import type { RegionMeta } from '../../../domain/results/region-meta';
import { REPORT_LIMITS } from '../../../domain/limits';
import { COVER_BANDS } from '../../../domain/results/bands';
import { PRIORITY_COLOURS, ZONE_COLOURS } from '../../map';
import { isPriority, type PriorityLayer, type ReferenceLayer } from '../address/report-address';
import { bandRange } from '../reef/cover-text';
import { isEmptyReference, NO_LAYER_DATA, REFERENCE_NAMES, REFERENCE_TEXT } from './layer-text';
import { useReportColours } from './use-report-colours';
import list from './list.module.css';
import styles from './layers.module.css';

/** 3§2 "Legends tab": headings of the priority layers, and what each shows. */
const PRIORITY_LEGENDS: Readonly<Record<PriorityLayer, { readonly title: string; readonly text: string }>> = {
  cotsPriority: { title: 'COTS Control Priorities', text: 'Reefs where crown-of-thorns starfish are controlled first' },
  censusPriority: { title: 'Survey Priorities', text: 'Reefs that this census asks to survey first' },
  deepReefs: { title: 'Deep Reefs', text: 'Reefs that reach into deep, cooler water' },
  hotRefugiaReefs: {
    title: 'Hot Refugia Reefs',
    text: `Reefs in the top ${REPORT_LIMITS.hotRefugiaTopPercent}% of degree heating week score in the past ${REPORT_LIMITS.hotRefugiaYears} years`,
  },
};

interface Props {
  /** Layers of the dataset. */
  readonly offered: readonly LayerKey[];
  readonly reference: readonly ReferenceLayer[];
  readonly meta: RegionMeta | null;
}

/** 3§2 "Legends tab": General, the priority layers that are enabled for the dataset, and reference layers. */
export function LegendsTab({ offered, reference, meta }: Props) {
  const colours = useReportColours();
  const isWithout = (key: LayerKey | 'land' | 'depth200'): boolean => meta?.withoutData.includes(key) === true;
  const rasterSource = meta?.layers.find(({ kind }) => kind === 'raster')?.attribution;
  return (
    <div className={list.pane}>
      <section className={styles.group} aria-label="General">
        <h2>General</h2>
        <Legend colour={colours.surveyed} mark="" name="Surveyed reefs" />
        <h3>Coral cover results</h3>
        {COVER_BANDS.map((band, n) => (
          <Legend key={band.from} colour={colours.bands[n] ?? ''} mark="" name={`${band.label}, ${bandRange(band)}`} />
        ))}
        <p className={styles.plain}>
          <Link to="/methodology">What the numbers mean</Link>
        </p>
        {offered.includes('keySourceReefs') && (
          <Legend
            colour={PRIORITY_COLOURS.keySourceReefs}
            mark="K"
            name="Key source reefs"
            isWithout={isWithout('keySourceReefs')}
          />
        )}
        {offered.includes('rubbleProbability') && (
          <>
            <h3>Rubble probability</h3>
            {isWithout('rubbleProbability') ? (
              <p className={styles.plain}>{NO_LAYER_DATA}</p>
            ) : (
              <div className={styles.scale} role="img" aria-label="Colours from 40% or less to 90% or more">
                {REPORT_LIMITS.rubbleBands.map((percent, n) => (
                  <span key={percent}>
                    <i style={{ background: colours.rubble[n] }} />
                    {percent}%
                  </span>
                ))}
              </div>
            )}
          </>
        )}
      </section>
      {(isWithout('land') || isWithout('depth200')) && (
        <section className={styles.group} aria-label="Base map">
          <h2>Base map</h2>
          {isWithout('land') && (
            <p className={list.sub}>Land comes from a chart of the world; small islands are missing.</p>
          )}
          {isWithout('depth200') && <p className={list.sub}>200 m line: no data for this layer yet.</p>}
        </section>
      )}
      {offered.includes('zoning') && (
        <section className={styles.group} aria-label="Zoning">
          <h2>Zoning</h2>
          {isWithout('zoning') ? (
            <p className={styles.plain}>{NO_LAYER_DATA}</p>
          ) : (
            REPORT_LIMITS.zones.map((zone, n) => (
              <Legend key={zone} colour={ZONE_COLOURS[n] ?? ''} mark="" name={`${zone} zone`} />
            ))
          )}
        </section>
      )}
      {offered.filter(isPriority).map((key) => {
        const { title, text } = PRIORITY_LEGENDS[key];
        return (
          <section key={key} className={styles.group} aria-label={title}>
            <h2>{title}</h2>
            <Legend colour={PRIORITY_COLOURS[key]} mark={title.slice(0, 1)} name={text} isWithout={isWithout(key)} />
          </section>
        );
      })}
      <section className={styles.group} aria-label="Reference Layers">
        <h2>Reference Layers</h2>
        {reference.map((key) => (
          <div key={key} className={styles.legend}>
            <span
              className={styles[key]}
              style={key === 'validation' ? { borderColor: colours.selected } : undefined}
              aria-hidden="true"
            />
            <span>
              {REFERENCE_NAMES[key]}
              <small>{isEmptyReference(meta, key) ? NO_LAYER_DATA : REFERENCE_TEXT[key]}</small>
              {key === 'raster' && rasterSource !== undefined && <small>{rasterSource}</small>}
            </span>
          </div>
        ))}
      </section>
    </div>
  );
}

interface LegendProps {
  readonly colour: string;
  /** Letter on the colour; empty for none. */
  readonly mark: string;
  readonly name: ReactNode;
  readonly isWithout?: boolean;
}

function Legend({ colour, mark, name, isWithout = false }: LegendProps) {
  return (
    <div className={styles.legend}>
      <span className={styles.swatch} style={{ background: colour }} aria-hidden="true">
        {mark !== '' && <b>{mark}</b>}
      </span>
      <span>
        {name}
        {isWithout && <small>{NO_LAYER_DATA}</small>}
      </span>
    </div>
  );
}
