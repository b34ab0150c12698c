import { describe, expect, it } from 'vitest';
import { surveyOp } from '../../../../tests/conformance/ops';
import { nodeHost } from '../../../../tests/support/tablet/tablet-host';
import type { CloudRow } from '../../ops/database';
import { CloudHttp } from './cloud-http';
import { CloudConnection } from './cloud-link-keeper';
import { Emitter } from '../../../base/emitter';

describe('protocol: a closed connection to the cloud', () => {
  it('a closed connection is not used again and has no open call', async () => {
    let asked = 0;
    const host = nodeHost({
      fetch: async () => {
        asked += 1;
        throw new TypeError('fetch failed');
      },
    });
    const carrier = { connected: true, lost: new Emitter<void>(), close: () => undefined };
    const connection = new CloudConnection(
      host,
      carrier,
      { receiptKeys: [] } as unknown as CloudRow,
      new CloudHttp(host, 'https://shore.test', 'credential'),
      false,
      () => undefined,
      () => undefined,
    );
    const offered = connection.sendOp(surveyOp(1), null);
    carrier.connected = false;
    await expect(offered).rejects.toMatchObject({ code: 'disconnected' });
    expect(asked).toBe(0);
  });
});
