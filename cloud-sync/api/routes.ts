import type { FastifyInstance } from 'fastify';
import type { CloudContext } from './context';
import { traceRoutes } from './health/trace-routes';
import { openApiRoutes } from './openapi/openapi-routes';
import { opsRoutes } from './intake/ops-routes';
import { blobRoutes } from './images/blob-routes';
import { referenceRoutes } from './reference/reference-routes';
import { fleetRoutes } from './fleet/fleet-routes';
import { previewRoutes } from './images/preview-routes';
import { quarantineRoutes } from './intake/quarantine-routes';
import { queryRoutes } from './reads/query-routes';
import { reportRoutes } from './reports/report-routes';
import { variantRoutes } from './images/variant-routes';
import { outlineRoutes } from './outlines/outline-routes';
import { healthRoutes } from '../../src/server/http/health-routes';
import { readinessRoutes } from './health/readiness-routes';
import { figureRoutes } from './consensus/figure-routes';
import { regionDataRoutes } from './region-data/region-data-routes';
import { mapFileRoutes } from './map-archives/map-file-routes';
import { tileRoutes } from '../../src/server/tiles/tile-routes';

/** Routes that need the shared services alone. */
export const ROUTES: readonly ((app: FastifyInstance, context: CloudContext) => void)[] = [
  traceRoutes,
  openApiRoutes,
  opsRoutes,
  blobRoutes,
  referenceRoutes,
  fleetRoutes,
  previewRoutes,
  quarantineRoutes,
  queryRoutes,
  reportRoutes,
  variantRoutes,
  outlineRoutes,
  figureRoutes,
  regionDataRoutes,
  mapFileRoutes,
  tileRoutes,
  healthRoutes,
  readinessRoutes,
];
