import type { ReactNode } from 'react';
import type { AnalysisView, Repositories } from '../../data/repositories';
import { Button } from '../../ui/controls/Button';
import { Note } from '../../ui/feedback/Note';
import { openSignIn } from '../auth';
import { PageHeader, useObservable } from '../shell';
import { ConnectionFacts } from '../sync-status';
import { AnalysisList } from './lists/AnalysisList';
import styles from './lists/lists.module.css';
import { useRoles } from './access/use-roles';

/** Screen in which an analysis opens. */
export type AnalysisPlace = 'form' | 'version-1' | 'trace';

interface Props {
  readonly repositories: Pick<Repositories, 'analyses' | 'edge' | 'people'>;
  readonly back: ReactNode;
  readonly linkTo: (place: AnalysisPlace, analysis: AnalysisView, content: ReactNode) => ReactNode;
  readonly toAnalyse: (words: string) => ReactNode;
}

/** Analyses of the current user (2§6: they "edit previous analyses from the dashboard"). */
export function OwnAnalysesPage({ repositories, back, linkTo, toAnalyse }: Props) {
  const { analyses, edge, people } = repositories;
  const uid = useObservable(people.current)?.uid ?? null;
  const isExpert = useRoles(analyses, uid)?.isExpert ?? false;
  const { items, status } = useObservable(analyses.mine);
  return (
    <>
      <PageHeader
        title="Your analyses"
        sub="Each can be opened again and changed."
        back={back}
        facts={<ConnectionFacts edge={edge} />}
      />
      <main className={styles.page}>
        {uid === null ? (
          <Note
            tone="wait"
            icon="person"
            title="Nobody is at the tablet"
            role="status"
            action={<Button onPress={openSignIn}>Sign in</Button>}
          >
            Sign in, or say who you are, and what you have analysed stands here.
          </Note>
        ) : status === 'error' ? (
          <Note tone="look" icon="alert" title="Your analyses could not be read just now" role="status">
            What you saved is still on this tablet. Open this page again.
          </Note>
        ) : items.length === 0 ? (
          status === 'ready' ? (
            <Note icon="pen" title="No analyses yet">
              {toAnalyse('Trace a photograph')}, and it stands here from then on, with a link or without.
            </Note>
          ) : (
            <p role="status">Reading what you have analysed.</p>
          )
        ) : (
          <>
            <p className={styles.total}>
              <b>{items.length.toLocaleString('en')}</b>
              <span>{items.length === 1 ? 'photograph analysed' : 'photographs analysed'}</span>
            </p>
            <AnalysisList
              items={items}
              name="Your analyses"
              linkTo={(analysis, content) => linkTo(placeOf(analysis, isExpert), analysis, content)}
            />
          </>
        )}
      </main>
    </>
  );
}

function placeOf({ isForm, version }: AnalysisView, isExpert: boolean): AnalysisPlace {
  if (!isExpert) return 'trace';
  return isForm ? 'form' : version === 1 ? 'version-1' : 'trace';
}
