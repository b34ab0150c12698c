import { randomBytes } from 'node:crypto';
import path from 'node:path';
import nodemailer from 'nodemailer';
import type { Logger } from 'pino';
import { ReefError } from '../../../../src/domain/errors';
import { makeFolder, realDisk, writeFileDurably } from '../../../../src/server/files/disk';
import type { Disk } from '../../../../src/server/files/disk';

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface Mailer {
  /**
   * Sends a mail through the mail server or to the outbox folder. Resolves when the server accepted it or the file is
   * on disk.
   *
   * @param timeoutMs maximum wait
   * @throws ReefError `timeout`, or `internal` if the server refused it
   */
  send(mail: Mail, timeoutMs: number): Promise<void>;
  close(): void;
}

interface MailOptions {
  /** SMTP server; null for the outbox. */
  readonly smtpUrl: string | null;
  readonly from: string;
  readonly outbox: string;
  readonly log: Logger;
  readonly clock: () => number;
  readonly disk?: Disk;
}

/** Opens the configured mailer: SMTP, or files `REEF_HOME/outbox/*.eml` that any mail client opens. */
export function openMailer(options: MailOptions): Mailer {
  return options.smtpUrl === null ? outboxMailer(options) : smtpMailer(options.smtpUrl, options);
}

function messageOf({ to, ...mail }: Mail, from: string, clock: () => number) {
  // Objects are never parsed as address lists.
  return {
    ...mail,
    from,
    to: { name: '', address: to },
    date: new Date(clock()),
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function smtpMailer(url: string, { from, log, clock }: MailOptions): Mailer {
  const transport = nodemailer.createTransport({
    url,
    pool: true,
    maxConnections: 4,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 30_000,
  });
  return {
    async send(mail, timeoutMs) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_resolve, reject) => {
        timer = setTimeout(
          () => reject(new ReefError('timeout', { message: 'The mail could not be sent in time. Please try again.' })),
          timeoutMs,
        );
      });
      try {
        await Promise.race([transport.sendMail(messageOf(mail, from, clock)), late]);
      } catch (error) {
        log.error({ err: error }, 'a mail was not sent');
        if (error instanceof ReefError) throw error;
        throw new ReefError('internal', { message: 'The mail could not be sent. Please try again.', cause: error });
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => transport.close(),
  };
}

function outboxMailer({ from, outbox, log, clock, disk = realDisk }: MailOptions): Mailer {
  const composer = nodemailer.createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  return {
    async send(mail) {
      const { message } = await composer.sendMail(messageOf(mail, from, clock));
      // Names sort by time; the random part separates processes.
      const name = `${new Date(clock()).toISOString().replace(/[:.]/g, '-')}-${randomBytes(6).toString('hex')}.eml`;
      await makeFolder(disk, outbox);
      await writeFileDurably(disk, path.join(outbox, name), message.toString(), 0o600);
      log.info({ file: name, subject: mail.subject }, 'no mail server is set (SMTP_URL); the mail is in the outbox');
    },
    close: () => composer.close(),
  };
}
