import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Listens on a free port, reports it to the parent and ends cleanly with it. */
export function announce(server: Server): void {
  server.listen(0, '127.0.0.1', () =>
    process.send?.({ ready: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
  );
  const end = () => process.exit(0);
  process.once('SIGTERM', end);
  process.once('disconnect', end);
}
