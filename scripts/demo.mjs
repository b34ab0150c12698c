// `npm run demo` fills the running box with demo content; `npm run demo -- remove` (or `demo:remove`) removes it.
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
