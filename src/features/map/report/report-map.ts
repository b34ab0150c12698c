import type { LngLatLike, Map as MapLibre, MapGeoJSONFeature, PointLike } from 'maplibre-gl';
import { Marker } from 'maplibre-gl';
import { Emitter } from '../../../base/emitter';
import { REPORT_LIMITS } from '../../../domain/limits/reporting';
import { createMap, MAP_FONT, mapFontUrl, motionMs, OpenedArchive } from '../map-library';
import { FeatureStates } from './feature-states';
import { fitView, type MapBounds } from './fit-view';
import { lowerResolutionWhileMoving } from './moving-resolution';
import { ReefLabels, type ReefLabel } from './reef-labels';
import type { ReportColours } from './report-colours';
import { ReportArchives, type ArchiveKind, type ArchiveOutcome, type FirstArchive } from './report-archives';
import type { ArchiveLocation, MapInsets, MapView } from './report-map-props';
import { archiveLayers, PRIORITY_BITS, REEF_LAYERS, REPORT_SOURCES, reportStyle } from './report-style';

/** Position on the map, CSS px. */
interface ScreenPoint {
  readonly x: number;
  readonly y: number;
}

interface ReportMapEvents {
  readonly onHover: (row: number | null) => void;
  readonly onPick: (row: number) => void;
  /** `n` of the rubble table. */
  readonly onRubble: (n: number | null) => void;
  readonly onView: (view: MapView) => void;
  readonly onError: (error: unknown) => void;
}

/** Device pixels a CSS px while the map is hidden: enough to load tiles, too few to wait for where no graphics card is. */
const HIDDEN_PIXEL_RATIO = 0.125;
/** Pixels around a finger or the cross-hair that still hit a small reef. */
const TOUCH_RADIUS_PX = 10;
/** Half of what an arrow key moves the map, px: a rubble site that is nearer to the cross-hair cannot be stepped over. */
const KEY_RADIUS_PX = 50;
const REEF_HIT_LAYERS = ['reefs-fill', 'reefs-points'];

/** Drives MapLibre for `ReportMap`. Requires WebGL 2; see `hasWebgl`. */
export class ReportMapDriver {
  readonly #map: MapLibre;
  /** Settled while the map has a style: not before it is read, nor while the graphics context is lost. */
  #ready: Promise<void>;
  #isLost = false;
  readonly #events: ReportMapEvents;
  readonly #archives: ReportArchives;
  readonly #reefs: FeatureStates<'fill' | 'mark'>;
  readonly #rubble: FeatureStates<'probability'>;
  readonly #labels: ReefLabels;
  readonly #onReplaced = new Emitter<void>();
  #drawsEveryPixel = false;
  #colours: ReportColours;
  #hovered: number | null = null;
  /** Pointer since the last frame. */
  #pointer: ScreenPoint | null = null;
  #disposed = false;

  constructor(
    options: {
      readonly container: HTMLElement;
      readonly colours: ReportColours;
      readonly view: MapView;
      readonly name: string;
      /** Id of the words on the keys. */
      readonly describedBy: string;
      readonly sharesGestures: boolean;
      readonly allenBefore: string;
      /** Archives that are drawn from the start, which is earlier than `setArchive` can. */
      readonly archives: readonly FirstArchive[];
    } & ReportMapEvents,
  ) {
    const { container, colours, view, name, describedBy, sharesGestures, allenBefore, archives, ...events } = options;
    this.#events = events;
    this.#colours = colours;
    this.#map = createMap({
      container,
      style: reportStyle(colours, MAP_FONT, mapFontUrl(), urlsOf(archives)),
      center: [view.longitude, view.latitude],
      zoom: view.zoom,
      minZoom: 1,
      maxZoom: REPORT_LIMITS.reportMaxZoom,
      cooperativeGestures: sharesGestures,
      locale: { 'Map.Title': name },
      pixelRatio: HIDDEN_PIXEL_RATIO,
    });
    this.#archives = new ReportArchives(this.#map, archives, {
      colours: () => this.#colours,
      allenBefore,
      onAdded: (kind) => {
        if (kind === 'reefs') this.#reefs.restore();
        if (kind === 'rubble') this.#rubble.restore();
      },
      onError: events.onError,
      onReplaced: () => this.#onReplaced.emit(),
    });
    this.#map.getCanvas().setAttribute('aria-describedby', describedBy);
    this.#reefs = new FeatureStates(this.#map, REPORT_SOURCES.reefs, REEF_LAYERS);
    this.#rubble = new FeatureStates(this.#map, REPORT_SOURCES.rubble, ['rubble']);
    this.#labels = new ReefLabels(this.#map);
    this.#ready = new Promise((resolve) => void this.#map.once('style.load', () => resolve()));
    this.#map.on('render', this.#submit);
    this.#listen();
  }

  /** Opens an archive for a map that is created next; parameters as of `setArchive`. */
  static async open(
    kind: FirstArchive['kind'],
    name: string,
    version: string,
    location: ArchiveLocation,
  ): Promise<FirstArchive> {
    return { kind, archive: await OpenedArchive.open(name, version, location) };
  }

  /** Gives the map the focus, for its keys. */
  focus(): void {
    this.#map.getCanvas().focus();
  }

  /** Settles when the first frame with everything in view is drawn. */
  async idle(): Promise<void> {
    await this.#ready;
    if (this.#map.loaded() && !this.#map.isMoving()) return;
    await this.#map.once('idle');
  }

  /**
   * Has the graphics process compute the frame. Without a fence it computes hidden frames, and compiles their shaders, only
   * with the first frame that is shown.
   */
  readonly #submit = (): void => {
    const gl = this.#map.getCanvas().getContext('webgl2');
    const fence = gl?.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0) ?? null;
    gl?.deleteSync(fence);
    gl?.flush();
  };

  /** Draws every pixel of the screen from now on: few are drawn before, as the map is hidden until it is complete. */
  async drawEveryPixel(): Promise<void> {
    if (this.#drawsEveryPixel) return;
    this.#drawsEveryPixel = true;
    this.#map.off('render', this.#submit);
    // Null is the ratio of the screen, which the library's types leave out.
    this.#map.setPixelRatio(null as unknown as number);
    await this.#map.once('render');
    lowerResolutionWhileMoving(this.#map);
  }

  /**
   * Draws an archive, or another version of it in its place, or the same one again if a part could not be read. What is
   * drawn stays until the new one can be read.
   * @param version that is wanted, such as a hash; '' for any
   */
  async setArchive(
    kind: ArchiveKind,
    name: string,
    version: string,
    location: ArchiveLocation,
  ): Promise<ArchiveOutcome> {
    const isReady = async (): Promise<boolean> => {
      await this.#ready;
      return !this.#disposed;
    };
    return (await isReady()) ? this.#archives.set(kind, name, version, location, isReady) : 'current';
  }

  /** Calls the listener once a server has another version of an archive than the map. @returns ends it */
  onArchiveReplaced(listener: () => void): () => void {
    return this.#onReplaced.subscribe(listener);
  }

  hasArchive(kind: ArchiveKind): boolean {
    return this.#archives.has(kind);
  }

  async removeArchive(kind: ArchiveKind): Promise<void> {
    await this.#ready;
    if (!this.#disposed) this.#archives.remove(kind);
  }

  /** Paints reefs: one number a row (`REEF_FILL`). Loads no tile. */
  async setFills(fills: Uint8Array): Promise<void> {
    await this.#ready;
    this.#reefs.setAll('fill', fills);
  }

  /** Paints rubble sites by their probability, percent. */
  async setRubble(probabilities: readonly number[]): Promise<void> {
    await this.#ready;
    this.#rubble.setAll('probability', probabilities);
  }

  async setPriorities(shown: ReadonlySet<string>): Promise<void> {
    await this.#ready;
    for (const key of PRIORITY_BITS) {
      for (const id of [`priority-${key}`, `priority-${key}-points`])
        if (this.#map.getLayer(id) !== undefined)
          this.#map.setLayoutProperty(id, 'visibility', shown.has(key) ? 'visible' : 'none');
    }
  }

  /** Marks reefs by row: 1 hovered, 2 selected. */
  async setMarks(marks: ReadonlyMap<number, 1 | 2>): Promise<void> {
    await this.#ready;
    this.#reefs.setSome('mark', marks);
  }

  async setLabels(labels: readonly ReefLabel[]): Promise<void> {
    await this.#ready;
    if (!this.#disposed) this.#labels.set(labels);
  }

  async setColours(colours: ReportColours): Promise<void> {
    this.#colours = colours;
    await this.#ready;
    const kinds = this.#archives.kinds();
    const layers = [...reportStyle(colours, '', '').layers, ...kinds.flatMap((kind) => archiveLayers(kind, colours))];
    for (const layer of layers)
      for (const [property, value] of Object.entries(layer.paint ?? {}))
        if (property.endsWith('color') && this.#map.getLayer(layer.id) !== undefined)
          this.#map.setPaintProperty(layer.id, property as never, value as never);
  }

  /** Element that stays at a place of the map, such as a pin; its foot is the place. */
  addElement(element: HTMLElement, at: { readonly longitude: number; readonly latitude: number }): () => void {
    const marker = new Marker({ element, anchor: 'bottom' }).setLngLat([at.longitude, at.latitude]).addTo(this.#map);
    return () => void marker.remove();
  }

  showBounds(bounds: MapBounds, insets: MapInsets): void {
    const { clientWidth: width, clientHeight: height } = this.#map.getContainer();
    this.showView(fitView(bounds, { width, height }, insets));
  }

  showView({ longitude, latitude, zoom }: MapView): void {
    const center = nearest(this.#map, [longitude, latitude]);
    this.#map.easeTo({ center, zoom, duration: motionMs(600) });
  }

  /** Moves without a motion. */
  jumpTo({ longitude, latitude, zoom }: MapView): void {
    this.#map.jumpTo({ center: [longitude, latitude], zoom });
  }

  /** 3§9: "fly-to 5 s at zoom 15"; at once under reduced motion. */
  flyTo(at: { readonly longitude: number; readonly latitude: number }, insets: MapInsets): void {
    const center = nearest(this.#map, [at.longitude, at.latitude]);
    const offset: PointLike = [(insets.left - insets.right) / 2, (insets.top - insets.bottom) / 2];
    const duration = motionMs(REPORT_LIMITS.flyToMs);
    const target = { center, zoom: REPORT_LIMITS.flyToZoom, offset };
    if (duration === 0) this.#map.easeTo({ ...target, duration: 0 });
    else this.#map.flyTo({ ...target, duration, essential: true });
  }

  zoom(by: 1 | -1): void {
    this.#map.easeTo({ zoom: this.#map.getZoom() + by, duration: motionMs(240) });
  }

  resize(): void {
    this.#map.resize();
  }

  remove(): void {
    this.#disposed = true;
    this.#map.remove();
    this.#archives.dispose();
  }

  #listen(): void {
    const map = this.#map;
    map.on('error', ({ error }) => this.#events.onError(error));
    map.on('moveend', () => {
      const { lng, lat } = map.getCenter().wrap();
      this.#events.onView({ longitude: lng, latitude: lat, zoom: map.getZoom() });
    });
    map.on('mousemove', ({ point }) => this.#hoverSoon(point));
    map.on('mouseout', () => {
      this.#pointer = null;
      this.#hover(null);
    });
    map.on('click', ({ point, originalEvent }) =>
      this.#pick(point, (originalEvent as PointerEvent).pointerType === 'touch' ? TOUCH_RADIUS_PX : 2),
    );
    // Keyboard: what is under the cross-hair in the middle.
    map.getCanvas().addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      this.#pick(map.project(map.getCenter()), TOUCH_RADIUS_PX, KEY_RADIUS_PX);
    });
    map.on('webglcontextlost', () => {
      this.#isLost = true;
      this.#ready = new Promise((resolve) => {
        map.once('webglcontextrestored', () => {
          this.#isLost = false;
          // MapLibre restores its style, without feature states.
          map.once('idle', () => {
            this.#reefs.restore();
            this.#rubble.restore();
            this.#labels.restore();
            resolve();
          });
        });
      });
    });
  }

  /** Looks for the reef once a frame, and not while the map moves below the pointer. */
  #hoverSoon(point: ScreenPoint): void {
    const isWaiting = this.#pointer !== null;
    this.#pointer = point;
    if (isWaiting) return;
    requestAnimationFrame(() => {
      const at = this.#pointer;
      this.#pointer = null;
      if (at !== null && !this.#disposed && !this.#map.isMoving()) this.#hover(this.#reefAt(at, 0));
    });
  }

  #hover(row: number | null): void {
    if (row === this.#hovered) return;
    this.#hovered = row;
    this.#map.getCanvas().style.cursor = row === null ? '' : 'pointer';
    this.#events.onHover(row);
  }

  #pick(point: ScreenPoint, radius: number, siteRadius = radius): void {
    const exact = this.#reefAt(point, 0);
    // A reef right there comes before a site that is only near.
    const site = this.#siteAt(point, exact === null ? siteRadius : radius);
    this.#events.onRubble(site);
    if (site !== null) return;
    const row = exact ?? this.#reefAt(point, radius);
    if (row !== null) this.#events.onPick(row);
  }

  /** Nearest rubble site, `n` of the rubble table. */
  #siteAt(point: ScreenPoint, radius: number): number | null {
    const sites = this.#featuresAt(point, radius, ['rubble']).flatMap(({ id, geometry }) => {
      if (geometry.type !== 'Point') return [];
      const at = this.#map.project(geometry.coordinates as [number, number]);
      return [{ n: Number(id), distance: Math.hypot(at.x - point.x, at.y - point.y) }];
    });
    return sites.sort((a, b) => a.distance - b.distance)[0]?.n ?? null;
  }

  #reefAt(point: ScreenPoint, radius: number): number | null {
    const [reef] = this.#featuresAt(point, radius, REEF_HIT_LAYERS);
    return reef === undefined ? null : Number(reef.id);
  }

  #featuresAt({ x, y }: ScreenPoint, radius: number, layers: readonly string[]): readonly MapGeoJSONFeature[] {
    if (this.#isLost) return [];
    const present = layers.filter((id) => this.#map.getLayer(id) !== undefined);
    if (present.length === 0) return [];
    return this.#map.queryRenderedFeatures(
      [
        [x - radius, y - radius],
        [x + radius, y + radius],
      ],
      { layers: present },
    );
  }
}

function urlsOf(archives: readonly FirstArchive[]) {
  return archives.map(({ kind, archive: { url } }) => ({ kind, url }));
}

/** A place a turn of the world further on if that is nearer: moves cross the 180th meridian. */
function nearest(map: MapLibre, [longitude, latitude]: readonly [number, number]): LngLatLike {
  const turns = Math.round((map.getCenter().lng - longitude) / 360);
  return [longitude + turns * 360, latitude];
}
