// `npm run simulate -- --seeds N`, `-- --seed N`: random histories of tablets, boxes, bridges and cloud on production
// code.
import { runScript } from './run-script.mjs';

await runScript('tests/simulation/main.ts');
