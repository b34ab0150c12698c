/**
 * System call of a trace. `start` and `end` are positions in the tracer's one order of events: the call may have taken
 * effect anywhere between them. `end` is undefined for a call that never returned (its process was killed).
 */
export interface TracedCall {
  readonly pid: number;
  readonly name: string;
  readonly args: readonly string[];
  readonly start: number;
  readonly end: number | undefined;
  /** Return value; negative for an error, undefined if it never returned. */
  readonly result: number | undefined;
  /** Rest of the result after the number: a descriptor's path, an error's name. */
  readonly resultNote: string;
}

/** Calls of a trace without strace's own lines (exits, signals). */
export function parseTrace(text: string): TracedCall[] {
  const calls: TracedCall[] = [];
  const open = new Map<number, { name: string; args: string; start: number; place: number }>();
  let event = 0;
  let from = 0;
  while (from < text.length) {
    const newline = text.indexOf('\n', from);
    // An unterminated last line was being written when the tracer died: nothing of it is known.
    if (newline < 0) break;
    const line = text.slice(from, newline);
    from = newline + 1;
    const space = line.indexOf(' ');
    const pid = Number(line.slice(0, space));
    const rest = line.slice(space).trimStart();
    if (!Number.isInteger(pid)) throw new Error(`The trace holds a line that is not understood: ${line.slice(0, 120)}`);
    if (rest.startsWith('+++') || rest.startsWith('---')) continue;
    event++;
    const resumed = /^<\.\.\. (\w+) resumed>/.exec(rest);
    if (resumed !== null) {
      const begun = open.get(pid);
      if (begun === undefined || begun.name !== resumed[1])
        throw new Error(`The trace resumes a call that never began: ${line.slice(0, 120)}`);
      open.delete(pid);
      calls[begun.place] = finish(pid, begun.name, begun.args + rest.slice(resumed[0].length), begun.start, event);
      continue;
    }
    const paren = rest.indexOf('(');
    if (paren < 1) throw new Error(`The trace holds a line that is not understood: ${line.slice(0, 120)}`);
    const name = rest.slice(0, paren);
    const body = rest.slice(paren + 1);
    const unfinished = body.endsWith(' <unfinished ...>') ? body.slice(0, -' <unfinished ...>'.length) : undefined;
    if (unfinished !== undefined) {
      open.set(pid, { name, args: unfinished, start: event, place: calls.length });
      calls.push({
        pid,
        name,
        args: splitArgs(unfinished),
        start: event,
        end: undefined,
        result: undefined,
        resultNote: '',
      });
    } else {
      // A single line: the tracer saw nothing else between its start and its return, which still are two events.
      const start = event++;
      calls.push(finish(pid, name, body, start, event));
    }
  }
  return calls;
}

function finish(pid: number, name: string, body: string, start: number, event: number): TracedCall {
  const equals = body.lastIndexOf(') = ');
  const aligned = equals >= 0 ? equals : body.search(/\)\s+= [^=]*$/);
  if (aligned < 0) throw new Error(`The trace holds a call without a result: ${name}(${body.slice(0, 120)}`);
  const after = body.slice(body.indexOf('= ', aligned) + 2);
  const number = /^(-?\d+|0x[0-9a-f]+)/.exec(after)?.[0];
  const base = { pid, name, args: splitArgs(body.slice(0, aligned)), start };
  if (number === undefined) return { ...base, end: undefined, result: undefined, resultNote: after };
  return { ...base, end: event, result: Number(number), resultNote: after.slice(number.length) };
}

/** Splits at the commas outside brackets; strings are in hex and contain none. */
function splitArgs(text: string): string[] {
  const args: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === 0x22) {
      at = text.indexOf('"', at + 1);
      if (at < 0) break;
    } else if (char === 0x5b || char === 0x7b) depth++;
    else if (char === 0x5d || char === 0x7d) depth--;
    else if (char === 0x2c && depth === 0) {
      args.push(text.slice(from, at).trim());
      from = at + 1;
    }
  }
  const last = text.slice(from).trim();
  if (last !== '') args.push(last);
  return args;
}

/** Bytes of a string argument. @throws Error if strace could not read it or shortened it */
export function bytesOf(arg: string): Buffer {
  if (!arg.startsWith('"') || !arg.endsWith('"'))
    throw new Error(`The trace does not hold all bytes of an argument: ${arg.slice(-40)}`);
  return Buffer.from(arg.slice(1, -1).replaceAll('\\x', ''), 'hex');
}

export function textOf(arg: string): string {
  return bytesOf(arg).toString('utf8');
}

/** Descriptor argument: `18<path>`, `AT_FDCWD<path>`. The path is the kernel's at the time of the call. */
export function descriptorOf(arg: string): { fd: number | 'cwd'; path: string | undefined } {
  const match = /^(AT_FDCWD|-?\d+)(?:<((?:\\x[0-9a-f]{2})*)>.*)?$/.exec(arg);
  if (match === null) throw new Error(`The trace holds a descriptor that is not understood: ${arg.slice(0, 120)}`);
  const hex = match[2];
  const path = hex === undefined ? undefined : Buffer.from(hex.replaceAll('\\x', ''), 'hex').toString('utf8');
  return { fd: match[1] === 'AT_FDCWD' ? 'cwd' : Number(match[1]), path };
}

/** Parts of an array of buffers, `[{iov_base="…", iov_len=3}, …]`, concatenated. */
export function vectorOf(arg: string): Buffer {
  const parts = [...arg.matchAll(/iov_base=("[^"]*"(?:\.\.\.)?|[^,]*), iov_len=(\d+)/g)];
  return Buffer.concat(parts.map(([, base, length]) => (length === '0' ? Buffer.alloc(0) : bytesOf(base ?? ''))));
}
