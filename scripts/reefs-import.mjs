// `npm run reefs:import -- <file.geojson> [--region gbr]`: imports a region's full reef table.
import { runScript } from './run-script.mjs';

await runScript('edge-server/reefs/main.ts');
