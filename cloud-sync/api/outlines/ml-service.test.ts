import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { MlService } from './ml-service';

it('1§7: a model service that never ends its answer is given up, and others get their turn', async () => {
  const server = http.createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const drip = setInterval(() => response.write(' '), 10);
    response.on('close', () => clearInterval(drip));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const warned: unknown[] = [];
  const service = new MlService({
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    log: { ...pino({ level: 'silent' }), warn: (fields: object) => void warned.push(fields) },
    timeoutMs: 100,
  });
  const asked = Array.from({ length: 12 }, (_, n) =>
    service.ask({ surveyId: 'Survey0000000001', imageId: `Image0000000${String(n).padStart(4, '0')}`, dir: 'gbr' }),
  );
  expect(await Promise.all(asked)).toEqual(asked.map(() => 'failed'));
  expect(warned).toHaveLength(12);
});
