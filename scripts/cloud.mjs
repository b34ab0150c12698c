// `npm run cloud`: the cloud service alone, under its supervisor; installs and builds what it needs.
// `npm run cloud -- recount`: computes documents and counters anew, and ends.
// `npm run cloud -- staff <email> [off]`: makes a person staff, or no longer, beside a running service too, and ends.
// `npm run cloud -- import <file>`: takes a box's sealed bundle in, writes the receipts beside it, and ends.
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
