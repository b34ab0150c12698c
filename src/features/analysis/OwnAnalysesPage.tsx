import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AnalysisView, Repositories } from '../../data/repositories';
import { Button } from '../../ui/controls/Button';
import { Note } from '../../ui/feedback/Note';
import { openSignIn } from '../auth';
import { BackLink, PageHeader, useObservable } from '../shell';
import { ConnectionFacts } from '../sync-status';
import { AnalysisList } from './lists/AnalysisList';
import styles from './lists/lists.module.css';
import { useRoles } from './access/use-roles';

interface Props {
  readonly repositories: Pick<Repositories, 'analyses' | 'edge' | 'people'>;
}

/** Analyses of the current user (2§6: they "edit previous analyses from the dashboard"). */
export function OwnAnalysesPage({ repositories }: Props) {
  const { analyses, edge, people } = repositories;
  const uid = useObservable(people.current)?.uid ?? null;
  const isExpert = useRoles(analyses, uid)?.isExpert ?? false;
  const { items, status } = useObservable(analyses.mine);
  return (
    <>
      <PageHeader
        title="Your analyses"
        sub="Each can be opened again and changed."
        back={<BackLink to="/analysis" name="Back to Analyse" />}
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
              <Link to="/analysis">Trace a photograph</Link>, and it stands here from then on, with a link or without.
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
              linkTo={(analysis, content) => linkTo(analysis, isExpert, content)}
            />
          </>
        )}
      </main>
    </>
  );
}

/** Links to the screen in which the analysis opens. */
function linkTo({ isForm, version, survey, imageId }: AnalysisView, isExpert: boolean, content: ReactNode): ReactNode {
  const params = { survey: survey.id, id: imageId };
  if (isExpert && isForm)
    return (
      <Link to="/analysis/expert/$survey/$id" params={params}>
        {content}
      </Link>
    );
  if (isExpert && version === 1)
    return (
      <Link to="/analysis/expert-image/$survey/$id" params={params} search={{ v: 1 }}>
        {content}
      </Link>
    );
  return (
    <Link to="/analysis/$survey/$id" params={params}>
      {content}
    </Link>
  );
}
