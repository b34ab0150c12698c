import { applyMarkCommand, EMPTY_LOG } from '../../domain/analysis/mark-log';
import type { MarkEdit, MarkLog } from '../../domain/analysis/mark-log';
import type { RasterMark } from '../../imaging/label-raster/raster-mark';
import type { TracingSnapshot, TracingEngine, TracingSetup } from './tracing.api';

/** Engine command as data, to be queued, merged and replayed. */
export type TracingCommand =
  | ({ readonly kind: 'begin'; readonly setup: TracingSetup } & MarkLog<RasterMark>)
  | { readonly kind: 'draw'; readonly points: Float64Array; readonly label: number }
  | { readonly kind: 'discardStroke' }
  | { readonly kind: 'labels' }
  | MarkEdit<RasterMark>;

type AnyEngine = {
  readonly [Name in keyof TracingEngine]: (
    ...args: Parameters<TracingEngine[Name]>
  ) => ReturnType<TracingEngine[Name]> | Promise<ReturnType<TracingEngine[Name]>>;
};

export async function executeCommand(
  engine: AnyEngine,
  command: TracingCommand,
): Promise<TracingSnapshot | Uint8Array> {
  switch (command.kind) {
    case 'begin':
      return engine.begin(command.setup, command.marks, command.undone);
    case 'draw':
      return engine.draw(command.points, command.label);
    case 'discardStroke':
    case 'labels':
      return engine[command.kind]();
    default:
      return engine.apply(command);
  }
}

/** Same array if all samples are finite. */
export function finiteSamples(points: Float64Array): Float64Array {
  if (points.every(Number.isFinite)) return points;
  const kept: number[] = [];
  for (let at = 0; at + 1 < points.length; at += 2) {
    const [x = NaN, y = NaN] = [points[at], points[at + 1]];
    if (Number.isFinite(x) && Number.isFinite(y)) kept.push(x, y);
  }
  return Float64Array.from(kept);
}

export function joinSamples(first: Float64Array, second: Float64Array): Float64Array {
  const points = new Float64Array(first.length + second.length);
  points.set(first);
  points.set(second, first.length);
  return points;
}

/**
 * Replay state of the confirmed work: enough to start another engine that shows the same, including the current stroke.
 */
export class ReplayState {
  #setup: TracingSetup | undefined;
  #log: MarkLog<RasterMark> = EMPTY_LOG;
  #live: { readonly label: number; readonly parts: Float64Array[] } | undefined;

  record(command: TracingCommand): void {
    switch (command.kind) {
      case 'draw':
        if (this.#live?.label !== command.label) this.#live = { label: command.label, parts: [] };
        this.#live.parts.push(command.points);
        return;
      case 'labels':
        return;
      case 'begin':
        this.#setup = command.setup;
    }
    this.#live = undefined;
    if (command.kind !== 'discardStroke') this.#log = applyMarkCommand(this.#log, command);
  }

  /** Commands that restore the recorded state; none before the first `begin`. */
  replay(): readonly TracingCommand[] {
    if (this.#setup === undefined) return [];
    const begin: TracingCommand = { kind: 'begin', setup: this.#setup, ...this.#log };
    if (this.#live === undefined) return [begin];
    const { label, parts } = this.#live;
    const points = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      points.set(part, at);
      at += part.length;
    }
    return [begin, { kind: 'draw', points, label }];
  }
}
