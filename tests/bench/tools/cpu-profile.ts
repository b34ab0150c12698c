import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Parts of V8's profile that are read here. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: {
      readonly functionName: string;
      readonly url: string;
      readonly lineNumber: number;
      readonly columnNumber: number;
    };
    readonly children?: readonly number[];
  }[];
  readonly samples?: readonly number[];
  /** µs since the previous sample. */
  readonly timeDeltas?: readonly number[];
}

/** Time of a profile by part, µs. */
export interface ProfiledTime {
  /** Time not idle: programs, garbage collection, the runtime itself. */
  readonly busy: number;
  readonly idle: number;
  /** Time of each part: in functions of its files and in everything they called. */
  readonly parts: ReadonlyMap<string, number>;
}

/**
 * Sums the samples of a profile by source file.
 *
 * @param partOf part of a file (path as in the source map), or undefined. A sample counts for the part of the nearest
 * function on the stack, so none counts twice
 */
export function timeByPart(
  { nodes, samples = [], timeDeltas = [] }: CpuProfile,
  partOf: (source: string) => string | undefined,
): ProfiledTime {
  const maps = new Map<string, SourceMap | undefined>();
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const known = new Map<number, string | undefined>();
  const partOfNode = (id: number): string | undefined => {
    if (known.has(id)) return known.get(id);
    const node = byId.get(id);
    const parent = parents.get(id);
    const own = node === undefined ? undefined : partOf(sourceOf(maps, node.callFrame));
    const part = own ?? (parent === undefined ? undefined : partOfNode(parent));
    known.set(id, part);
    return part;
  };
  const parts = new Map<string, number>();
  let [busy, idle] = [0, 0];
  for (const [place, id] of samples.entries()) {
    const time = timeDeltas[place] ?? 0;
    if (byId.get(id)?.callFrame.functionName === '(idle)') {
      idle += time;
      continue;
    }
    busy += time;
    const part = partOfNode(id);
    if (part !== undefined) parts.set(part, (parts.get(part) ?? 0) + time);
  }
  return { busy, idle, parts };
}

/** Source file of a function, by its bundle's source map if there is one. */
function sourceOf(
  maps: Map<string, SourceMap | undefined>,
  { url, lineNumber, columnNumber }: CpuProfile['nodes'][number]['callFrame'],
): string {
  if (!url.startsWith('file:')) return url;
  if (!maps.has(url)) maps.set(url, mapOf(fileURLToPath(url)));
  const entry = maps.get(url)?.findEntry(lineNumber, columnNumber);
  return entry !== undefined && 'originalSource' in entry && typeof entry.originalSource === 'string'
    ? entry.originalSource
    : url;
}

function mapOf(program: string): SourceMap | undefined {
  if (program.includes('/node_modules/') && !program.includes('/.cache/')) return undefined;
  return new SourceMap(
    JSON.parse(readFileSync(`${program}.map`, 'utf8')) as ConstructorParameters<typeof SourceMap>[0],
  );
}
