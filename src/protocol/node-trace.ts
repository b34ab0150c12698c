/** Node trace: the answering server and, for a nonce, the id of its signing key. */
interface NodeTraceFacts {
  readonly network: 'edge' | 'www';
  readonly node: string;
  readonly storeEpoch: string;
  /** ISO 8601 UTC. */
  readonly time: string;
  readonly nonce?: string;
  readonly kid?: string;
}

/** Parsed node trace; `signedText` and `sig` are present if signed. */
export interface NodeTrace extends NodeTraceFacts {
  readonly sig?: string;
  readonly signedText?: string;
}

const LINE_ORDER = ['network', 'node', 'storeEpoch', 'time', 'nonce', 'kid'] as const;

/** Lines of a node trace, joined by newlines: the text that its last line, `sig`, signs (protocol, Edge HTTP). */
export function formatNodeTrace(facts: NodeTraceFacts): string {
  return LINE_ORDER.flatMap((key) => (facts[key] === undefined ? [] : [`${key}=${facts[key]}`])).join('\n');
}

/** Parses a node trace; undefined for other text (a captive portal's page). The caller checks signature and nonce. */
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
