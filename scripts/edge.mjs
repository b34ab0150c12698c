// `npm run edge`: runs the box alone, under its supervisor; installs and builds what it needs.
// `npm run edge -- recount`: recomputes documents and counters, and exits.
// `npm run edge -- import-rescue <file>`: imports a tablet's rescue copy, and exits.
// `npm run edge -- export <file or folder>`: writes what is not ashore to a drive, sealed for the cloud; also next to a
// running box.
// `npm run edge -- import-receipts <file>`: imports the cloud's receipts for such a drive.
// `npm run edge -- restored`: the store was restored from a backup; every tablet offers its work again. Exits.
import { runScript } from './run-script.mjs';

await runScript('dist/edge/supervisor.mjs');
