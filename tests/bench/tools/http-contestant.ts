import type { Contestant, Turn } from './harness';
import { median } from './harness';
import { LeanHttp } from './lean-http';
import { cpuSecondsOf } from './process-tree';

/** Server in its own process. */
export interface MeasuredServer {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
}

interface Load {
  /** Requests of a turn; `places` repeat. */
  readonly requests: number;
  readonly places: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** Clients that ask at the same time, over a connection each. */
  readonly clients: number;
}

/** Server under requests of several clients; a turn lasts until all are answered. */
export function httpContestant({ name, url, pid }: MeasuredServer, load: Load): Contestant {
  const { requests, places, headers, clients } = load;
  return {
    name,
    async turn(): Promise<Turn> {
      const connections = await Promise.all(Array.from({ length: clients }, () => LeanHttp.open(url)));
      const cpuBefore = cpuSecondsOf(pid);
      const began = performance.now();
      let next = 0;
      await Promise.all(
        connections.map(async (http) => {
          for (let n = next++; n < requests; n = next++) {
            const { status } = await http.request('GET', places[n % places.length] ?? '', headers);
            if (status !== 200) throw new Error(`${name}: ${status}`);
          }
        }),
      );
      const seconds = (performance.now() - began) / 1000;
      const cpuSeconds = cpuSecondsOf(pid) - cpuBefore;
      for (const http of connections) http.close();
      return { seconds, cpuSeconds };
    },
  };
}

/** Processor time and rate of a contestant. @param noun of what is requested, such as "tile" */
export function rateText(name: string, turns: readonly Turn[], requests: number, noun: string): string {
  const cpu = (median(turns.map(({ cpuSeconds }) => cpuSeconds)) / requests) * 1e6;
  const speed = requests / median(turns.map(({ seconds }) => seconds));
  return `${name.padEnd(62)} ${cpu.toFixed(0).padStart(5)} µs CPU a ${noun}  ${speed.toFixed(0).padStart(6)} ${noun}s/s`;
}
