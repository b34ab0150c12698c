// `npm run region:import -- --region gbr --outlines <file.geojson>`: imports a region's map into the database of the cloud.
import { runScript } from './run-script.mjs';

await runScript('cloud-sync/region-import/main.ts');
