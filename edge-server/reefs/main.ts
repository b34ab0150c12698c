// `npm run reefs:import -- <file.geojson> [--region gbr] [--attribution "© …"] [--named] [--to <table.json>]`
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { skipReasonsText, type ReefImport } from '../../src/domain/reef/geojson';
import { reefFileOf } from '../../src/domain/reef/reef';
import { DEFAULT_REGION, isRegionId, REGION_IDS, type RegionId } from '../../src/domain/region/region-id';
import { REGIONS } from '../../src/domain/region/regions';
import { EXIT_SETTINGS, SettingsError } from '../../src/server/process/environment';
import { readSettings } from '../settings';
import { putReference } from './put-reference';
import { ImportError, readReefFile } from './read-reef-file';

const USAGE = `npm run reefs:import -- <file.geojson> [--region ${REGION_IDS.join('|')}] [--attribution "whose, which licence"] [--named] [--to <table.json>]`;
const SKIPPED_LISTED_MAX = 10;

interface ImportArguments {
  readonly file: string;
  readonly regionId: RegionId;
  readonly attribution: string | undefined;
  readonly isNamedOnly: boolean;
  /** Output file, in place of a box. */
  readonly to: string | undefined;
}

function parseArguments(args: readonly string[]): ImportArguments {
  let parsed;
  try {
    parsed = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        region: { type: 'string' },
        attribution: { type: 'string' },
        named: { type: 'boolean' },
        to: { type: 'string' },
      },
    });
  } catch (error) {
    throw new ImportError(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`, { cause: error });
  }
  const { positionals, values } = parsed;
  const [file] = positionals;
  if (file === undefined || positionals.length > 1) throw new ImportError(`Name one file.\n${USAGE}`);
  const regionId = values.region ?? DEFAULT_REGION;
  if (!isRegionId(regionId)) throw new ImportError(`Unknown region ${regionId}; valid are ${REGION_IDS.join(', ')}.`);
  // npm runs scripts at the root; INIT_CWD is the caller's folder.
  const resolvePath = (place: string) => path.resolve(process.env['INIT_CWD'] ?? '.', place);
  return {
    file: resolvePath(file),
    regionId,
    attribution: values.attribution,
    isNamedOnly: values.named ?? false,
    to: values.to === undefined ? undefined : resolvePath(values.to),
  };
}

async function main(args: readonly string[]): Promise<void> {
  const { file, regionId, attribution, isNamedOnly, to } = parseArguments(args);
  const imported = readReefFile(file, regionId, attribution);
  const table = isNamedOnly
    ? { ...imported.table, reefs: imported.table.reefs.filter(({ name }) => name !== '') }
    : imported.table;
  const print = (line: string) => process.stdout.write(`${line}\n`);
  for (const line of reportLines(imported, regionId)) print(line);
  if (isNamedOnly) print(`Of these, ${table.reefs.length.toLocaleString('en')} with a name are used.`);
  if (table.attribution === '') print('No attribution: pass --attribution to name the source in the app.');
  if (to === undefined)
    print(
      `Put into ${await putReference(readSettings(process.env), REGIONS[regionId].reefFeatureData, reefFileOf(table))}.`,
    );
  else {
    writeFileSync(to, `${JSON.stringify(reefFileOf(table))}\n`);
    print(`Written to ${to}.`);
  }
}

function reportLines({ table, skipped, outside, unnamed }: ReefImport, regionId: RegionId): readonly string[] {
  const formatCount = (n: number) => n.toLocaleString('en');
  return [
    `Imported: ${formatCount(table.reefs.length)} features, ${formatCount(unnamed)} of them without a name (they go by their number).`,
    ...(outside === 0
      ? []
      : [
          `To check: ${formatCount(outside)} ${outside === 1 ? 'is' : 'are'} outside the bounds of ${REGIONS[regionId].regionName} and ${outside === 1 ? 'was' : 'were'} imported.`,
        ]),
    ...(skipped.length === 0
      ? ['Left: none.']
      : [`Left: ${formatCount(skipped.length)}: ${skipReasonsText(skipped)}.`]),
    ...skipped.slice(0, SKIPPED_LISTED_MAX).map(({ at, why }) => `  feature ${formatCount(at)}: ${why}`),
    ...(skipped.length > SKIPPED_LISTED_MAX ? [`  and ${formatCount(skipped.length - SKIPPED_LISTED_MAX)} more`] : []),
  ];
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const isWords = error instanceof ImportError || error instanceof SettingsError;
  process.stderr.write(
    `${isWords ? error.message : `The import failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`}\n`,
  );
  process.exitCode = error instanceof SettingsError ? EXIT_SETTINGS : 1;
});
