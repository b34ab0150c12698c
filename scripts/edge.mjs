// `npm run edge`: runs the box alone, under its supervisor; installs and builds what it needs.
// `npm run edge -- recount`: recomputes documents and counters, and exits.
// `npm run edge -- import-rescue <file>`: imports a tablet's rescue copy, and exits.
// `npm run edge -- export <file or folder>`: writes what is not ashore to a drive, sealed for the cloud; also next to a
// running box.
// `npm run edge -- import-receipts <file>`: imports the cloud's receipts for such a drive.
// `npm run edge -- restored`: the store was restored from a backup; every tablet offers its work again. Exits.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { build } from './build.mjs';
import { ROOT, orExplain, setup } from './setup.mjs';

await orExplain(async () => {
  const env = setup();
  build({ force: false, env });
  const child = spawn(
    process.execPath,
    ['--enable-source-maps', path.join(ROOT, 'dist', 'edge', 'supervisor.mjs'), ...process.argv.slice(2)],
    { cwd: ROOT, stdio: 'inherit', env },
  );
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? (signal === null ? 1 : 0)));
});
