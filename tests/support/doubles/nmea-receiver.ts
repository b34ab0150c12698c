import net from 'node:net';

/** Position in degrees. */
export interface Point {
  readonly lat: number;
  readonly lng: number;
}

/** GPS receiver on loopback that speaks NMEA 0183 over TCP, like a plotter aboard. */
export interface Receiver {
  /** Value of the setting `GPS_URL`. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

/**
 * Starts a receiver that sends a position each second, along a course and then its last point forever, with this
 * machine's time.
 *
 * @param course at least one point
 */
export async function startReceiver(course: readonly [Point, ...Point[]]): Promise<Receiver> {
  const sockets = new Set<net.Socket>();
  let step = 0;
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const timer = setInterval(() => {
    const here = course[Math.min(step, course.length - 1)] ?? course[0];
    step++;
    for (const socket of sockets) socket.write(sentences(here, new Date()));
  }, 1000);
  const { port } = server.address() as net.AddressInfo;
  return {
    url: `nmea+tcp://127.0.0.1:${port}`,
    close: async () => {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function sentences({ lat, lng }: Point, now: Date): string {
  const time = now.toISOString().slice(11, 19).replaceAll(':', '');
  const [year, month, day] = now.toISOString().slice(2, 10).split('-');
  const place = `${degrees(lat, 2)},${lat < 0 ? 'S' : 'N'},${degrees(lng, 3)},${lng < 0 ? 'W' : 'E'}`;
  return [
    `GPGGA,${time}.00,${place},1,11,0.9,2.0,M,0.0,M,,`,
    `GPRMC,${time}.00,A,${place},6.2,292.0,${day}${month}${year},,,A`,
  ]
    .map(checked)
    .join('');
}

/** Formats `ddmm.mmmm`, with as many digits for the degrees as the sentence needs. */
function degrees(value: number, figures: number): string {
  const whole = Math.floor(Math.abs(value));
  return `${String(whole).padStart(figures, '0')}${((Math.abs(value) - whole) * 60).toFixed(4).padStart(7, '0')}`;
}

function checked(body: string): string {
  let sum = 0;
  for (const character of body) sum ^= character.charCodeAt(0);
  return `$${body}*${sum.toString(16).toUpperCase().padStart(2, '0')}\r\n`;
}
