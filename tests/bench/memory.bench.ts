import { startBox } from './tools/edge-contestant';
import type { Bench } from './tools/harness';
import { median } from './tools/harness';
import { intakeContestant, startTus, type IntakeServer } from './tools/intake';
import { peakBytesOf } from './tools/process-tree';

const ROUNDS = 3;
const LOAD = { clients: 12, photographs: 60 };

/**
 * Limits memory per client: the box holds a socket server, SQLite's cache and its routes before the first photograph.
 * Half as much again as the bare rival is room for those, not for whole photographs: twelve of them alone would be 48
 * MB. A chunk over the socket is one message and must be held whole, hence twice. The supervisor, which the rival
 * lacks, is reported apart.
 */
const GOALS = { http: 1.5, socket: 2 };

export const bench: Bench = {
  about: `peak memory of the server's process tree while ${LOAD.clients} clients send ${LOAD.photographs} photographs`,
  async run(say) {
    const starts: Readonly<Record<string, () => Promise<IntakeServer>>> = {
      http: () => startBox('http'),
      socket: () => startBox('socket'),
      'http with supervisor': () => startBox('http', { supervised: true }),
      tus: startTus,
    };
    const peaks = new Map<string, number[]>(Object.keys(starts).map((name) => [name, []]));
    // New process for each turn: the peak of a process covers its whole lifetime.
    for (let round = 0; round < ROUNDS; round++) {
      for (const [name, start] of Object.entries(starts)) peaks.get(name)?.push(await peakOf(start));
    }
    const megabytes = (name: string) => median(peaks.get(name) ?? []) / 1e6;
    for (const name of Object.keys(starts)) say(`${name.padEnd(20)} ${megabytes(name).toFixed(0).padStart(4)} MB`);
    return [
      {
        figure: `peak memory over HTTP, ${LOAD.clients} clients`,
        value: megabytes('http') / megabytes('tus'),
        unit: '×',
        rule: '<=',
        goal: GOALS.http,
        rival: '@tus/server',
      },
      {
        figure: `peak memory over the socket, ${LOAD.clients} clients`,
        value: megabytes('socket') / megabytes('tus'),
        unit: '×',
        rule: '<=',
        goal: GOALS.socket,
        rival: '@tus/server',
      },
    ];
  },
};

async function peakOf(start: () => Promise<IntakeServer>): Promise<number> {
  const server = await start();
  try {
    await intakeContestant(server.name, server, LOAD).turn(1);
    return peakBytesOf(server.pid);
  } finally {
    await server.stop();
  }
}
