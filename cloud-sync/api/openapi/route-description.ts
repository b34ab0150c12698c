import type { z } from 'zod';

/** Description of a route beyond its policy row. */
export interface RouteDescription {
  readonly summary: string;
  readonly body?: z.ZodType;
  readonly query?: z.ZodType;
  readonly requestType?: string;
  readonly responseType?: string;
}
