// `npm run voyage`: the main job on real processes.
import { runScript } from './run-script.mjs';

await runScript('tests/voyage/voyage.ts');
