// `npm run demo`, `npm run demo -- --if-empty`, `npm run demo -- remove`
import { EXIT_SETTINGS, SettingsError } from '../../src/server/process/environment';
import { runningBox } from '../commands/running-box';
import { readSettings } from '../settings';
import { DemoError } from './box-client';
import { DEMO_CONTENT } from './demo-content';
import { fillDemo } from './fill-demo';
import { removeDemo } from './remove-demo';

async function main(args: readonly string[]): Promise<void> {
  const print = (line: string): boolean => process.stdout.write(`${line}\n`);
  const settings = readSettings(process.env);
  const box = runningBox(settings);
  if (args[0] === 'remove') {
    const { documents, keptSurveys } = await removeDemo(box, new Date().toISOString());
    print(
      documents === 0
        ? 'No demo content is here.'
        : `Removed: ${documents} records of the demo. It goes from the tablets and from the cloud as each next connects.`,
    );
    for (const name of keptSurveys) print(`Left: ${name}, because it contains other people’s photographs.`);
    return;
  }
  if (args.length > 0 && args[0] !== '--if-empty')
    throw new DemoError('npm run demo fills the box; npm run demo -- remove takes it all away.');
  const { photographs, reason } = await fillDemo(
    box,
    args[0] === '--if-empty' ? 'if-empty' : 'asked',
    (line) => void print(`Demo content: ${line}`),
    { ...DEMO_CONTENT, surveys: DEMO_CONTENT.surveys.slice(0, settings.demoSurveys ?? undefined) },
  );
  print(
    reason ??
      `Demo content is there: ${photographs} made photographs, marked as demo; npm run demo:remove takes it all away.`,
  );
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const isWords = error instanceof DemoError || error instanceof SettingsError;
  process.stderr.write(
    `${isWords ? error.message : `The demo content failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`}\n`,
  );
  process.exitCode = error instanceof SettingsError ? EXIT_SETTINGS : 1;
});
