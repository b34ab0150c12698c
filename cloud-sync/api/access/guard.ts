import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ReefError } from '../../../src/domain/errors';
import { FOUNDATION_MESSAGES } from '../../../src/domain/messages';
import type { CloudDecision } from '../../../src/domain/policy/cloud-policy';
import { cloudPolicyRow, decideCloud } from '../../../src/domain/policy/cloud-policy';
import type { CloudRole } from '../../../src/domain/policy/roles';
import { limitStrangers } from '../../../src/server/http/http-app';
import { networkOf } from '../accounts/sign-in/network';
import type { CloudContext } from '../context';
import type { Caller } from './caller';
import { ANONYMOUS_CALLER, TABLET_REVOKED_MESSAGE, isRevokedTablet } from './caller';

declare module 'fastify' {
  interface FastifyRequest {
    cloudCaller: Caller;
  }
}

/** Applies the policy before every route: caller, origin, policy table, and what a stranger may send. */
export function guard(app: FastifyInstance, context: CloudContext): void {
  app.decorateRequest('cloudCaller');
  app.addHook('onRequest', async (request) => {
    const route = request.routeOptions.url;
    request.cloudCaller = ANONYMOUS_CALLER;
    // Liveness depends on no database, whatever credential comes along.
    if (route === undefined || route === '/healthz') return;
    if (route.startsWith('/api/') && !context.origins.allows(request.headers.origin)) {
      throw new ReefError('forbidden', { field: 'Origin', message: 'This page does not belong to the census.' });
    }
    const name = cloudPolicyName(request.method, route);
    // Routes open to anyone must answer even without the database.
    if (decideCloud(name, ANONYMOUS_CALLER.roles) !== 'allowed' || request.headers.authorization !== undefined)
      request.cloudCaller = await context.callers.callerOf(request);
    const decision = decideCloud(name, request.cloudCaller.roles);
    if (decision === 'allowed') return;
    throw context.refusals.limit(
      callerId(request.cloudCaller) ?? networkOf(request.ip),
      refusalFor(request.cloudCaller, decision, name),
    );
  });
  limitStrangers(app, {
    isOpen: (method, url) => decideCloud(cloudPolicyName(method, url), ANONYMOUS_CALLER.roles) === 'allowed',
    isStranger: ({ cloudCaller }) => cloudCaller === ANONYMOUS_CALLER,
  });
}

/** Callers that no person signs in as. */
const SERVICES: readonly CloudRole[] = ['device', 'box', 'monitor'];

function refusalFor(caller: Caller, decision: CloudDecision, name: string): ReefError {
  if (isRevokedTablet(caller)) return new ReefError('forbidden', { field: 'device', message: TABLET_REVOKED_MESSAGE });
  if (decision !== 'unauthorised') return new ReefError('forbidden');
  const isForPeople = cloudPolicyRow(name)?.some((role) => SERVICES.includes(role)) === false;
  return new ReefError('unauthorised', {
    message: isForPeople ? FOUNDATION_MESSAGES.notSignedIn : 'Sign in first, or use the token of this tablet or box.',
  });
}

/** Logs a request's error if it is a refused sign-in or right. */
export function noteRefusal(
  { refusals }: Pick<CloudContext, 'refusals'>,
  request: FastifyRequest,
  error: ReefError,
): void {
  const route = cloudPolicyName(request.method, request.routeOptions.url ?? 'unknown');
  refusals.note({ route, error, by: callerId(request.cloudCaller) });
}

function callerId({ person, deviceId, node }: Caller = ANONYMOUS_CALLER): string | undefined {
  return person ?? deviceId ?? node ?? undefined;
}

export function cloudPolicyName(method: string, route: string): string {
  return `${method === 'HEAD' ? 'GET' : method} ${route}`;
}
