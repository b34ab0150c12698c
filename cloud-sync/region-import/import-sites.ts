import type pg from 'pg';
import path from 'node:path';
import type { JsonObject } from '../../src/domain/json';
import { csvRows } from './csv-rows';
import { geojsonFeatures } from './geojson-features';
import { ImportError } from './import-error';
import type { LayerNotes } from './import-report';
import type { ReadResult } from '../api/region-data/read-feature';
import type { ReefRow, Site } from './read-site';
import { readArea, readReefRow, readRubbleRow } from './read-site';
import type { SiteOption } from './site-layers';
import { SITE_LAYERS, isAreaOption } from './site-layers';

type Client = Pick<pg.ClientBase, 'query'>;

const ROWS_AT_ONCE = 200;
const isCsv = (file: string): boolean => path.extname(file).toLowerCase() === '.csv';

/**
 * Imports a layer of areas, sites or reefs, in place of what the layer had.
 *
 * @throws ImportError if a file cannot be read, or nothing of it can be imported
 */
export async function importSites(
  client: Client,
  regionId: string,
  { option, files }: { readonly option: SiteOption; readonly files: readonly string[] },
  notes: LayerNotes,
): Promise<void> {
  const layer = SITE_LAYERS[option];
  if (option === 'depth200') await requireLand(client, regionId);
  await client.query('DELETE FROM map_sites WHERE region_id = $1 AND layer = $2', [regionId, layer]);
  const ids = new Set<string>();
  let rows: Site[] = [];
  const flush = async (): Promise<void> => {
    await client.query(
      `INSERT INTO map_sites (region_id, layer, id, properties, longitude, latitude, geometry)
       SELECT $1, $2, s->>'id', s->'properties', (s->>'longitude')::float8, (s->>'latitude')::float8, s->>'geometry' FROM jsonb_array_elements($3::jsonb) s`,
      [regionId, layer, JSON.stringify(rows)],
    );
    rows = [];
  };
  const reefs = option === 'rubble' || isAreaOption(option) ? undefined : await ReefNames.load(client, regionId);
  for (const file of files) {
    const before = ids.size;
    // Areas of several files are numbered on.
    for await (const { entry, read } of readEntries(option, file, { reefs, from: before })) {
      if (!read.ok) notes.leave(entry, read.reason);
      else if (ids.has(read.value.id)) notes.leave(entry, `is about ${read.value.id} again`);
      else {
        ids.add(read.value.id);
        for (const note of read.notes) notes.note(entry, note);
        rows.push(read.value);
        if (rows.length === ROWS_AT_ONCE) await flush();
      }
    }
    if (ids.size === before)
      throw new ImportError(
        `Nothing of ${path.basename(file)} could be imported. ${notes.report.lines.at(-1) ?? 'It has no rows.'}`,
      );
  }
  await flush();
  notes.imported = ids.size;
}

/** Both are in one archive, which replaces the chart of the world. @throws ImportError without land */
async function requireLand(client: Client, regionId: string): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM map_sites WHERE region_id = $1 AND layer = $2 LIMIT 1', [
    regionId,
    SITE_LAYERS.land,
  ]);
  if (rowCount === 0) throw new ImportError(`${regionId} has no land yet: import it first, or at once.`);
}

async function* readEntries(
  option: SiteOption,
  file: string,
  { reefs, from }: { readonly reefs: ReefNames | undefined; readonly from: number },
): AsyncGenerator<{ readonly entry: string; readonly read: ReadResult<Site> }> {
  const name = path.basename(file);
  if (isCsv(file)) {
    if (isAreaOption(option)) throw new ImportError(`${name}: ${option} has areas, so it must be GeoJSON.`);
    for await (const row of csvRows(file))
      yield {
        entry: `${name}, line ${row.line}`,
        read: reefs === undefined ? readRubbleRow(row) : reefs.join(readReefRow(row.cells)),
      };
    return;
  }
  for await (const [number, feature] of geojsonFeatures(file)) {
    const entry = `${name}, feature ${number}`;
    if (isAreaOption(option)) yield { entry, read: readArea(option, from + number, feature) };
    else {
      const { properties, id, geometry } = (feature ?? {}) as { properties?: object; id?: unknown; geometry?: unknown };
      const [longitude, latitude] = ((geometry as { coordinates?: unknown[] } | null)?.coordinates ?? []) as number[];
      const cells = { ...(id === undefined ? {} : { id }), ...properties };
      yield {
        entry,
        read:
          reefs === undefined
            ? readRubbleRow({ line: number, cells: textCells({ longitude, latitude, ...cells }) })
            : reefs.join(readReefRow(cells)),
      };
    }
  }
}

function textCells(cells: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(cells).flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number' ? [[name.toLowerCase(), String(value)]] : [],
    ),
  );
}

interface ReefPlace {
  readonly id: string;
  readonly gid: string;
  readonly name: string;
  readonly longitude: number;
  readonly latitude: number;
}

/** Features of a region by id, number and name. A number or name joins where it is unique. */
class ReefNames {
  readonly #byId: ReadonlyMap<string, ReefPlace>;
  readonly #byGid: ReadonlyMap<string, readonly ReefPlace[]>;
  readonly #byName: ReadonlyMap<string, readonly ReefPlace[]>;

  private constructor(reefs: readonly ReefPlace[]) {
    this.#byId = new Map(reefs.map((reef) => [reef.id, reef]));
    this.#byGid = groupBy(reefs, ({ gid }) => gid.toLowerCase());
    this.#byName = groupBy(reefs, ({ name }) => name.toLowerCase());
  }

  /** @throws ImportError without a feature to join with */
  static async load(client: Client, regionId: string): Promise<ReefNames> {
    const { rows } = await client.query<ReefPlace>(
      'SELECT id, gid, name, longitude, latitude FROM map_features WHERE region_id = $1 AND NOT deleted ORDER BY id',
      [regionId],
    );
    if (rows.length === 0) throw new ImportError(`${regionId} has no outlines yet: import them first, or at once.`);
    return new ReefNames(rows);
  }

  join(read: ReadResult<ReefRow>): ReadResult<Site> {
    if (!read.ok) return read;
    const { id, gid, name, facts } = read.value;
    const found = this.#find(id, gid, name);
    if (typeof found === 'string') return { ok: false, reason: found };
    const properties: JsonObject = { ...facts, featureId: found.id };
    const { longitude, latitude } = found;
    return { ok: true, notes: [], value: { id: found.id, properties, longitude, latitude, geometry: null } };
  }

  #find(id: string, gid: string, name: string): ReefPlace | string {
    const own = this.#byId.get(id);
    if (own !== undefined) return own;
    for (const [text, index, what] of [
      // Tables also call the number an id.
      [gid || id, this.#byGid, 'number'],
      [name, this.#byName, 'name'],
    ] as const) {
      if (text === '') continue;
      const reefs = index.get(text.toLowerCase()) ?? [];
      if (reefs.length === 1) return reefs[0] as ReefPlace;
      if (reefs.length > 1) return `has the ${what} ${text}, which ${reefs.length} features share`;
    }
    return `names no feature of the region (${[id, gid, name].filter((text) => text !== '').join(', ')})`;
  }
}

function groupBy(
  reefs: readonly ReefPlace[],
  key: (reef: ReefPlace) => string,
): ReadonlyMap<string, readonly ReefPlace[]> {
  const groups = new Map<string, ReefPlace[]>();
  for (const reef of reefs) groups.set(key(reef), [...(groups.get(key(reef)) ?? []), reef]);
  return groups;
}
