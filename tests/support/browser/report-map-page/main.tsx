import '../../../../src/ui/tokens/tokens.css';
import '../../../../src/ui/tokens/base.css';
import { Map as MapLibre } from 'maplibre-gl';
import { useEffect, useMemo, useState } from 'react';
import { createRoot } from 'react-dom/client';
import type { FeatureTable } from '../../../../src/domain/results/feature-table';
import type { RegionMeta } from '../../../../src/domain/results/region-meta';
import { ReportMap } from '../../../../src/features/map';
import { reefFills } from '../../../../src/features/map/report/reef-fill';
import { reportColours } from '../../../../src/features/map/report/report-colours';
import { isMadeSurveyed, madeCover } from './made-paint';
import { countPixels, untilDrawn } from './on-screen';
import type { ReefPaint, ReportLayer, ReportMapProps } from '../../../../src/features/map';

/** View and controls of a test outside the page. */
export interface ReportMapPage {
  set: (
    change: Partial<Pick<ReportMapProps, 'selected' | 'hovered' | 'markers' | 'flight'>> & {
      layers?: readonly ReportLayer[];
      covers?: readonly (number | null)[];
      /** Version of the pack on the tablet, which `/files/pack.pmtiles` is; null for none. */
      pack?: string | null;
    },
  ) => void;
  /** Settles when everything in view is drawn and computed, with the figures that were given last. */
  readonly idle: () => Promise<void>;
  /** Numbers of pixels of each cover band, lowest first, in the next complete frame. */
  readonly countBands: () => Promise<readonly number[]>;
  readonly setCovers: (covers: readonly (number | null)[]) => void;
  readonly events: { readonly kind: string; readonly value: unknown }[];
}

declare global {
  interface Window {
    reportMap: ReportMapPage;
    /** The library's map, for checks that a picture does not allow. */
    map: MapLibre;
  }
}

const query = new URLSearchParams(location.search);
document.documentElement.dataset['theme'] = query.get('theme') ?? 'light';
const events: ReportMapPage['events'] = [];
// The page waits for the map that it makes, as the rival does for its own.
let drawn: MapLibre | undefined;
const made = new Promise<MapLibre>((resolve) => {
  const listen = MapLibre.prototype.getCanvas;
  MapLibre.prototype.getCanvas = function (this: MapLibre) {
    if (drawn === undefined) resolve((drawn = window.map = this));
    return listen.call(this);
  };
});
/** Fill of each reef that the map was given last. */
let fills: Uint8Array | null = null;
/** True once reefs have their figures: a sample, since the asking costs time. */
function hasFills(map: MapLibre): boolean {
  if (fills === null) return false;
  for (let row = 0; row < fills.length; row += 37) {
    const isPainted = ['reefs', 'reef-points'].some(
      (sourceLayer) => (map.getFeatureState({ source: 'reefs', sourceLayer, id: row })?.['fill'] ?? 0) === fills?.[row],
    );
    if (!isPainted) return false;
  }
  return true;
}
window.reportMap = {
  set: () => undefined,
  events,
  idle: async () => {
    const map = await made;
    while (document.querySelector('[data-drawn="true"]') === null)
      await new Promise((resolve) => requestAnimationFrame(resolve));
    await untilDrawn(map, () => map.getLayer('reefs-fill') !== undefined && hasFills(map));
  },
  countBands: async () => countPixels(await made, reportColours().bands),
  setCovers: (covers) => window.reportMap.set({ covers }),
};
const note = (kind: string) => (value: unknown) => void events.push({ kind, value });
const handlers = {
  onHover: note('hover'),
  onPick: note('pick'),
  onPickSurvey: note('survey'),
  onView: note('view'),
} as const;
/** Finds archives at the server, but those of the address in a pack of a version while there is one, or nowhere. */
function locateWith(pack: string | null): ReportMapProps['locate'] {
  return async (name) => {
    if (name === query.get('missing')) return null;
    if (name !== query.get('packed') || pack === null)
      return { kind: 'url', url: new URL(`/files/${name}.pmtiles`, location.href).href };
    const bytes = await (await fetch('/files/pack.pmtiles')).blob();
    return { kind: 'file', file: new File([bytes], 'pack.pmtiles'), sha256: pack };
  };
}
const region = {
  regionId: 'gbr',
  regionName: 'Great Barrier Reef',
  mapBounds: [141.65, -25.12, 154.34, -9.95],
  mapAllenCoralBeforeId: query.get('allen') ?? '',
} as const;

function paintOf(rows: number, covers?: readonly (number | null)[]): ReefPaint {
  return {
    covers: Float32Array.from(
      { length: rows },
      (_, row) => (covers === undefined ? madeCover(row) : covers[row]) ?? Number.NaN,
    ),
    surveyed: Uint8Array.from({ length: rows }, (_, row) => (isMadeSurveyed(row) ? 1 : 0)),
  };
}

/** As in the report, the map starts without tables and gets each once it is read. */
function Page() {
  const [meta, setMeta] = useState<RegionMeta | null>(null);
  const [table, setTable] = useState<FeatureTable | null>(null);
  const [covers, setCovers] = useState<readonly (number | null)[]>();
  const [props, setProps] = useState<Omit<ReportMapProps, 'meta' | 'table' | 'paint'>>(() => ({
    region,
    layers: new Set<ReportLayer>((query.get('layers')?.split(',') ?? ['results', 'surveyedReefs']) as ReportLayer[]),
    rubble: RUBBLE,
    locate: locateWith(query.get('version')),
    startView: null,
    insets: JSON.parse(query.get('insets') ?? '{"top":0,"right":0,"bottom":0,"left":0}') as ReportMapProps['insets'],
    selected: null,
    hovered: null,
    markers: [],
    flight: null,
    ...handlers,
  }));
  useEffect(() => {
    void readMeta.then((read) => setMeta({ ...read, layers: read.layers.filter(({ kind }) => isServed(kind)) }));
    void readTable.then(setTable);
  }, []);
  const rows = table?.ids.length;
  const paint = useMemo(() => (rows === undefined ? null : paintOf(rows, covers)), [rows, covers]);
  const [results, surveyed] = [props.layers.has('results'), props.layers.has('surveyedReefs')];
  useEffect(() => {
    fills = paint === null ? null : reefFills(paint.covers.length, paint, { results, surveyed });
  }, [paint, results, surveyed]);
  window.reportMap.set = ({ layers, covers: changed, pack, ...change }) => {
    if (changed !== undefined) {
      fills = null;
      setCovers(changed);
    }
    setProps((before) => ({
      ...before,
      ...change,
      ...(layers === undefined ? {} : { layers: new Set(layers) }),
      ...(pack === undefined ? {} : { locate: locateWith(pack) }),
    }));
  };
  return <ReportMap {...props} meta={meta} table={table} paint={paint} />;
}

const RUBBLE = {
  longitudes: [146.2, 146.9, 147.6, 148.4, 149.1],
  latitudes: [-17.4, -18.1, -18.7, -19.2, -19.9],
  photographs: [12, 40, 7, 88, 15],
  probabilities: [45, 55, 66, 78, 93],
  sources: [undefined, { low: 38.4, high: 70.1, analysts: 6, skill: 4, pipeline: 1 }, null],
};

/** Kinds of archives that the page has: all, or those of its address. */
const isServed = (kind: string): boolean => query.get('archives')?.split(',').includes(kind) ?? true;
const read = async (name: string): Promise<unknown> => (await fetch(`/files/${name}.json`)).json();
const readMeta = read('meta') as Promise<RegionMeta>;
const readTable = read('features') as Promise<FeatureTable>;
createRoot(document.querySelector('#app') as HTMLElement).render(<Page />);
