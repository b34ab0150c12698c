// Type-checks each layer under its tsconfig (pure layers have neither DOM nor Node types). The native compiler takes a
// tenth of the time; `typescript` stays for the lint, whose parser does not read version 7 yet.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const projects = JSON.parse(readFileSync('tsconfig.json', 'utf8')).references.map(({ path }) => path);
let failed = 0;
for (const project of projects) {
  const { status } = spawnSync(process.execPath, ['node_modules/typescript-native/bin/tsc', '-p', project], {
    stdio: 'inherit',
  });
  if (status !== 0) {
    failed++;
    console.error(`types: ${project} failed`);
  }
}
process.exit(failed === 0 ? 0 : 1);
