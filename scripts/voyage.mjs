// `npm run voyage`: the main job on real processes.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { ROOT, orExplain, setup } from './setup.mjs';

const env = await orExplain(() => setup());
const { status } = spawnSync(process.execPath, ['--import', 'tsx', path.join('tests', 'voyage', 'voyage.ts')], {
  cwd: ROOT,
  stdio: 'inherit',
  env,
});
process.exit(status ?? 1);
