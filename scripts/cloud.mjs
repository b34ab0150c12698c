// `npm run cloud`: runs the cloud service alone, under its supervisor; installs and builds what it needs.
// `npm run cloud -- recount`: recomputes documents and counters, and exits.
// `npm run cloud -- staff <email> [off]`: grants or removes the staff role, also next to a running service, and exits.
// `npm run cloud -- import <file>`: imports a box's sealed bundle, writes its receipts to a file there, and exits.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { build } from './build.mjs';
import { ROOT, orExplain, setup } from './setup.mjs';

await orExplain(async () => {
  const env = setup();
  build({ force: false, env });
  const child = spawn(
    process.execPath,
    ['--enable-source-maps', path.join(ROOT, 'dist', 'cloud', 'supervisor.mjs'), ...process.argv.slice(2)],
    { cwd: ROOT, stdio: 'inherit', env },
  );
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? (signal === null ? 1 : 0)));
});
