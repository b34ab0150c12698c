import { Link } from '@tanstack/react-router';
import { pluralize } from '../../base/plural';
import type { Repositories } from '../../data/repositories';
import { Button } from '../../ui/controls/Button';
import { Note } from '../../ui/feedback/Note';
import { REPORTING_MESSAGES } from '../../domain/messages';
import { openSignIn } from '../auth';
import { BackLink, PageHeader, useObservable } from '../shell';
import { ConnectionFacts } from '../sync-status';
import { analysisLink, savedWorkOf } from './lists/analysis-link';
import { AnalysisList } from './lists/AnalysisList';
import styles from './lists/lists.module.css';
import { useAnalyst } from './access/use-analyst';

interface Props {
  readonly repositories: Pick<Repositories, 'census' | 'edge' | 'account'>;
}

/** Analyses of the current user (2§6: they "edit previous analyses from the dashboard"). */
export function OwnAnalysesPage({ repositories }: Props) {
  const { analyses, uid, roles } = useAnalyst(repositories);
  const isExpert = roles?.isExpert ?? false;
  const { items, status } = useObservable(analyses.mine);
  const isAboard = useObservable(repositories.edge.link.connectivity).answering === 'edge';
  return (
    <>
      <PageHeader
        title="Your analyses"
        sub="Open any analysis to change it."
        back={<BackLink to="/analysis" name="Back to Analyse" />}
        facts={<ConnectionFacts edge={repositories.edge} />}
      />
      <main className={styles.page}>
        {isAboard && (
          <Note icon="info" title={REPORTING_MESSAGES.dashboardAtEdge} role="status">
            What you analysed on this tablet is here, and opens without a connection.
          </Note>
        )}
        {uid === null ? (
          <Note
            tone="wait"
            icon="person"
            title="No one is using this tablet"
            role="status"
            action={<Button onPress={openSignIn}>Sign in</Button>}
          >
            Sign in or enter your name to see your analyses here.
          </Note>
        ) : status === 'error' ? (
          <Note tone="look" icon="alert" title="Your analyses could not be read" role="status">
            Everything saved is still on this tablet. Open this page again.
          </Note>
        ) : items.length === 0 ? (
          status === 'ready' ? (
            <Note icon="pen" title="No analyses yet">
              <Link to="/analysis">Label or trace a photograph</Link>, and it appears here, with or without a
              connection.
            </Note>
          ) : (
            <p role="status">Loading your analyses.</p>
          )
        ) : (
          <>
            <p className={styles.total}>
              <b>{items.length.toLocaleString('en')}</b>
              <span>{pluralize(items.length, 'photograph analysed', 'photographs analysed')}</span>
            </p>
            <AnalysisList
              items={items}
              name="Your analyses"
              by={() => 'by you'}
              linkTo={(analysis, content) => <Link {...analysisLink(savedWorkOf(analysis), isExpert)}>{content}</Link>}
            />
          </>
        )}
      </main>
    </>
  );
}
