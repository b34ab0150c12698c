import type { FastifyInstance } from 'fastify';
import QRCode from 'qrcode';
import type { EdgeContext } from '../context';
import { bridgeState } from './bridge';
import { escapeHtml, page } from './page';

/** `GET /edge/console`: what the crew needs to see of the box: the pairing code, tablets, what is aboard, the disk. */
export function consoleRoutes(app: FastifyInstance, context: EdgeContext): void {
  app.get('/edge/console', async (_request, reply) => reply.type('text/html; charset=utf-8').header('Cache-Control', 'no-store').send(await consolePage(context)));
}

async function consolePage(context: EdgeContext): Promise<string> {
  const { totals, owed, disk } = await context.queries.meta();
  const sessions = context.state.countSessions();
  const bridge = bridgeState(context);
  const rows: [string, string][] = [
    ['Surveys', String(totals.surveys)],
    ['Photographs', `${totals.images} (${gigabytes(totals.bytes)})`],
    ['Analyses', String(totals.analyses)],
    ['People', String(totals.people)],
    ['Not ashore yet', `${owed} records`],
    ['Disk', `${gigabytes(disk.free)} free of ${gigabytes(disk.size)}${disk.free < context.settings.minFreeBytes ? ' — nearly full: photographs are refused' : ''}`],
    ['Sessions', `${sessions.all}, ${sessions.people} with a person signed in`],
    ['Bridge', bridge.paused ? 'paused' : 'runs when there is a link'],
    ['Box', `${context.store.identity.nodeId}, store ${context.store.identity.storeEpoch}, version ${context.version}`],
  ];
  const devices = context.state.devices();
  return page(
    context.settings.name,
    `${await pairingSection(context)}
<h2>Aboard</h2>
<table><tbody>${rows.map(([what, value]) => `<tr><th scope="row">${what}</th><td>${escapeHtml(value)}</td></tr>`).join('')}</tbody></table>
<h2>Tablets (${devices.length})</h2>
<table><thead><tr><th scope="col">Name</th><th scope="col">Id</th><th scope="col">Paired</th><th scope="col">Last verified</th></tr></thead>
<tbody>${devices.map(({ name, id, pairedAt, seenAt }) => `<tr><td>${escapeHtml(name)}</td><td><code>${escapeHtml(id)}</code></td><td>${escapeHtml(pairedAt)}</td><td>${escapeHtml(seenAt)}</td></tr>`).join('')}</tbody></table>
<p><a href="/edge/trust">How a tablet comes to trust this box</a></p>`,
  );
}

async function pairingSection(context: EdgeContext): Promise<string> {
  if (context.pairing.mode === 'open') return '<h2>Pairing</h2><p>Open: a tablet needs no code.</p>';
  const code = context.pairing.code();
  return `<h2>Pairing code</h2><p class="code">${escapeHtml(code)}</p>
<figure>${await QRCode.toString(code, { type: 'svg', margin: 1, errorCorrectionLevel: 'M' })}<figcaption>The same code, to scan.</figcaption></figure>`;
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(bytes < 1e10 ? 2 : 0)} GB`;
}
