import net from 'node:net';
import type { AddressInfo } from 'node:net';

/** Receiver that serves over TCP on loopback; sends what the test says. */
export interface GpsServer {
  readonly port: number;
  /** Number of connections so far. */
  readonly connections: () => number;
  /** Everything the clients sent, concatenated. */
  readonly heard: () => string;
  say(text: string | Uint8Array): void;
  /** Ends all connections and accepts no more; {@link open} accepts them again on the same port. */
  away(): Promise<void>;
  open(): Promise<void>;
}

/** Starts a receiver. */
export async function startGpsServer(): Promise<GpsServer> {
  const sockets = new Set<net.Socket>();
  let server: net.Server | undefined;
  let port = 0;
  let connections = 0;
  let heard = '';
  const open = async (): Promise<void> => {
    const made = net.createServer((socket) => {
      connections += 1;
      sockets.add(socket);
      socket.on('data', (bytes) => (heard += bytes.toString('latin1')));
      socket.on('error', () => socket.destroy());
      socket.once('close', () => sockets.delete(socket));
    });
    server = made;
    await new Promise<void>((resolve) => made.listen(port, '127.0.0.1', resolve));
    port = (made.address() as AddressInfo).port;
  };
  await open();
  return {
    get port() {
      return port;
    },
    connections: () => connections,
    heard: () => heard,
    say: (text) => sockets.forEach((socket) => socket.write(text)),
    open,
    away: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
      server = undefined;
    },
  };
}

/** Sentence with its checksum and line end. */
export function nmea(body: string): string {
  const sum = [...Buffer.from(body, 'latin1')].reduce((all, byte) => all ^ byte, 0);
  return `$${body}*${sum.toString(16).toUpperCase().padStart(2, '0')}\r\n`;
}

/** RMC sentence for a position and a time. */
export function rmc(lat: number, lng: number, ms: number, speed = 5): string {
  const iso = new Date(ms).toISOString();
  const form = (value: number, digits: number): string => {
    const whole = Math.trunc(Math.abs(value));
    return `${String(whole).padStart(digits, '0')}${((Math.abs(value) - whole) * 60).toFixed(5).padStart(8, '0')}`;
  };
  return nmea(
    `GPRMC,${iso.slice(11, 19).replaceAll(':', '')}${iso.slice(19, 23)},A,${form(lat, 2)},${lat < 0 ? 'S' : 'N'},${form(lng, 3)},${lng < 0 ? 'W' : 'E'},${speed.toFixed(1)},90.0,${iso.slice(8, 10)}${iso.slice(5, 7)}${iso.slice(2, 4)},,,A`,
  );
}
