// `npm run simulate -- --seeds N`, `-- --seed N`: random histories of tablets, boxes, bridges and cloud on production
// code.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { ROOT, orExplain, setup } from './setup.mjs';

const env = await orExplain(() => setup());
const { status } = spawnSync(
  process.execPath,
  ['--import', 'tsx', path.join('tests', 'simulation', 'main.ts'), ...process.argv.slice(2)],
  { cwd: ROOT, stdio: 'inherit', env },
);
process.exit(status ?? 1);
