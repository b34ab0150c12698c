// `npm run reefs:import -- <file.geojson> [--region gbr]`: imports a region's full reef table.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { ROOT, orExplain, setup } from './setup.mjs';

const env = await orExplain(() => setup());
const { status } = spawnSync(
  process.execPath,
  ['--import', 'tsx', path.join(ROOT, 'edge-server', 'reefs', 'main.ts'), ...process.argv.slice(2)],
  { stdio: 'inherit', env },
);
process.exit(status ?? 1);
