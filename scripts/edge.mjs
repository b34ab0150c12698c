// `npm run edge`: the box alone, under its supervisor; installs and builds what it needs.
// `npm run edge -- recount`: computes documents and counters anew, and ends.
// `npm run edge -- import-rescue <file>`: takes a tablet's rescue copy in, and ends.
// `npm run edge -- export <file or folder>`: writes what is not ashore to a drive, sealed for the cloud; beside a running box too.
// `npm run edge -- import-receipts <file>`: takes the receipts that the cloud gave for it back in.
// `npm run edge -- restored`: the record was put back from a backup; everything is offered to it again. Ends.
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
