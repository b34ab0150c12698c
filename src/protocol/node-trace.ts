/** What a trace says: which server answers, and (for a nonce) with which key it signs that. */
export interface NodeTraceFacts {
  readonly network: 'edge' | 'www';
  readonly node: string;
  readonly storeEpoch: string;
  /** ISO 8601 UTC. */
  readonly time: string;
  readonly nonce?: string;
  readonly kid?: string;
}

/** A trace as it was read; `signedText` and `sig` are there when it is signed. */
export interface NodeTrace extends NodeTraceFacts {
  readonly sig?: string;
  readonly signedText?: string;
}

const LINE_ORDER = ['network', 'node', 'storeEpoch', 'time', 'nonce', 'kid'] as const;

/** The lines of a trace, joined by newlines: the text that its `sig` line, which comes last, signs (protocol, Edge HTTP). */
export function formatNodeTrace(facts: NodeTraceFacts): string {
  return LINE_ORDER.flatMap((key) => (facts[key] === undefined ? [] : [`${key}=${facts[key]}`])).join('\n');
}

/**
 * Reads a trace; undefined when the text is none (a captive portal's page). Whether its signature holds and its nonce is
 * the one that was sent is for the caller to check.
 */
export function parseNodeTrace(text: string): NodeTrace | undefined {
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/);
  const members = new Map<string, string>();
  for (const line of lines) {
    const at = line.indexOf('=');
    if (at < 1 || members.has(line.slice(0, at))) return undefined;
    members.set(line.slice(0, at), line.slice(at + 1));
  }
  const network = members.get('network');
  const [node, storeEpoch, time] = [members.get('node'), members.get('storeEpoch'), members.get('time')];
  if ((network !== 'edge' && network !== 'www') || node === undefined || storeEpoch === undefined || time === undefined)
    return undefined;
  const [nonce, kid, sig] = [members.get('nonce'), members.get('kid'), members.get('sig')];
  const signedAt = lines.findIndex((line) => line.startsWith('sig='));
  return {
    network,
    node,
    storeEpoch,
    time,
    ...(nonce === undefined ? {} : { nonce }),
    ...(kid === undefined ? {} : { kid }),
    ...(sig === undefined ? {} : { sig, signedText: lines.slice(0, signedAt).join('\n') }),
  };
}
