import { describe, expect, test } from 'vitest';
import type { RasterMark } from '../../imaging/label-raster/raster-mark';
import { countLabels } from '../../../tests/support/count-labels';
import { seeded } from '../../../tests/support/seed';
import type { TracingSnapshot } from './tracing.api';
import type { TracingCommand } from './tracing-commands';
import { executeCommand } from './tracing-commands';
import type { Surface } from './tracing-engine';
import { createTracingEngine } from './tracing-engine';
import type { StartHost } from './tracing-host';
import { WorkerCrashed } from './tracing-host';
import { tracingSession } from './tracing-session';

const SETTING = { width: 60, height: 40, penWidth: 6, styles: [], opacity: 0.6 };
const line = (label: number, ...points: number[]): RasterMark => ({ kind: 'stroke', points, label });

/** Fake hosts on this thread that crash on demand; answers arrive a turn later, as from a worker. */
function mortal(runsIn: 'worker' | 'page' = 'worker') {
  const started: { readonly commands: TracingCommand[]; readonly kill: () => void; stopped: boolean }[] = [];
  /** Called when a host receives a command; returns true to crash on it. */
  let dies: (command: TracingCommand) => boolean = () => false;
  const start: StartHost = (onBroke) => {
    // A canvas refuses an ImageData without a size.
    const put: Surface['put'] = ({ left, top, right, bottom }, words) =>
      expect(words.length > 0 && words.length === (right - left) * (bottom - top)).toBe(true);
    const engine = createTracingEngine({ resize: () => undefined, put });
    let refuse: (error: Error) => void;
    const broken = new Promise<never>((_resolve, reject) => (refuse = reject));
    broken.catch(() => undefined);
    const host = {
      commands: [] as TracingCommand[],
      stopped: false,
      kill: () => {
        refuse(new WorkerCrashed('killed'));
        onBroke();
      },
    };
    started.push(host);
    return {
      canvas: { host: started.length, runsIn } as unknown as HTMLCanvasElement,
      runsIn,
      run: (command) => {
        host.commands.push(command);
        const dead = dies(command);
        const answer = new Promise<void>((resolve) => setTimeout(resolve)).then(() => executeCommand(engine, command));
        if (dead) host.kill();
        return Promise.race([answer, broken]);
      },
      stop: () => (host.stopped = true),
    };
  };
  return { start, started, dieOver: (when: typeof dies) => (dies = when) };
}

function painted(marks: readonly RasterMark[], live?: readonly [Float64Array, number]): Uint8Array {
  const engine = createTracingEngine({ resize: () => undefined, put: () => undefined });
  engine.begin(SETTING, marks);
  if (live !== undefined) engine.draw(...live);
  return engine.labels();
}

describe('2§4: a tracing session', () => {
  test('pen samples are queued while the engine works, and none is lost', async () => {
    const hosts = mortal();
    const session = tracingSession([hosts.start], () => 0);
    await session.begin(SETTING, []);
    const all: number[] = [];
    for (let index = 0; index < 100; index++) {
      const sample = [index / 100, (index % 7) / 7];
      all.push(...sample);
      session.draw(Float64Array.from(sample), 1);
    }
    expect(await session.labels()).toEqual(painted([], [Float64Array.from(all), 1]));
    const drawn = hosts.started[0]!.commands.filter((command) => command.kind === 'draw');
    expect(drawn.flatMap((command) => [...command.points])).toEqual(all);
    expect(drawn.length).toBeLessThanOrEqual(2);
    session.draw(Float64Array.of(0.5, 0.5), 2);
    session.draw(Float64Array.of(0.6, 0.5), 3);
    await session.discardStroke();
    expect(hosts.started[0]!.commands.filter((command) => command.kind === 'draw')).toHaveLength(drawn.length + 2);
    session.close();
  });

  test('invalid and distant samples break nothing', async () => {
    const hosts = mortal();
    const session = tracingSession([hosts.start], () => 0);
    await session.begin(SETTING, []);
    session.draw(Float64Array.of(NaN, NaN), 1);
    session.draw(Float64Array.of(0.1, 0.5, NaN, 0.5, 0.5, Infinity, 0.9, 0.5), 1);
    await session.labels();
    session.draw(Float64Array.of(NaN, 0.5), 1);
    session.draw(Float64Array.of(-1e300, 1e300), 2);
    await session.labels();
    session.draw(Float64Array.of(0.1, 0.5, 0.9, 0.5), 1);
    expect(await session.labels()).toEqual(painted([], [Float64Array.of(0.1, 0.5, 0.9, 0.5), 1]));
    expect(hosts.started).toHaveLength(1);
    session.close();
  });

  test('marks undone before opening can be redone', async () => {
    const session = tracingSession([mortal().start], () => 0);
    const [first, second, third] = [
      line(1, 0.1, 0.1, 0.9, 0.1),
      line(2, 0.1, 0.5, 0.9, 0.5),
      line(3, 0.1, 0.9, 0.9, 0.9),
    ];
    expect(await session.begin(SETTING, [first], [third, second])).toMatchObject({ marks: 1, canRedo: true });
    await session.apply({ kind: 'redo' });
    expect(await session.labels()).toEqual(painted([first, second]));
    expect(await session.apply({ kind: 'redo' })).toMatchObject({ marks: 3, canRedo: false });
    expect(await session.labels()).toEqual(painted([first, second, third]));
    session.close();
  });

  test('an engine that crashes at any point is replaced without a visible change', async () => {
    const random = seeded(20_261_122);
    for (let round = 0; round < 20; round++) {
      const [mortals, steady] = [mortal(), mortal()];
      let clock = 0;
      // Crashes so rarely that the worker is never abandoned.
      const session = tracingSession([mortals.start], () => (clock += 100_000));
      const twin = tracingSession([steady.start], () => 0);
      let isFragile = true;
      mortals.dieOver(() => isFragile && random.fraction() < 0.2 && mortals.started.length < 60);
      const stands = await Promise.all([
        session.begin(SETTING, [line(1, 0, 0, 1, 1)]),
        twin.begin(SETTING, [line(1, 0, 0, 1, 1)]),
      ]);
      expect(stands[0].counts).toEqual(stands[1].counts);
      let turn = 0;
      for (let step = 0; step < 30; step++) {
        const points = Array.from({ length: 4 }, () => random.fraction());
        const what = random.below(6);
        const act = (on: typeof session): Promise<TracingSnapshot> | undefined => {
          if (what < 2) return void on.draw(Float64Array.from(points), 2 + (step % 3));
          if (what === 2) return on.apply({ kind: 'add', mark: line(1 + (step % 5), ...points) });
          if (what === 3) return on.apply({ kind: 'undo' });
          return what === 4 ? on.apply({ kind: 'redo' }) : on.discardStroke();
        };
        const [mine, other] = [act(session), act(twin)];
        if (mine === undefined || other === undefined) continue;
        // Engines restart their revisions; the session's keep rising.
        const answer = await mine;
        expect(answer.revision).toBeGreaterThan(turn);
        turn = answer.revision;
        expect({ ...answer, revision: 0 }).toEqual({ ...(await other), revision: 0 });
      }
      isFragile = false;
      const labels = await session.labels();
      expect(labels).toEqual(await twin.labels());
      expect(countLabels({ labels })).toEqual(session.snapshot!.counts);
      expect(mortals.started.slice(0, -1).every(({ stopped }) => stopped)).toBe(true);
      session.close();
      twin.close();
    }
  });

  test('a lost canvas is replaced at once with its stroke, and the viewer is notified', async () => {
    const hosts = mortal();
    const session = tracingSession([hosts.start], () => 0);
    const first = line(1, 0.1, 0.1, 0.9, 0.8);
    await session.begin(SETTING, [first]);
    session.draw(Float64Array.of(0.1, 0.9, 0.5, 0.2), 2);
    await session.labels();
    const before = session.canvas;
    const told = new Promise<void>((resolve) => session.subscribe(resolve));
    hosts.started[0]!.kill();
    await told;
    expect(session.canvas).not.toBe(before);
    await expect.poll(() => hosts.started[1]!.commands.map((command) => command.kind)).toEqual(['begin', 'draw']);
    expect(await session.labels()).toEqual(painted([first], [Float64Array.of(0.1, 0.9, 0.5, 0.2), 2]));
    session.draw(Float64Array.of(0.9, 0.1), 2);
    expect(await session.labels()).toEqual(painted([first], [Float64Array.of(0.1, 0.9, 0.5, 0.2, 0.9, 0.1), 2]));
    session.close();
  });

  test('three crashes in a minute move the work to the page, and rare crashes do not', async () => {
    for (const apartMs of [100, 30_001]) {
      const hosts = mortal();
      const page = mortal('page');
      let clock = 0;
      const session = tracingSession([hosts.start, page.start], () => clock);
      const first = line(1, 0.1, 0.1, 0.9, 0.8);
      await session.begin(SETTING, [first]);
      for (let breaks = 0; breaks < 3; breaks++) {
        clock += apartMs;
        hosts.started[breaks]!.kill();
        await session.labels();
      }
      expect(session.runsIn).toBe(apartMs === 100 ? 'page' : 'worker');
      if (apartMs === 100) expect(session.warning).toContain('Your marks are');
      else expect(session.warning).toBeNull();
      expect(await session.labels()).toEqual(painted([first]));
      session.close();
    }
  });

  test('an impossible size is refused, and so is everything after the end', async () => {
    const hosts = mortal();
    const session = tracingSession([hosts.start], () => 0);
    await expect(session.begin({ ...SETTING, width: 0 }, [])).rejects.toThrow(RangeError);
    expect(await session.begin(SETTING, [])).toMatchObject({ marks: 0 });
    expect(hosts.started).toHaveLength(1);
    const open = session.apply({ kind: 'undo' });
    session.close();
    await expect(open).rejects.toThrow('ended');
    await expect(session.apply({ kind: 'add', mark: line(1, 0, 0, 1, 1) })).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(hosts.started[0]!.stopped).toBe(true);
  });
});
