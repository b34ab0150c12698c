import poppins from '@fontsource/poppins/files/poppins-latin-500-normal.woff2?url';
import { addProtocol, Map as MapLibre, prewarm, setWorkerUrl, type MapOptions } from 'maplibre-gl';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url';
import { EtagMismatch, FetchSource, FileSource, PMTiles, Protocol, type Source } from 'pmtiles';
import type { ArchiveLocation } from './report/report-map-props';

/** Bundled typeface of names. */
export const MAP_FONT = 'Poppins';

let protocol: Protocol | undefined;

/** Address of the typeface for `font-faces` of a style. */
export function mapFontUrl(): string {
  return new URL(poppins, location.href).href;
}

/**
 * Creates a map that is flat, north up, without controls of its own, and prepares worker and PMTiles once a page.
 * Requires WebGL 2; see `hasWebgl`.
 */
export function createMap(options: MapOptions): MapLibre {
  prepare();
  const map = new MapLibre({
    attributionControl: false,
    dragRotate: false,
    pitchWithRotate: false,
    touchPitch: false,
    renderWorldCopies: true,
    fadeDuration: 0,
    ...options,
  });
  map.touchZoomRotate.disableRotation();
  map.keyboard.disableRotation();
  return map;
}

/**
 * Registers an archive under its name and version.
 * @param version changes with the contents, so that tiles of an older archive are not mixed in
 * @returns address for a vector source's `url`
 */
export function addArchive(name: string, version: string, location: ArchiveLocation): string {
  return register(`${name}-${version}`, version, location).url;
}

/** Archive whose directory was read, for a source of the map. */
export class OpenedArchive {
  /** Address for a source's `url`. */
  readonly url: string;
  /** Version that was found; the one that was asked for where file and server name none. */
  readonly version: string;
  readonly #key: string;
  readonly #onReplaced: Replaced;
  #place: ArchiveLocation['kind'];

  private constructor(key: string, version: string, place: ArchiveLocation['kind'], onReplaced: Replaced) {
    this.url = `pmtiles://${key}`;
    this.version = version;
    this.#key = key;
    this.#place = place;
    this.#onReplaced = onReplaced;
  }

  /**
   * Reads the directory, while the library's worker starts: what `createMap` does first keeps the page busy, and both
   * would wait for it.
   * @param version that is asked for; '' for any
   * @throws the reason for which the directory cannot be read
   */
  static async open(name: string, version: string, location: ArchiveLocation): Promise<OpenedArchive> {
    const key = `${name}-${(opened += 1)}`;
    const onReplaced: Replaced = { isReplaced: false, listener: null };
    const { archive } = register(key, version, location, onReplaced);
    prewarm();
    try {
      const { etag } = await archive.getHeader();
      const found = location.kind === 'file' ? location.sha256 : hashOf(etag);
      return new OpenedArchive(key, found ?? version, location.kind, onReplaced);
    } catch (error) {
      prepare().tiles.delete(key);
      throw error;
    }
  }

  /** True once its server has answered with another version. */
  get isReplaced(): boolean {
    return this.#onReplaced.isReplaced;
  }

  /** Sets what is called once its server has another version. */
  onReplaced(listener: () => void): void {
    this.#onReplaced.listener = listener;
  }

  /** Reads tiles from another place with the same version from now on. */
  moveTo(location: ArchiveLocation): void {
    if (this.#place === location.kind) return;
    this.#place = location.kind;
    register(this.#key, this.version, location, this.#onReplaced);
  }
}

interface Replaced {
  isReplaced: boolean;
  listener: (() => void) | null;
}

/** Number of archives that were opened. */
let opened = 0;

function register(key: string, version: string, location: ArchiveLocation, replaced?: Replaced) {
  const source: Source =
    location.kind === 'file'
      ? new NamedFile(location.file, key)
      : new NamedUrl(location.url, key, version, () => {
          if (replaced === undefined || replaced.isReplaced) return;
          replaced.isReplaced = true;
          replaced.listener?.();
        });
  const archive = new PMTiles(source);
  prepare().add(archive);
  return { archive, url: `pmtiles://${key}` };
}

/** Version of a server's file, SHA-256; null if its tag is no hash. */
function hashOf(etag: string | undefined): string | null {
  return /^"([0-9a-f]{64})"$/.exec(etag ?? '')?.[1] ?? null;
}

/** Duration of a movement, ms; 0 under reduced motion. */
export function motionMs(ms: number): number {
  return matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : ms;
}

function prepare(): Protocol {
  if (protocol !== undefined) return protocol;
  setWorkerUrl(workerUrl);
  protocol = new Protocol();
  addProtocol('pmtiles', protocol.tile);
  return protocol;
}

/** Files and addresses by a key of ours: two packs may have one file name. */
class NamedFile extends FileSource {
  readonly #key: string;
  constructor(file: File, key: string) {
    super(file);
    this.#key = key;
  }
  override getKey(): string {
    return this.#key;
  }
}

class NamedUrl extends FetchSource {
  readonly #key: string;
  readonly #version: string;
  readonly #onReplaced: () => void;

  constructor(url: string, key: string, version: string, onReplaced: () => void) {
    super(url);
    this.#key = key;
    this.#version = version;
    this.#onReplaced = onReplaced;
  }

  override getKey(): string {
    return this.#key;
  }

  override async getBytes(offset: number, length: number, signal?: AbortSignal, etag?: string) {
    try {
      const answer = await super.getBytes(offset, length, signal, etag);
      const found = hashOf(answer.etag);
      const isOther = etag === undefined && found !== null && this.#version !== '' && found !== this.#version;
      if (!isOther || this.mustReload) return answer;
      // The browser may have cached the version before.
      this.mustReload = true;
      return await super.getBytes(offset, length, signal);
    } catch (error) {
      if (error instanceof EtagMismatch) this.#onReplaced();
      throw error;
    }
  }
}
