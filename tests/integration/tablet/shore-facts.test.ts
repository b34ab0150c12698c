import { afterAll, beforeAll, expect, test } from 'vitest';
import { LIMITS } from '../../../src/domain/limits';
import { startCloud, type TestCloud } from '../../support/servers/cloud';
import { codeIn, outboxMails } from '../../support/servers/mail';
import { survey, tablet, type RealTablet } from '../../support/tablet/real-scene';
import { nodeHost, until } from '../../support/tablet/tablet';

let shore: TestCloud;
beforeAll(async () => {
  shore = await startCloud();
});
afterAll(() => shore.close());

async function signIn({ repositories: { account } }: RealTablet, email: string): Promise<void> {
  await account.signIn.pinCloud(shore.url);
  await account.signIn.sendCode(email);
  await account.signIn.withCode(email, codeIn(outboxMails(shore.outbox), email));
}

test('3§9 a shore that takes long to answer is shown as slow until its answer arrives', async () => {
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
  const { custody } = one.repositories;
  await signIn(one, 'ana@example.org');
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
  // Another request may be slow by itself on a busy machine, until its own answer.
  await until(() => !facts.get().slow, 'the shore is no longer slow');
});

test('1§3 the profile of a person who is new on a tablet names the host of its app, also ashore', async () => {
  const one = await tablet({ servedBy: 'https://box.lan:4100' });
  const { uid } = await one.repositories.account.people.createPending({
    name: { first: 'Ben', last: '' },
    email: 'ben@example.org',
  });
  await signIn(one, 'ben@example.org');
  const stored = await until(() => shore.cloud.context.store.document('profile', uid), 'the profile ashore');
  expect(stored.folded.doc).toMatchObject({ hostname: 'box.lan', name: { first: 'Ben' } });
});
