// `npm run bridge -- --edge <url> --cloud <url>`: uploads a box's content and returns the receipts. `--help` lists the
// options.
import { runScript } from './run-script.mjs';

await runScript('dist/bridge/supervisor.mjs');
