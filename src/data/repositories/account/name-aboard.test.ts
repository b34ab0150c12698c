import { expect, test } from 'vitest';
import { ReefError } from '../../../domain/errors';
import type { PersonId } from '../../../domain/ids';
import { LIMITS } from '../../../domain/limits';
import { ObservableValue, isJsonEqual } from '../../../base/observable';
import type { EdgeUser } from '../../../protocol/edge-socket';
import { ManualClock, quiet } from '../../../../tests/support/tablet/tablet';
import type { EdgeConnection } from '../../transport/edge/edge-link-keeper';
import type { LinkState } from '../../transport/link-keeper';
import { keepNameAboard } from './name-aboard';
import type { Person } from './person';

const UID = 'Person0000000001' as PersonId;

function personNamed(first: string): Person {
  return { uid: UID, name: { first, last: '' }, email: 'ben@example.org', org: null, pending: true };
}

/** Link to a box that replies to each request for a name when the test says so. */
function openLink(person: Person) {
  const requests: { readonly name: string; readonly settle: (error?: unknown) => Promise<void> }[] = [];
  const cell = new ObservableValue<Person | null>(person, isJsonEqual);
  const clock = new ManualClock();
  const state = new ObservableValue<LinkState>({ status: 'idle' }, isJsonEqual);
  const link = { current: undefined as EdgeConnection | undefined, state, holders: 0, acquire };
  function acquire(): () => void {
    link.holders += 1;
    return () => {
      link.holders -= 1;
    };
  }
  const connect = (first: string, change: Partial<EdgeUser> = {}): void => {
    const { name, uid, email } = personNamed(first);
    let user: EdgeUser = { uid, email, name, pending: true, ...change };
    link.current = {
      get user() {
        return user;
      },
      correctName: (corrected: EdgeUser['name']) =>
        new Promise<void>((resolve, reject) =>
          requests.push({
            name: corrected.first,
            settle: async (error) => {
              if (error === undefined) user = { ...user, name: corrected };
              if (error === undefined) resolve();
              else reject(error as Error);
              await quiet();
            },
          }),
        ),
    } as unknown as EdgeConnection;
    state.set({ status: 'connected', nodeId: 'Box0000000000001' });
  };
  const disconnect = (): void => {
    link.current = undefined;
    state.set({ status: 'idle' });
  };
  const notes: string[] = [];
  const log = { note: (level: string) => void notes.push(level) } as unknown as Parameters<
    typeof keepNameAboard
  >[0]['log'];
  const stop = keepNameAboard({ log, timers: clock }, link, cell);
  return {
    link,
    cell,
    clock,
    requests,
    connect,
    disconnect,
    notes,
    stop,
    names: () => requests.map(({ name }) => name),
  };
}

test('1§7 a name changed after the connection ended opens it again and is told to the box', async () => {
  const { link, cell, requests, connect, disconnect, names } = openLink(personNamed('Ben'));
  connect('Ben');
  disconnect();
  expect(link.holders).toBe(0);
  cell.set(personNamed('Benno'));
  expect(link.holders, 'held until the box has the name').toBe(1);
  connect('Ben');
  expect(names()).toEqual(['Benno']);
  await requests[0]!.settle();
  expect(link.holders).toBe(0);
  expect(names()).toEqual(['Benno']);
});

test('1§7 a name changed while an earlier one is under way is told after it', async () => {
  const { cell, requests, connect, names } = openLink(personNamed('Ben'));
  connect('Ben');
  cell.set(personNamed('Benno'));
  cell.set(personNamed('Benjamin'));
  expect(names()).toEqual(['Benno']);
  await requests[0]!.settle();
  expect(names()).toEqual(['Benno', 'Benjamin']);
  await requests[1]!.settle();
  cell.set(personNamed('Ben'));
  expect(names()).toEqual(['Benno', 'Benjamin', 'Ben']);
});

test('1§7 a name whose request was lost is told on the next connection, or later on the same one', async () => {
  const { link, cell, clock, requests, connect, disconnect, names, notes } = openLink(personNamed('Ben'));
  connect('Ben');
  cell.set(personNamed('Benno'));
  await requests[0]!.settle(new ReefError('disconnected'));
  expect([names(), link.holders, notes]).toEqual([['Benno'], 1, ['info']]);
  disconnect();
  connect('Ben');
  expect(names()).toEqual(['Benno', 'Benno']);
  await requests[1]!.settle(new ReefError('timeout'));
  await clock.advance(LIMITS.connectivityRetryMaxMs);
  expect(names()).toEqual(['Benno', 'Benno', 'Benno']);
  await requests[2]!.settle();
  expect(link.holders).toBe(0);
});

test('1§7 a name that the box refused is told again on the next connection alone', async () => {
  const { link, cell, clock, requests, connect, disconnect, names } = openLink(personNamed('Ben'));
  connect('Ben');
  cell.set(personNamed('Benno'));
  await requests[0]!.settle(new ReefError('forbidden'));
  await clock.advance(LIMITS.connectivityRetryMaxMs);
  expect([names(), link.holders]).toEqual([['Benno'], 0]);
  disconnect();
  connect('Ben');
  expect(names()).toEqual(['Benno', 'Benno']);
});

test.each([
  ['another person', { uid: 'Person0000000002' }],
  ['a person who signed in ashore', { pending: false }],
])('1§7 a box that knows %s is not told a name', (_whom, change) => {
  const { link, connect, names } = openLink(personNamed('Benno'));
  connect('Ben', change);
  expect([names(), link.holders]).toEqual([[], 0]);
});

test('1§7 a page that ends while a request is under way holds no connection and tells nothing more', async () => {
  const { link, cell, requests, connect, names, stop } = openLink(personNamed('Ben'));
  connect('Ben');
  cell.set(personNamed('Benno'));
  cell.set(personNamed('Benjamin'));
  stop();
  await requests[0]!.settle(new ReefError('disconnected'));
  expect([names(), link.holders]).toEqual([['Benno'], 0]);
});
