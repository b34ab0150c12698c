import poppins from '@fontsource/poppins/files/poppins-latin-500-normal.woff2?url';
import { addProtocol, Map as MapLibre, prewarm, setWorkerUrl, type MapOptions } from 'maplibre-gl';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url';
import { EtagMismatch, FetchSource, FileSource, PMTiles, Protocol, type RangeResponse, type Source } from 'pmtiles';
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
  return register(`${name}-${version}`, { version, isReplaced: false, listener: null }, location).url;
}

/** Archive whose directory was read, for a source of the map. Stays registered until `dispose`. */
export class OpenedArchive {
  /** Address for a source's `url`. */
  readonly url: string;
  readonly #key: string;
  readonly #content: Content;
  #place: ArchiveLocation['kind'];

  private constructor(key: string, content: Content, place: ArchiveLocation['kind']) {
    this.url = `pmtiles://${key}`;
    this.#key = key;
    this.#content = content;
    this.#place = place;
  }

  /**
   * Reads the directory, while the library's worker starts: what `createMap` does first keeps the page busy, and both
   * would wait for it.
   * @param version that is asked for; '' for any
   * @throws the reason for which the directory cannot be read
   */
  static async open(name: string, version: string, location: ArchiveLocation): Promise<OpenedArchive> {
    const key = `${name}-${(opened += 1)}`;
    const content: Content = { version, isReplaced: false, listener: null };
    const { archive } = register(key, content, location);
    prewarm();
    try {
      const { etag } = await archive.getHeader();
      const found = location.kind === 'file' ? location.sha256 : hashOf(etag);
      // Another version than the wanted one was found, and replaced nothing.
      Object.assign(content, { version: found ?? version, isReplaced: false });
      return new OpenedArchive(key, content, location.kind);
    } catch (error) {
      prepare().tiles.delete(key);
      throw error;
    }
  }

  /** Version that was found; the one that was asked for where file and server name none. */
  get version(): string {
    return this.#content.version;
  }

  /** True once its server has answered with another version. */
  get isReplaced(): boolean {
    return this.#content.isReplaced;
  }

  /** Sets what is called once its server has another version. */
  onReplaced(listener: () => void): void {
    this.#content.listener = listener;
  }

  /**
   * Reads further tiles from another place. An address may have another version by then: the archive is replaced.
   * @returns false for a file of another version, which is not read
   */
  moveTo(location: ArchiveLocation): boolean {
    if (location.kind === 'file' && (location.sha256 ?? '') !== this.version) return false;
    if (this.#place === location.kind) return true;
    this.#place = location.kind;
    register(this.#key, this.#content, location);
    return true;
  }

  /** Forgets the archive: no tile of it can be read any more. */
  dispose(): void {
    this.#content.listener = null;
    prepare().tiles.delete(this.#key);
  }
}

/** Contents of an archive, wherever they are read. */
interface Content {
  /** '' while unknown. */
  version: string;
  isReplaced: boolean;
  listener: (() => void) | null;
}

/** Number of archives that were opened. */
let opened = 0;

function register(key: string, content: Content, location: ArchiveLocation) {
  const source: Source =
    location.kind === 'file' ? new NamedFile(location.file, key) : new NamedUrl(location.url, key, content);
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
  const { tile, tiles } = protocol;
  // The library would take the key of an archive that was forgotten for an address.
  addProtocol('pmtiles', async (request, abort) => {
    if (!tiles.has(/^pmtiles:\/\/([^/]+)/.exec(request.url)?.[1] ?? '')) throw new Error('This archive was closed.');
    return tile(request, abort);
  });
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
  readonly #content: Content;

  constructor(url: string, key: string, content: Content) {
    super(url);
    this.#key = key;
    this.#content = content;
  }

  override getKey(): string {
    return this.#key;
  }

  /** Asks again, past the browser's cache, for an answer of another version: it may be from before. */
  override async getBytes(offset: number, length: number, signal?: AbortSignal, etag?: string): Promise<RangeResponse> {
    const isReloaded = this.mustReload;
    try {
      const answer = await super.getBytes(offset, length, signal, etag);
      this.mustReload = false;
      if (etag !== undefined || !this.#isOther(answer.etag)) return answer;
      if (isReloaded) {
        this.#replace();
        return answer;
      }
    } catch (error) {
      if (!(error instanceof EtagMismatch)) throw error;
      if (isReloaded) {
        this.#replace();
        throw error;
      }
    }
    this.mustReload = true;
    return this.getBytes(offset, length, signal, etag);
  }

  #isOther(etag: string | undefined): boolean {
    const [{ version }, found] = [this.#content, hashOf(etag)];
    return version !== '' && found !== null && found !== version;
  }

  #replace(): void {
    if (this.#content.isReplaced) return;
    this.#content.isReplaced = true;
    this.#content.listener?.();
  }
}
