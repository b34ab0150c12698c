// `npm run bridge -- --edge <url> --cloud <url>`: uploads a box's content and returns the receipts. `--help` lists the
// options.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { build } from './build.mjs';
import { ROOT, orExplain, setup } from './setup.mjs';

await orExplain(async () => {
  const env = setup();
  build({ force: false, env });
  const child = spawn(
    process.execPath,
    ['--enable-source-maps', path.join(ROOT, 'dist', 'bridge', 'supervisor.mjs'), ...process.argv.slice(2)],
    { cwd: ROOT, stdio: 'inherit', env },
  );
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? (signal === null ? 1 : 0)));
});
