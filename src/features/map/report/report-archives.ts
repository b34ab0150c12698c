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
    const isWanted = (found: string): boolean => version === '' || found === version;
    const outcome = (): ArchiveOutcome => this.#outcome(kind, isWanted);
    const shown = this.#shown.get(kind);
    const isBroken = this.#broken.has(kind);
    if (shown !== undefined && !isBroken && !shown.isReplaced) {
      const isSameFile = location.kind === 'file' && location.sha256 === shown.version;
      if (isWanted(shown.version) || isSameFile) {
        this.#abandon(kind);
        return shown.moveTo(location) ? outcome() : 'other';
      }
    }
    const id = [name, version, location.kind === 'url' ? location.url : location.sha256].join(' ');
    if (this.#opening.get(kind)?.id !== id) this.#abandon(kind);
    const opening = this.#opening.get(kind) ?? { id, opened: OpenedArchive.open(name, version, location) };
    this.#opening.set(kind, opening);
    let archive;
    try {
      archive = await opening.opened;
      if (!(await isReady())) return outcome();
    } catch (error) {
      if (this.#opening.get(kind) === opening) {
        this.#opening.delete(kind);
        this.#options.onError(error);
      }
      return outcome();
    }
    // Another request came later, or this one was shared and is done.
    if (this.#opening.get(kind) !== opening) return outcome();
    this.#opening.delete(kind);
    const isSame = archive.version === shown?.version;
    // A broken archive without a directory draws nothing.
    const isMended = (isBroken && (isSame || !this.has(kind))) || (shown?.isReplaced === true && !isSame);
    if (shown === undefined || isWanted(archive.version) || isMended) this.#replace(kind, archive);
    else archive.dispose();
    return outcome();
  }

  remove(kind: ArchiveKind): void {
    this.#abandon(kind);
    this.#removeShown(kind);
    this.#fitToPictures();
  }

  /** Forgets all archives, once the map is gone. */
  dispose(): void {
    for (const kind of this.#opening.keys()) this.#abandon(kind);
    for (const archive of this.#shown.values()) archive.dispose();
    this.#shown.clear();
  }

  #outcome(kind: ArchiveKind, isWanted: (version: string) => boolean): ArchiveOutcome {
    const shown = this.#shown.get(kind);
    if (shown === undefined) return 'failed';
    return isWanted(shown.version) && !shown.isReplaced && !this.#broken.has(kind) ? 'current' : 'other';
  }

  /** Ends the latest request: what it opens is not shown. */
  #abandon(kind: ArchiveKind): void {
    const opening = this.#opening.get(kind);
    this.#opening.delete(kind);
    opening?.opened.then(
      (archive) => archive.dispose(),
      () => undefined,
    );
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
    const shown = this.#shown.get(kind);
    if (shown === undefined) return;
    this.#shown.delete(kind);
    for (const { id } of archiveLayers(kind, this.#options.colours())) this.#map.removeLayer(id);
    this.#map.removeSource(REPORT_SOURCES[kind]);
    shown.dispose();
  }

  #fitToPictures(): void {
    const opacity = this.#shown.has('raster') ? FILL_OVER_PICTURES : 1;
    if (this.#map.getLayer('reefs-fill') !== undefined)
      this.#map.setPaintProperty('reefs-fill', 'fill-opacity', opacity);
  }
}
