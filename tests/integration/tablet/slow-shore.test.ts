import { expect, test } from 'vitest';
import { LIMITS } from '../../../src/domain/limits';
import { startCloud } from '../../support/servers/cloud';
import { codeIn, outboxMails } from '../../support/servers/mail';
import { closers } from '../../support/tablet/closers';
import { survey, tablet } from '../../support/tablet/real-scene';
import { nodeHost, until } from '../../support/tablet/tablet';

test('1§9 a shore that takes long to answer is shown as slow until its answer arrives', async () => {
  const shore = await startCloud();
  closers.push(() => shore.close());
  const { clock, timers } = nodeHost();
  // Timers of the slow threshold, which elapse when the test says so.
  const thresholds = new Set<() => void>();
  let release: (() => void) | undefined;
  let isHeld = false;
  const one = await tablet({
    clock: {
      ...clock,
      after: (ms, call) => {
        const cancelTimer = timers.after(ms, call);
        if (ms === LIMITS.slowConnectionMs) thresholds.add(call);
        return () => {
          thresholds.delete(call);
          cancelTimer();
        };
      },
    },
    fetch: async (url, init) => {
      const answer = await fetch(url, init);
      if (isHeld && String(url).endsWith('/api/ops'))
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      return answer;
    },
  });
  const { account, custody } = one.repositories;
  await account.signIn.pinCloud(shore.url);
  await account.signIn.sendCode('ana@example.org');
  await account.signIn.withCode('ana@example.org', codeIn(outboxMails(shore.outbox), 'ana@example.org'));
  await until(() => custody.sending.facts.get().state === 'done', 'nothing owed');
  const { facts } = one.context.connectivity;
  expect(facts.get()).toMatchObject({ answering: 'www', slow: false });

  isHeld = true;
  await survey(one);
  const answer = await until(() => release, 'the request');
  for (const elapsed of thresholds) elapsed();
  expect(facts.get().slow).toBe(true);
  isHeld = false;
  answer();
  await until(() => custody.sending.facts.get().state === 'done', 'sent');
  expect(facts.get().slow).toBe(false);
});
