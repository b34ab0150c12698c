/** Mail in tests: the outbox folder, and a mail server in this process. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { SMTPServer } from 'smtp-server';

/** Received mail. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  /** Whole message, decoded as far as our own mails are encoded. */
  readonly text: string;
}

/** Decodes quoted-printable. */
function decoded(raw: string): string {
  const bytes = raw
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

export function readMail(raw: Buffer): Mail {
  const text = decoded(raw.toString('latin1'));
  return { to: /^To: (.*?)\r?$/m.exec(text)?.[1] ?? '', subject: /^Subject: (.*?)\r?$/m.exec(text)?.[1] ?? '', text };
}

/** Mails of an outbox folder, oldest first. */
export function outboxMails(folder: string): Mail[] {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.eml')) : [];
  return names.sort().map((name) => readMail(readFileSync(path.join(folder, name))));
}

/** Outbox folder as a live list of its mails. */
export const outboxOf = (folder: string): Pick<MailServer, 'mails'> => ({
  get mails() {
    return outboxMails(folder);
  },
});

/** Code in the latest mail to an address that has one; notices may come after it. */
export function codeIn(mails: readonly Mail[], to: string): string {
  const codes = mails.flatMap((mail) =>
    mail.to === to ? (/Your code: (\d{3}(?: \d{3})+)/.exec(mail.text)?.[1] ?? []) : [],
  );
  const code = codes.at(-1);
  if (code === undefined) throw new Error(`no mail with a code to ${to} among ${mails.length}`);
  return code.replaceAll(' ', '');
}

/** Sign-in link in the latest mail to an address. */
export function linkIn(mails: readonly Mail[], to: string): string {
  const mail = mails.filter((one) => one.to === to).at(-1);
  const [link] = /https?:\/\/\S+\/sign-in#\S+/.exec(mail?.text ?? '') ?? [];
  if (link === undefined) throw new Error(`no link in the latest of ${mails.length} mails to ${to}`);
  return link;
}

/** Mail server on loopback. */
export interface MailServer {
  readonly url: string;
  readonly mails: readonly Mail[];
  /** Sets its answer to mails from now on: accept, refuse, or stay silent. */
  behave(how: 'take' | 'refuse' | 'silence'): void;
  close(): Promise<void>;
}

export async function startMailServer(): Promise<MailServer> {
  const mails: Mail[] = [];
  let how: 'take' | 'refuse' | 'silence' = 'take';
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _session, done) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        if (how === 'silence') return;
        if (how === 'refuse') return done(new Error('no'));
        mails.push(readMail(Buffer.concat(parts)));
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    behave: (next) => (how = next),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
