import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ReefError } from '../../src/domain/errors';
import type { EdgeRole, EdgeRoles } from '../../src/domain/policy/edge-policy';
import { decideEdge } from '../../src/domain/policy/edge-policy';
import type { EdgeContext } from '../context';
import { limitStrangers } from '../../src/server/http/http-app';
import { secretsEqual } from '../pairing/pairing';
import type { Session } from './sessions';
import { refusalOf, rolesOf } from '../socket/connection';
import { requireSameSite } from '../console/console-forms';

export interface Caller {
  readonly session: Session | null;
  readonly roles: EdgeRoles;
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
  }
}

const ANONYMOUS_CALLER: Caller = { session: null, roles: new Set<EdgeRole>(['anyone']) };
const CONSOLE = '/edge/console';
/** Routes open to a browser with the console's password; the first also accepts forms with a CSRF token. */
const BROWSER_ROUTES: ReadonlySet<string> = new Set([CONSOLE, '/edge/export', '/edge/diagnostics', '/metrics']);

/** Enforces the policy table on every route: caller, origin, permission, and what a stranger may send. */
export function enforcePolicy(app: FastifyInstance, context: EdgeContext): void {
  app.decorateRequest('caller');
  app.addHook('onRequest', async (request, reply) => {
    const route = request.routeOptions.url;
    if (route === undefined) return;
    if (route.startsWith('/edge/') && !context.origins.allows(request.headers.origin)) {
      throw new ReefError('forbidden', { field: 'Origin', message: 'This page does not belong to the box.' });
    }
    request.caller = callerOf(request, context);
    const decision = decideEdge('http', policyName(request.method, route), request.caller.roles);
    if (decision === 'allowed') return;
    if (route === CONSOLE) askForPassword(reply);
    throw context.refusals.limit(
      request.ip,
      decision === 'unauthorised'
        ? new ReefError('unauthorised', { message: 'This needs a session of a paired tablet, or the admin token.' })
        : refusalOf(request.caller.session),
    );
  });
  limitStrangers(app, {
    isOpen: (method, url) => decideEdge('http', policyName(method, url), ANONYMOUS_CALLER.roles) === 'allowed',
    isStranger: ({ caller }) => caller === undefined || caller.roles.size <= 1,
  });
}

/** Name of a route in the policy table; HEAD follows GET. */
export function policyName(method: string, route: string): string {
  return `${method === 'HEAD' ? 'GET' : method} ${route}`;
}

function callerOf(request: FastifyRequest, context: EdgeContext): Caller {
  const { authorization } = request.headers;
  if (authorization === undefined) return ANONYMOUS_CALLER;
  const [, scheme = '', secret = ''] = /^(\S+) +(\S+) *$/.exec(authorization) ?? [];
  switch (scheme.toLowerCase()) {
    case 'bearer': {
      if (secretsEqual(secret, context.adminToken))
        return { session: null, roles: new Set<EdgeRole>(['anyone', 'admin']) };
      const session = context.sessions.find(secret) ?? null;
      return session === null ? ANONYMOUS_CALLER : { session, roles: rolesOf(session) };
    }
    case 'basic': {
      // A browser sends the password to every address of the box; so it opens only the console and its downloads, and
      // not from another site.
      if (!BROWSER_ROUTES.has(request.routeOptions.url ?? '')) return ANONYMOUS_CALLER;
      if (request.routeOptions.url !== CONSOLE) requireSameSite(request);
      const password = Buffer.from(secret, 'base64')
        .toString('utf8')
        .replace(/^[^:]*:/, '');
      return secretsEqual(password, context.adminToken)
        ? { session: null, roles: new Set<EdgeRole>(['anyone', 'admin']) }
        : ANONYMOUS_CALLER;
    }
    default:
      return ANONYMOUS_CALLER;
  }
}

function askForPassword(reply: FastifyReply): void {
  void reply.header(
    'WWW-Authenticate',
    'Basic realm="Reef box console: any name, the admin token as password", charset="UTF-8"',
  );
}
