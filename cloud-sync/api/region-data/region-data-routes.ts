import type { FastifyInstance } from 'fastify';
import type { CloudContext } from '../context';
import { datasetRoutes } from '../datasets/dataset-routes';
import { cdnRoutes } from './cdn-routes';

/** Routes of regions: their public files and their datasets. */
export function regionDataRoutes(app: FastifyInstance, context: CloudContext): void {
  cdnRoutes(app, context);
  datasetRoutes(app, context);
}
