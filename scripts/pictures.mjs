// `npm run pictures`: captures every screen in every theme and size.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { build } from './build.mjs';
import { ROOT, orExplain, setup } from './setup.mjs';

await orExplain(() => {
  const env = setup({ tests: true });
  build({ force: false, env });
  const { status } = spawnSync(
    process.execPath,
    ['--import', 'tsx', path.join('tests', 'pictures', 'main.ts'), ...process.argv.slice(2)],
    { cwd: ROOT, stdio: 'inherit', env },
  );
  process.exitCode = status ?? 1;
});
