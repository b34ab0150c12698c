// `npm run cloud`: runs the cloud service alone, under its supervisor; installs and builds what it needs.
// `npm run cloud -- recount`: recomputes documents and counters, and exits.
// `npm run cloud -- staff <email> [off]`: grants or removes the staff role, also next to a running service, and exits.
// `npm run cloud -- reset-second-factor <email>`: removes the second factor of a person who lost it, and exits.
// `npm run cloud -- confirm-claim <uid> <email>`: gives what a pending person wrote to that address's account, and exits.
// `npm run cloud -- import <file>`: imports a box's sealed bundle, writes its receipts to a file there, and exits.
import { runScript } from './run-script.mjs';

await runScript('dist/cloud/supervisor.mjs');
