import type { FastifyInstance } from 'fastify';
import { ReefError } from '../../src/domain/errors';

/** Map tiles. No archive is aboard yet, so every source is unknown; a map shows its bundled outlines instead. */
export function tileRoutes(app: FastifyInstance): void {
  const unknown = async (): Promise<never> => {
    throw new ReefError('not-found', { message: 'The box has no map tiles by that name.' });
  };
  app.get('/tiles/:archive', unknown);
  app.get('/tiles/:source/:z/:x/:y', unknown);
}
