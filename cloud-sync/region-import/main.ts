// `npm run region:import -- --region gbr --outlines <file.geojson> --attribution outlines="© …"`; see arguments.ts
import path from 'node:path';
import { EXIT_SETTINGS, SettingsError } from '../../src/server/process/environment';
import { connectDatabase } from '../api/postgres/connect';
import { toDatabaseError } from '../api/postgres/database-error';
import { findRunningPostgres } from '../api/postgres/running-postgres';
import { readCloudSettings } from '../api/settings';
import { migrateStore } from '../api/store/migrate';
import { parseArguments } from './arguments';
import { ImportError } from './import-error';
import { importRegion } from './import-region';
import { reportText } from './import-report';

function failureText(error: unknown): string {
  if (error instanceof ImportError || error instanceof SettingsError) return error.message;
  const known = toDatabaseError(error);
  if (known?.code === 'storage-full') return 'The disk of the database is full. Make room, and run the command again.';
  if (known !== undefined) return known.message;
  return `The import failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}

async function main(args: readonly string[]): Promise<void> {
  const plan = parseArguments(args);
  const settings = readCloudSettings(process.env);
  // Uses the database of a running service; else the database is started for the import.
  const databaseUrl = settings.databaseUrl ?? (await findRunningPostgres(path.join(settings.home, 'postgres'))) ?? null;
  const database = await connectDatabase({
    databaseUrl,
    home: settings.home,
    report: (message) => process.stderr.write(`${message}\n`),
    connections: 2,
  });
  try {
    await migrateStore(database.pool);
    const report = await importRegion(database.pool, plan, 'command', new Date());
    process.stdout.write(`${reportText(report)}\nThe service publishes it, at once or when it starts.\n`);
  } finally {
    await database.close();
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${failureText(error)}\nNothing was imported.\n`);
  process.exitCode = error instanceof SettingsError ? EXIT_SETTINGS : 1;
});
