// `npm run demo` fills the running box with demo content; `npm run demo -- remove` (or `demo:remove`) removes it.
import { runScript } from './run-script.mjs';

await runScript('dist/edge/demo.mjs', { env: { NODE_ENV: 'production' } });
