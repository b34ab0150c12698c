import { startBox } from './tools/edge-contestant';
import type { Bench, Turn } from './tools/harness';
import { interleave, median, ratioByRound } from './tools/harness';
import { intakeContestant, startStreamingPost, startTus, type IntakeServer } from './tools/intake';
import { PHOTOGRAPH_BYTES } from './tools/photographs';

const ROUNDS = 5;
const LOAD = { clients: 4, photographs: 100 };
const GIGABYTES = (LOAD.photographs * PHOTOGRAPH_BYTES) / 1e9;

const TUS = '@tus/server, not durable';
const POST = 'streaming POST + fdatasync';

/**
 * Compares the box's intake (announcement, bytes hashed and fsynced at their content address, record with a signed
 * receipt) with the rival's: creation and bytes, in the kernel's memory when it answers.
 */
export const bench: Bench = {
  about: `${LOAD.photographs} photographs of ${PHOTOGRAPH_BYTES / 1e6} MB from ${LOAD.clients} clients, with receipts, beside ${TUS}`,
  async run(say) {
    const servers: IntakeServer[] = [];
    try {
      for (const start of [() => startBox('http'), () => startBox('socket'), startTus, startStreamingPost])
        servers.push(await start());
      const turns = await interleave(
        servers.map((server) => intakeContestant(server.name, server, LOAD)),
        ROUNDS,
      );
      const [http = [], socket = [], tus = [], post = []] = servers.map(({ name }) => turns.get(name) ?? []);
      for (const [name, list] of turns) say(inWords(name, list));
      const speed = (ours: readonly Turn[], theirs: readonly Turn[]) =>
        ratioByRound(theirs, ours, ({ seconds }) => seconds);
      const cpu = (ours: readonly Turn[], theirs: readonly Turn[]) =>
        ratioByRound(ours, theirs, ({ cpuSeconds }) => cpuSeconds);
      return [
        { figure: 'MB/s over HTTP', value: speed(http, tus), unit: '×', rule: '>=', goal: 1.3, rival: TUS },
        { figure: 'server CPU a GB over HTTP', value: cpu(http, tus), unit: '×', rule: '<=', goal: 0.85, rival: TUS },
        { figure: 'MB/s over the socket', value: speed(socket, tus), unit: '×', rule: '>=', goal: 0.6, rival: TUS },
        // Allowed cost of hash, resuming, content address, record and receipt over the durable minimum.
        { figure: 'MB/s over HTTP', value: speed(http, post), unit: '×', rule: '>=', goal: 0.7, rival: POST },
      ];
    } finally {
      for (const server of servers) await server.stop();
    }
  },
};

function inWords(name: string, turns: readonly Turn[]): string {
  const speed = (GIGABYTES * 1000) / median(turns.map(({ seconds }) => seconds));
  const cpu = median(turns.map(({ cpuSeconds }) => cpuSeconds)) / GIGABYTES;
  return `${name.padEnd(18)} ${speed.toFixed(0).padStart(4)} MB/s  ${cpu.toFixed(2)} s CPU a GB`;
}
