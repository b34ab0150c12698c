import poppins from '@fontsource/poppins/files/poppins-latin-500-normal.woff2?url';
import { addProtocol, Map as MapLibre, prewarm, setWorkerUrl, type MapOptions } from 'maplibre-gl';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url';
import { FetchSource, FileSource, PMTiles, Protocol, type Source } from 'pmtiles';
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
  return register(name, version, location).url;
}

/**
 * Registers an archive and reads its directory, while the library's worker starts: what `createMap` does first keeps the
 * page busy, and both would wait for it.
 * @returns address for a vector source's `url`
 * @throws the reason for which the directory cannot be read
 */
export async function openArchive(name: string, version: string, location: ArchiveLocation): Promise<string> {
  const { archive, url } = register(name, version, location);
  prewarm();
  await archive.getHeader();
  return url;
}

function register(name: string, version: string, location: ArchiveLocation) {
  const key = `${name}-${version}`;
  const source: Source = location.kind === 'file' ? new NamedFile(location.file, key) : new NamedUrl(location.url, key);
  const archive = new PMTiles(source);
  prepare().add(archive);
  return { archive, url: `pmtiles://${key}` };
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
  constructor(url: string, key: string) {
    super(url);
    this.#key = key;
  }
  override getKey(): string {
    return this.#key;
  }
}
