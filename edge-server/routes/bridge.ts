import type { FastifyInstance } from 'fastify';
import type { BridgeState } from '../../src/protocol/edge-http';
import { bridgeSchema } from '../../src/protocol/edge-http';
import type { EdgeContext } from '../context';
import { isoNow } from '../context';
import { parseInput } from '../../src/server/parse';

const PAUSED = 'bridge.paused';
const VERIFY = 'bridge.verify';

/** What the bridge should do, as the console last said. */
export function bridgeState(context: EdgeContext): BridgeState {
  return { paused: context.state.setting(PAUSED) === 'yes', verifyRequestedAt: context.state.setting(VERIFY) ?? null };
}

/** `POST /edge/bridge` {action: pause | resume | verify | status}: kept aboard; the bridge asks with `status` and obeys. */
export function bridgeRoutes(app: FastifyInstance, context: EdgeContext): void {
  app.post('/edge/bridge', async (request) => {
    const { action } = parseInput(bridgeSchema, request.body);
    if (action === 'pause') context.state.setSetting(PAUSED, 'yes');
    if (action === 'resume') context.state.setSetting(PAUSED, 'no');
    if (action === 'verify') context.state.setSetting(VERIFY, isoNow(context));
    return { ok: true, ...bridgeState(context) };
  });
}
