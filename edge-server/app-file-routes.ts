import type { FastifyInstance } from 'fastify';
import { appFileRoutes as filesOfTheApp } from '../src/server/http/app-files';

/** Addresses of the box itself; the app has no page there. */
const SERVER_ADDRESS = /^\/(edge|cache|tiles|metrics|healthz)(\/|$)/;
const NOT_BUILT =
  '<p>The box runs and takes photographs, but the app it should show has not been built. Run <code>npm run build</code> and start the box again.</p>';

/**
 * `/`: the built app.
 *
 * @param folder of the built app, or null if it is not built
 */
export function appFileRoutes(app: FastifyInstance, folder: string | null): Promise<void> {
  return filesOfTheApp(app, { folder, serverAddress: SERVER_ADDRESS, notBuilt: NOT_BUILT });
}
