// `npm run release:check -- <folder or address>`: computes the figures of a release again from its public files.
import { ReefError } from '../../src/domain/errors';
import { checkRelease } from '../../src/domain/results/csv/check-release';
import { PIPELINE_VERSION } from '../../src/domain/results/reef-result';
import { readReleaseFiles, ReleaseFilesError } from './release-files';

const USAGE = `npm run release:check -- <folder or address>

A folder with photographs.csv, spread.json, results.csv and, if there is one, answers.csv of a release,
or the address of the release, such as https://example.org/cdn/map/gbr/releases/1
`;
/** Differences that are listed. */
const LISTED_MAX = 50;

async function main([place, ...more]: readonly string[]): Promise<void> {
  if (place === undefined || place.startsWith('-') || more.length > 0) {
    process.stderr.write(USAGE);
    process.exitCode = 2;
    return;
  }
  const { results, pipeline, photographs, answers, differences } = checkRelease(await readReleaseFiles(place));
  for (const { datasetId, featureId, covers, photographs: basis } of results) {
    const cover = covers?.totalCoralCover;
    print(
      cover === undefined
        ? `${datasetId} ${featureId}: not available, ${basis} photographs`
        : `${datasetId} ${featureId}: ${cover.value}% (${cover.low} to ${cover.high}%), ${basis} photographs`,
    );
  }
  print(
    `${results.length} figures computed from ${photographs} photographs${answers === null ? '' : ` and ${answers} answers`}.`,
  );
  if (pipeline !== null && pipeline !== PIPELINE_VERSION)
    print(`They were published with method ${pipeline}; this program has method ${PIPELINE_VERSION}.`);
  if (differences.length === 0) {
    print('All are as published.');
    return;
  }
  for (const { of, column, published, computed } of differences.slice(0, LISTED_MAX))
    print(`${of}: ${column} is ${quoted(computed)}, published is ${quoted(published)}`);
  if (differences.length > LISTED_MAX) print(`and ${differences.length - LISTED_MAX} more`);
  print(`${differences.length} ${differences.length === 1 ? 'value differs' : 'values differ'}.`);
  process.exitCode = 1;
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const quoted = (text: string): string => (text === '' ? 'empty' : text);

main(process.argv.slice(2)).catch((error: unknown) => {
  const isText = error instanceof ReleaseFilesError || error instanceof ReefError || error instanceof TypeError;
  const text = error instanceof Error ? (isText ? error.message : (error.stack ?? error.message)) : String(error);
  process.stderr.write(`The release could not be checked: ${text}\n`);
  process.exitCode = 2;
});
