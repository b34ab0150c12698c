import { wrapLongitude } from '../../src/geo/distance';
import type { JsonObject } from '../../src/domain/json';
import { isObject } from '../../src/domain/json';
import { memberText } from '../../src/domain/reef/feature-members';
import { geometryText } from '../api/region-data/feature-places';
import type { CsvRow } from './csv-rows';
import type { ReadResult } from '../api/region-data/read-feature';
import { readShape } from '../api/region-data/read-feature';
import type { SiteOption } from './site-layers';
import { ZONES } from './site-layers';

/** Row of `map_sites`. */
export interface Site {
  readonly id: string;
  readonly properties: JsonObject;
  readonly longitude: number;
  readonly latitude: number;
  readonly geometry: string | null;
}

/** Reef that a row names, and the row's facts. */
export interface ReefRow {
  readonly id: string;
  readonly gid: string;
  readonly name: string;
  readonly facts: JsonObject;
}

const REEF_COLUMNS = {
  id: ['id', 'featureid', 'feature_id', 'reefid'],
  gid: ['gid', 'label_id', 'reef_id'],
  name: ['name', 'reef_name', 'gbr_name', 'reefname'],
} as const;
const PERCENT_COLUMN = /prob|percent|cover|share|score/;
const RUBBLE_COLUMNS = {
  longitude: ['longitude', 'lon', 'lng', 'x'],
  latitude: ['latitude', 'lat', 'y'],
  images: ['images', 'photographs', 'count', 'imagescount'],
  probability: ['probability', 'mean', 'prob', 'rubble', 'probability (%)'],
} as const;

/** Area of a layer: a zone with its number (its place in {@link ZONES}) and name, or land, or deep water. */
export function readArea(option: SiteOption, number: number, feature: unknown): ReadResult<Site> {
  if (!isObject(feature)) return refuse('is not a feature');
  const properties = isObject(feature['properties']) ? feature['properties'] : {};
  const facts = option === 'zoning' ? zoneFacts(properties) : option === 'depth200' ? depthFacts(properties) : {};
  if (typeof facts === 'string') return refuse(facts);
  const shape = readShape(feature['geometry']);
  if (!shape.ok) return shape;
  if (shape.value.outline === null) return refuse('is a point, and this layer has areas');
  const { longitude, latitude, outline } = shape.value;
  return {
    ok: true,
    notes: shape.notes,
    value: { id: String(number), properties: facts, longitude, latitude, geometry: geometryText(outline) },
  };
}

/** Facts of a zone, or the reason why it has no colour. */
function zoneFacts(properties: Readonly<Record<string, unknown>>): JsonObject | string {
  const name = memberText(properties, ['alt_zone']);
  const zone = ZONES.findIndex((each) => each === name);
  if (zone < 0) return name === '' ? 'has no ALT_ZONE' : `is of "${name.slice(0, 60)}", which has no colour`;
  return { zone, name: memberText(properties, ['name']).slice(0, 200) };
}

/** The layer is the water below 200 m (its edge is the 200 m line). */
function depthFacts(properties: Readonly<Record<string, unknown>>): JsonObject | string {
  const depth = memberText(properties, ['depth']);
  return depth === '' || Number(depth) === 200
    ? {}
    : `is of the depth ${depth.slice(0, 20)}, and this layer is of 200 m`;
}

/** Row that names a reef by id, number or name, with its other cells; from CSV or the properties of a feature. */
export function readReefRow(cells: Readonly<Record<string, unknown>>): ReadResult<ReefRow> {
  const wrong = wrongCell(cells);
  if (wrong !== undefined) return refuse(wrong);
  const [id, gid, name] = [
    memberText(cells, REEF_COLUMNS.id),
    memberText(cells, REEF_COLUMNS.gid),
    memberText(cells, REEF_COLUMNS.name),
  ];
  if (id === '' && gid === '' && name === '') return refuse('names no reef (id, gid or name)');
  const named = new Set<string>(Object.values(REEF_COLUMNS).flat());
  const facts = Object.entries(cells).filter(([column, value]) => !named.has(column.toLowerCase()) && isFact(value));
  return { ok: true, notes: [], value: { id, gid, name, facts: Object.fromEntries(facts) as JsonObject } };
}

/** Site with rubble: position, number of photographs, mean probability in percent. */
export function readRubbleRow({ line, cells }: CsvRow): ReadResult<Site> {
  const wrong = wrongCell(cells);
  if (wrong !== undefined) return refuse(wrong);
  const number = (columns: readonly string[]): number => {
    const text = memberText(cells, columns).replace(/\s*%$/, '');
    return text === '' ? NaN : Number(text);
  };
  const [longitude, latitude] = [number(RUBBLE_COLUMNS.longitude), number(RUBBLE_COLUMNS.latitude)];
  if (!(Math.abs(longitude) <= 540 && Math.abs(latitude) <= 90))
    return refuse('has no position on the earth (longitude, latitude)');
  const [images, probability] = [number(RUBBLE_COLUMNS.images), number(RUBBLE_COLUMNS.probability)];
  if (!Number.isSafeInteger(images) || images < 1) return refuse('has no number of photographs (images)');
  if (!(probability >= 0 && probability <= 100)) return refuse('has no probability of 0 to 100 percent');
  const id = memberText(cells, ['id', 'site']) || String(line).padStart(8, '0');
  return {
    ok: true,
    notes: [],
    value: {
      id: id.slice(0, 200),
      properties: { images, probability },
      longitude: wrapLongitude(longitude),
      latitude,
      geometry: null,
    },
  };
}

/** Problem of a cell: a formula, which spreadsheets would run, or a percentage above 100. */
function wrongCell(cells: Readonly<Record<string, unknown>>): string | undefined {
  for (const [column, value] of Object.entries(cells)) {
    if (typeof value !== 'string' && typeof value !== 'number') continue;
    const text = String(value);
    if (text.includes('\u0000') || !text.isWellFormed()) return `has a character that cannot be stored in ${column}`;
    if (/^[=@]|^[+-](?![0-9.]+$)/.test(text)) return `has a formula in ${column} ("${text.slice(0, 40)}")`;
    const percent = /^([0-9.]+)\s*%$/.exec(text)?.[1] ?? (PERCENT_COLUMN.test(column.toLowerCase()) ? text : undefined);
    if (percent !== undefined && Number(percent) > 100)
      return `has more than 100% in ${column} ("${text.slice(0, 40)}")`;
  }
  return undefined;
}

function isFact(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number' || typeof value === 'boolean';
}

function refuse(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason };
}
