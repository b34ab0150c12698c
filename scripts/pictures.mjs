// `npm run pictures`: captures every screen in every theme and size.
import { runScript } from './run-script.mjs';

await runScript('tests/pictures/main.ts', { tests: true, builds: true });
