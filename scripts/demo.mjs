// `npm run demo`: fills the box that runs here with demo content; `npm run demo -- remove` (or `npm run demo:remove`) takes it all away.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { build } from './build.mjs';
import { ROOT, orExplain, setup } from './setup.mjs';

await orExplain(() => {
  const env = setup();
  build({ force: false, env });
  const { status } = spawnSync(
    process.execPath,
    ['--enable-source-maps', path.join(ROOT, 'dist', 'edge', 'demo.mjs'), ...process.argv.slice(2)],
    { cwd: ROOT, stdio: 'inherit', env: { ...env, NODE_ENV: 'production' } },
  );
  process.exitCode = status ?? 1;
});
