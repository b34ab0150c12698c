import { LocalSetting } from '../../../platform/local-settings';

export type Visitor = 'signed-in' | 'signed-out';

/** Visitor of the last visit, so that the next one begins with what it will show. */
export const lastVisitor = new LocalSetting<Visitor | 'unknown'>('report.visitor', (stored) =>
  stored === 'signed-in' || stored === 'signed-out' ? stored : 'unknown',
);
