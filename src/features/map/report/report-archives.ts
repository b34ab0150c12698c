import type { Map as MapLibre, VectorTileSource } from 'maplibre-gl';
import { OpenedArchive } from '../map-library';
import type { ReportColours } from './report-colours';
import type { ArchiveLocation } from './report-map-props';
import { archiveLayers, FILL_OVER_PICTURES, layerAbove, REPORT_SOURCES } from './report-style';

/** Kinds of archives that the map draws. */
export type ArchiveKind = Exclude<keyof typeof REPORT_SOURCES, 'labels'>;

/** Archive of vector tiles that is open before the map is created. */
export interface FirstArchive {
  readonly kind: 'base' | 'reefs';
  readonly archive: OpenedArchive;
}

/**
 * Archive on the map after an attempt to show a version: that one, another one while it is out of reach, or none that
 * can be read.
 */
export type ArchiveOutcome = 'current' | 'other' | 'failed';

interface Options {
  readonly colours: () => ReportColours;
  /** Layer id below which pictures are drawn; '' draws them below the reefs. */
  readonly allenBefore: string;
  /** Called after a source was added: it has no feature states yet. */
  readonly onAdded: (kind: ArchiveKind) => void;
  readonly onError: (error: unknown) => void;
  /** Called once the server of an archive has another version than the one on the map. */
  readonly onReplaced: () => void;
}

/** Sources and layers of a map's archives. An archive stays until the one that takes its place can be read. */
export class ReportArchives {
  readonly #map: MapLibre;
  readonly #options: Options;
  readonly #shown = new Map<ArchiveKind, OpenedArchive>();
  /** Archives of which a part could not be read. */
  readonly #broken = new Set<ArchiveKind>();
  /** Latest request of each kind. */
  readonly #opening = new Map<ArchiveKind, { readonly id: string; readonly opened: Promise<OpenedArchive> }>();

  /** @param first archives that are in the style of the map */
  constructor(map: MapLibre, first: readonly FirstArchive[], options: Options) {
    this.#map = map;
    this.#options = options;
    for (const { kind, archive } of first) this.#note(kind, archive);
    map.on('error', (event) => {
      const { sourceId } = event as typeof event & { readonly sourceId?: string };
      const kind = this.kinds().find((each) => REPORT_SOURCES[each] === sourceId);
      if (kind !== undefined) this.#broken.add(kind);
    });
  }

  kinds(): readonly ArchiveKind[] {
    return [...this.#shown.keys()];
  }

  /** False for an archive that is not there, or whose server did not answer. */
  has(kind: ArchiveKind): boolean {
    return this.#map.getSource<VectorTileSource>(REPORT_SOURCES[kind])?.tiles !== undefined;
  }

  /**
   * Draws an archive, in the place of another version. The map must have its style.
   * @param version that is wanted, such as a hash; '' for any
   * @param isReady settles once sources may be changed, with false if the map is gone
   */
  async set(
    kind: ArchiveKind,
    name: string,
    version: string,
    location: ArchiveLocation,
    isReady: () => Promise<boolean>,
  ): Promise<ArchiveOutcome> {
    const shown = this.#shown.get(kind);
    const isBroken = this.#broken.has(kind);
    if (shown !== undefined && !isBroken && (version === '' || shown.version === version)) {
      this.#opening.delete(kind);
      shown.moveTo(location);
      return 'current';
    }
    const id = [name, version, location.kind === 'url' ? location.url : location.sha256].join(' ');
    const before = this.#opening.get(kind);
    const opening = before?.id === id ? before : { id, opened: OpenedArchive.open(name, version, location) };
    this.#opening.set(kind, opening);
    let archive;
    try {
      archive = await opening.opened;
      if (!(await isReady())) return 'current';
    } catch (error) {
      if (this.#opening.get(kind) !== opening) return 'current';
      this.#opening.delete(kind);
      this.#options.onError(error);
      return shown === undefined ? 'failed' : 'other';
    }
    // Another request came later, or this one was shared and is done.
    if (this.#opening.get(kind) !== opening) return 'current';
    this.#opening.delete(kind);
    const isWanted = version === '' || archive.version === version;
    const isMended = isBroken || (shown?.isReplaced === true && archive.version !== shown.version);
    if (shown === undefined || isWanted || isMended) this.#replace(kind, archive);
    return isWanted ? 'current' : 'other';
  }

  remove(kind: ArchiveKind): void {
    this.#opening.delete(kind);
    this.#removeShown(kind);
    this.#fitToPictures();
  }

  #replace(kind: ArchiveKind, archive: OpenedArchive): void {
    const { colours, allenBefore, onAdded } = this.#options;
    this.#removeShown(kind);
    const { url } = archive;
    this.#map.addSource(
      REPORT_SOURCES[kind],
      kind === 'raster' ? { type: 'raster', url, tileSize: 256 } : { type: 'vector', url },
    );
    this.#note(kind, archive);
    const above = layerAbove(kind, this.#map.getLayersOrder(), colours(), allenBefore);
    for (const layer of archiveLayers(kind, colours())) this.#map.addLayer(layer, above);
    this.#fitToPictures();
    onAdded(kind);
  }

  #note(kind: ArchiveKind, archive: OpenedArchive): void {
    this.#shown.set(kind, archive);
    archive.onReplaced(this.#options.onReplaced);
    if (archive.isReplaced) this.#options.onReplaced();
  }

  #removeShown(kind: ArchiveKind): void {
    this.#broken.delete(kind);
    if (!this.#shown.delete(kind)) return;
    for (const { id } of archiveLayers(kind, this.#options.colours())) this.#map.removeLayer(id);
    this.#map.removeSource(REPORT_SOURCES[kind]);
  }

  #fitToPictures(): void {
    const opacity = this.#shown.has('raster') ? FILL_OVER_PICTURES : 1;
    if (this.#map.getLayer('reefs-fill') !== undefined)
      this.#map.setPaintProperty('reefs-fill', 'fill-opacity', opacity);
  }
}
