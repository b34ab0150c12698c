import type { GeoJSONSource, Map as MapLibre } from 'maplibre-gl';
import { NAMES_FROM_ZOOM, REPORT_SOURCES } from './report-style';

/** Name of a reef, and its figure, at a point inside it. */
export interface ReefLabel {
  readonly longitude: number;
  readonly latitude: number;
  readonly text: string;
  /** Lower is placed first. */
  readonly order: number;
}

/** Names on the map. They reach it only shortly before it is near enough to show one. */
export class ReefLabels {
  readonly #map: MapLibre;
  #labels: readonly ReefLabel[] = [];
  #sent: readonly ReefLabel[] = this.#labels;

  constructor(map: MapLibre) {
    this.#map = map;
    map.on('zoom', () => this.#send());
  }

  set(labels: readonly ReefLabel[]): void {
    this.#labels = labels;
    this.#send();
  }

  /** Sets all labels again, after a new context. */
  restore(): void {
    this.#sent = [];
    this.#send();
  }

  #send(): void {
    if (this.#labels === this.#sent || this.#map.getZoom() < NAMES_FROM_ZOOM - 0.5) return;
    const source = this.#map.getSource<GeoJSONSource>(REPORT_SOURCES.labels);
    if (source === undefined) return;
    this.#sent = this.#labels;
    void source.setData({
      type: 'FeatureCollection',
      features: this.#labels.map(({ longitude, latitude, text, order }) => ({
        type: 'Feature',
        properties: { text, order },
        geometry: { type: 'Point', coordinates: [longitude, latitude] },
      })),
    });
  }
}
