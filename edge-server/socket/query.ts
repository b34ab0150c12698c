import { ReefError } from '../../src/domain/errors';
import { decideEdge } from '../../src/domain/policy/edge-policy';
import type { ChangesPage } from '../../src/protocol/changes';
import type { SocketHandler } from './connection';
import { rolesOf } from './connection';

/** `query`: a read, followed by updates with `subscribe`. */
export const query: SocketHandler<'query'> = async (context, connection, message) => {
  const { name, params, subscribe } = message;
  const reader = connection.reader();
  if (reader === null || decideEdge('query', name, rolesOf(connection.session)) !== 'allowed')
    throw new ReefError('forbidden');
  if (name === 'track' && subscribe === true)
    throw new ReefError('bad-message', {
      field: 'subscribe',
      message: 'A track is asked for by its span; follow gps and ask again.',
    });
  const data = await context.queries.run(name, params, reader);
  const next = name === 'changes' ? (data as ChangesPage).next : 0;
  if (subscribe === true) context.subscriptions.subscribe(connection, name, next);
  else if (name === 'changes') context.subscriptions.markPulled(connection, next);
  return { data };
};
