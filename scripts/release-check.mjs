// `npm run release:check -- <folder or address>`: computes the figures of a release again from its public files.
import { runScript } from './run-script.mjs';

await runScript('cloud-sync/release-check/main.ts');
