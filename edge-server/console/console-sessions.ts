import { formatAge } from '../../src/domain/position/format-position';
import { html, type Html, type HtmlValue } from '../../src/server/pages/html';
import { table } from '../../src/server/pages/page-parts';
import type { EdgeContext } from '../context';
import { listSessions, sessionId } from '../sign-in/end-access';
import type { SessionEnd } from '../sign-in/session-ends';
import { csrfToken } from './console-forms';

const END_LABELS: Readonly<Record<SessionEnd, string>> = {
  unpaired: 'unpaired: only sends',
  ended: 'ended: only sends',
  unused: 'unused for 60 days: only sends',
  revoked: 'revoked ashore: only sends',
};

/** Sessions of the tablets, each with the buttons that end its access. */
export function sessionsSection(context: EdgeContext): Html {
  const listed = listSessions(context, null);
  if (listed.length === 0) return html`<p class="small">No tablet has access yet.</p>`;
  const names = new Map(context.state.devices().map(({ id, name }) => [id, name]));
  const now = context.clock();
  const rows = listed.map((session): HtmlValue[] => {
    const tablet = names.get(session.deviceId) ?? 'Without a name';
    const { person, ended } = session;
    return [
      html`<b>${tablet}</b>${person === null ? '' : html`<br><span class="small">${`${person.name.first} ${person.name.last}`.trim()}</span>`}`,
      `${formatAge(Math.max(0, now - Date.parse(session.usedAt)))} ago`,
      ended === undefined
        ? html`<form method="post" action="/edge/console" class="actions"><input type="hidden" name="form" value="${csrfToken(context)}"><input type="hidden" name="id" value="${sessionId(session)}"><button class="button line" name="action" value="end" aria-label="End this access of ${tablet}">End</button><button class="button line" name="action" value="unpair" aria-label="Unpair ${tablet}">Unpair</button></form>`
        : END_LABELS[ended],
    ];
  });
  return html`${table('sessions', [{ head: 'Tablet' }, { head: 'Last used', kind: 'short' }, { head: 'Access' }], rows)}
<p class="small">Lost a tablet? Unpair it: it can still send what it holds, sees nothing, and the pairing code changes. End stops one sign-in alone.</p>`;
}
