import type { ComponentProps, ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { PersonRoles } from '../../../data/repositories';
import type { AnalysePage } from '../AnalysePage';
import type { TracePage } from '../TracePage';

const VOLUNTEER: PersonRoles = { isExpert: false, isVerified: true, isAdmin: true };
const EXPERT: PersonRoles = { isExpert: true, isVerified: false, isAdmin: false };

let roles: PersonRoles | null;
// Renders pages once, with the roles already read; no effect runs.
vi.mock('./use-roles', () => ({ useRoles: () => roles }));
vi.mock('@tanstack/react-router', () => ({
  Link: ({ children }: { readonly children: ReactNode }) => children,
  linkOptions: <Options,>(options: Options) => options,
  useNavigate: () => () => undefined,
}));
vi.mock('../lists/OwnPhotographs', () => ({ OwnPhotographs: () => null }));
vi.mock('../trace/Tracing', () => ({ Tracing: () => null }));
vi.mock('../../auth', () => ({ openSignIn: () => undefined }));
vi.mock('../../sync-status', () => ({ ConnectionFacts: () => null }));
vi.mock('../../shell', () => ({
  useObservable: <Value,>({ get }: { readonly get: () => Value }) => get(),
  useLive: <Value,>({ get }: { readonly get: () => Value }) => get(),
  useRegion: () => 'gbr',
  useTitle: () => undefined,
  PageHeader: () => null,
}));

const repositories = {
  account: { people: { current: { get: () => ({ uid: 'PersonOfTheTests' }) } } },
  census: { analyses: { unfinished: { get: () => ({ status: 'ready', items: [] }) } } },
  edge: {},
} as unknown;

async function pages(season: string): Promise<{ readonly analyse: () => string; readonly trace: () => string }> {
  vi.stubEnv('VITE_ANALYSIS_SEASON', season);
  vi.resetModules();
  const [{ AnalysePage: Analyse }, { TracePage: Trace }] = await Promise.all([
    import('../AnalysePage'),
    import('../TracePage'),
  ]);
  const ways = { onStart: vi.fn() };
  return {
    analyse: () =>
      renderToStaticMarkup(
        <Analyse {...({ repositories, ...ways } as unknown as ComponentProps<typeof AnalysePage>)} />,
      ),
    trace: () =>
      renderToStaticMarkup(
        <Trace
          {...({ repositories, surveyId: 's', imageId: 'i', onGo: vi.fn() } as unknown as ComponentProps<
            typeof TracePage
          >)}
        />,
      ),
  };
}

const NOTICE = /closed for this season\. Mark your calendar for February.*Sign up to be notified/s;

beforeEach(() => {
  roles = null;
});
afterEach(() => vi.unstubAllEnvs());

describe('2§2, 2§6 "when the analysis season is closed (an environment flag, which experts bypass)"', () => {
  test('closed: non-experts see the notice on both pages and cannot start', async () => {
    const { analyse, trace } = await pages('closed');
    roles = VOLUNTEER;
    expect(analyse()).toMatch(NOTICE);
    expect(analyse()).not.toMatch(/Label outlines|Trace by hand/);
    expect(trace()).toMatch(NOTICE);
    expect(trace()).toContain('Back to Analyse');
  });

  test('closed: experts continue, and no one is redirected before roles are known', async () => {
    const { analyse, trace } = await pages('closed');
    for (roles of [EXPERT, null]) {
      expect(analyse()).not.toMatch(NOTICE);
      expect(analyse()).toMatch(/Label outlines.*Trace by hand/s);
      expect(trace()).not.toMatch(NOTICE);
      expect(trace()).toContain('Opening the photograph');
    }
  });

  test.each(['', 'open'])('a build whose flag is "%s" is open to all', async (season) => {
    const { analyse, trace } = await pages(season);
    roles = VOLUNTEER;
    expect(analyse()).toContain('Trace by hand');
    expect(trace()).toContain('Opening the photograph');
  });
});
