import type { FeatureCollection } from 'geojson';
import { Marker, type GeoJSONSource, type Map as MapLibre } from 'maplibre-gl';
import { REPORT_LIMITS } from '../../domain/limits/reporting';
import type { ChartColours } from './chart-colours';
import { chartStyle, landLayers, repaint, SOURCES } from './chart-style';
import { graticule, graticuleFeatures, labelledLines, scaleMiles, type ChartEdges } from './graticule';
import { addArchive, createMap, mapFontUrl, motionMs } from './map-library';

/** Centre and zoom, or bounds to show. */
export type ChartPlace =
  { readonly at: ChartPoint; readonly zoom: number } | { readonly bounds: readonly [number, number, number, number] };

export interface ChartPoint {
  readonly lat: number;
  readonly lng: number;
}

export interface ChartVessel extends ChartPoint {
  /** Degrees true; null shows a round mark. */
  readonly heading: number | null;
  /** Drawn as an outline. */
  readonly stale: boolean;
}

export interface ChartReef extends ChartPoint {
  readonly id: string;
  readonly name: string;
}

/** Labels of lines and scale. */
export interface ChartFrame {
  /** `at` in px from the left (meridians) or the top (parallels). */
  readonly lines: readonly { readonly kind: 'meridian' | 'parallel'; readonly label: string; readonly at: number }[];
  readonly scale: { readonly miles: number; readonly width: number };
}

const MOVE_MS = 240;

/** Limit of reefs drawn, nearest first. */
const REEFS_DRAWN_MAX = 4000;

/** Drives MapLibre for `Chart`. Requires WebGL 2; see `hasWebgl`. */
export class ChartMap {
  readonly #map: MapLibre;
  readonly #vessel: Marker;
  readonly #ready: Promise<void>;
  #colours: ChartColours;
  #land: string | undefined;
  #hasVessel = false;

  constructor(options: {
    readonly container: HTMLElement;
    /** Moved and rotated by the chart. */
    readonly mark: HTMLElement;
    readonly colours: ChartColours;
    readonly place: ChartPlace;
    /** True if touch may mean page scrolling. */
    readonly sharesGestures: boolean;
    readonly onFrame: (frame: ChartFrame) => void;
    readonly onError: (error: unknown) => void;
  }) {
    const { container, mark, colours, place, sharesGestures, onFrame, onError } = options;
    this.#colours = colours;
    this.#map = createMap({
      container,
      style: chartStyle(colours, mapFontUrl()),
      ...('at' in place
        ? { center: place.at, zoom: place.zoom }
        : { bounds: [...place.bounds] as [number, number, number, number], fitBoundsOptions: { padding: 24 } }),
      maxZoom: REPORT_LIMITS.mapMaxZoom,
      minZoom: 1,
      cooperativeGestures: sharesGestures,
      locale: { 'Map.Title': 'Chart' },
    });
    this.#vessel = new Marker({ element: mark, rotationAlignment: 'map' });
    this.#ready = new Promise((resolve) => void this.#map.once('load', () => resolve()));
    this.#map.on('error', ({ error }) => onError(error));
    this.#map.on('move', () => onFrame(this.#frame()));
    this.#map.on('resize', () => onFrame(this.#frame()));
    this.#map.on('moveend', () => this.#drawGraticule());
    void this.#ready.then(() => {
      this.#drawGraticule();
      onFrame(this.#frame());
    });
  }

  async setLand(file: File): Promise<void> {
    await this.#ready;
    if (this.#land === file.name) return;
    const url = addArchive('land', file.name, { kind: 'file', file });
    this.#removeLand();
    this.#map.addSource(SOURCES.land, { type: 'vector', url });
    for (const layer of landLayers(this.#colours)) this.#map.addLayer(layer, 'graticule');
    this.#land = file.name;
  }

  async setTrack(points: readonly ChartPoint[]): Promise<void> {
    const line = {
      type: 'Feature',
      properties: {},
      geometry: { type: 'LineString', coordinates: unwrapLongitudes(points) },
    } as const;
    await this.#setData(SOURCES.track, { type: 'FeatureCollection', features: points.length > 1 ? [line] : [] });
  }

  /** @param reefs nearest first, with their distance */
  async setReefs(reefs: readonly (ChartReef & { readonly miles: number })[]): Promise<void> {
    await this.#setData(SOURCES.reefs, {
      type: 'FeatureCollection',
      features: reefs
        .slice(0, REEFS_DRAWN_MAX)
        .map(({ id, name, lat, lng, miles }, i) => ({
          type: 'Feature',
          properties: { id, name, miles, nearest: i === 0 && miles < 5 },
          geometry: { type: 'Point', coordinates: [lng, lat] },
        })),
    });
  }

  setVessel(vessel: ChartVessel | null): void {
    if (vessel === null) {
      this.#vessel.remove();
      this.#hasVessel = false;
      return;
    }
    this.#vessel.setLngLat(vessel).setRotation(vessel.heading ?? 0);
    if (!this.#hasVessel) this.#vessel.addTo(this.#map);
    this.#hasVessel = true;
  }

  async setColours(colours: ChartColours): Promise<void> {
    this.#colours = colours;
    await this.#ready;
    repaint(colours, (layer, property, value) => {
      if (this.#map.getLayer(layer) !== undefined) this.#map.setPaintProperty(layer, property as never, value as never);
    });
  }

  show(place: ChartPlace): void {
    if ('at' in place) this.#map.easeTo({ center: place.at, zoom: place.zoom, duration: motionMs(MOVE_MS) });
    else
      this.#map.fitBounds([...place.bounds] as [number, number, number, number], {
        padding: 24,
        duration: motionMs(MOVE_MS),
      });
  }

  zoom(by: 1 | -1): void {
    this.#map.easeTo({ zoom: this.#map.getZoom() + by, duration: motionMs(MOVE_MS) });
  }

  remove(): void {
    this.#map.remove();
  }

  #removeLand(): void {
    if (this.#land === undefined) return;
    for (const { id } of landLayers(this.#colours)) this.#map.removeLayer(id);
    this.#map.removeSource(SOURCES.land);
  }

  async #setData(source: string, data: FeatureCollection): Promise<void> {
    await this.#ready;
    this.#map.getSource<GeoJSONSource>(source)?.setData(data);
  }

  #edges(beyond: number): ChartEdges {
    const bounds = this.#map.getBounds();
    const [west, south, east, north] = [bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth()];
    const [x, y] = [(east - west) * beyond, (north - south) * beyond];
    return { west: west - x, south: Math.max(-85, south - y), east: east + x, north: Math.min(85, north + y) };
  }

  #drawGraticule(): void {
    // Spacing by the visible area; lines extend beyond it for panning.
    const { west, east, south, north } = this.#edges(0);
    void this.#setData(SOURCES.graticule, graticuleFeatures({ west, east, south, north }));
  }

  #frame(): ChartFrame {
    const { width, height } = this.#map.getContainer().getBoundingClientRect();
    const edges = this.#edges(0);
    const lines = graticule(edges).map(({ kind, at, label }) => {
      const { x, y } = this.#map.project(
        kind === 'meridian' ? [at, (edges.north + edges.south) / 2] : [(edges.east + edges.west) / 2, at],
      );
      return { kind, label, at: kind === 'meridian' ? x : y };
    });
    const lat = this.#map.getCenter().lat;
    const milesWide = (edges.east - edges.west) * 60 * Math.cos((lat * Math.PI) / 180);
    const perMile = width / milesWide;
    const miles = scaleMiles(110 / perMile);
    return { lines: labelledLines(lines, { width, height }), scale: { miles, width: miles * perMile } };
  }
}

/** Continues a line eastwards over the date line. */
function unwrapLongitudes(points: readonly ChartPoint[]): [number, number][] {
  let offset = 0;
  let last: number | undefined;
  return points.map(({ lat, lng }) => {
    if (last !== undefined && Math.abs(lng - last) > 180) offset += lng < last ? 360 : -360;
    last = lng;
    return [lng + offset, lat];
  });
}
