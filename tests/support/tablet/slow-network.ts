import type { Op } from '../../../src/domain/op/op';
import type { TabletHost } from '../../../src/platform/host';
import { nodeHost } from './tablet';

/** Network on which messages of a tablet wait until the test lets them through. */
export class SlowNetwork {
  holds: (event: string, op: Op | undefined) => boolean = () => false;
  readonly waiting: (() => void)[] = [];

  readonly openSocket: TabletHost['openSocket'] = async (origin, path) => {
    const client = await nodeHost().openSocket(origin, path);
    const pass = client.emit.bind(client);
    const emit = (event: string, ...args: unknown[]): unknown => {
      const { op } = args[0] as { op?: Op };
      const send = (): unknown => pass(event, ...args);
      return this.holds(event, op) ? this.waiting.push(send) : send();
    };
    return Object.assign(client, { emit });
  };

  letThrough(): void {
    this.holds = () => false;
    for (const send of this.waiting.splice(0)) send();
  }
}
