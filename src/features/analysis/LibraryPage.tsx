import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Repositories } from '../../data/repositories';
import type { SurveyId } from '../../domain/ids';
import { Note } from '../../ui/feedback/Note';
import { BackLink, PageHeader, useObservable } from '../shell';
import { ConnectionFacts } from '../sync-status';
import { analysisLink, savedWorkOf } from './lists/analysis-link';
import { AnalysisList } from './lists/AnalysisList';
import styles from './lists/lists.module.css';
import { useAnalyst } from './access/use-analyst';

interface Props {
  readonly repositories: Pick<Repositories, 'census' | 'edge' | 'account'>;
  readonly surveyId: SurveyId;
}

/** Analyses of a survey's photographs that are on this tablet, for verified people and admins (2§2). */
export function LibraryPage({ repositories, surveyId }: Props) {
  const { analyses, roles } = useAnalyst(repositories);
  const { items, status } = useObservable(useMemo(() => analyses.ofSurvey(surveyId), [analyses, surveyId]));
  const name = items.find(({ survey }) => survey.name !== '')?.survey.name;
  const mayView = roles !== null && (roles.isVerified || roles.isAdmin);
  return (
    <>
      <PageHeader
        title="Library"
        sub={name === undefined ? 'Analyses of this survey on this tablet.' : `Analyses of ${name} on this tablet.`}
        back={<BackLink to="/analysis" name="Back to Analyse" />}
        facts={<ConnectionFacts edge={repositories.edge} />}
      />
      <main className={styles.page}>
        {roles === null ? null : !mayView ? (
          <Note icon="lock" title="The library is for verified people and admins" role="status">
            This account has no access to it yet. Your own analyses are on your dashboard.
          </Note>
        ) : status === 'error' ? (
          <Note tone="look" icon="alert" title="The analyses could not be read" role="status">
            Everything saved is still on this tablet. Open this page again.
          </Note>
        ) : items.length === 0 ? (
          status === 'ready' ? (
            <Note icon="photos" title="No analyses of this survey on this tablet">
              Your analyses appear here once you save them. If you take part in the survey, those of others arrive when
              there is a connection.
            </Note>
          ) : (
            <p role="status">Loading the analyses of this survey.</p>
          )
        ) : (
          <AnalysisList
            items={items}
            name="Analyses of this survey"
            by={({ author, isOwn }) => (isOwn ? 'by you' : author === null ? null : `by ${author}`)}
            linkTo={(analysis, content) => (
              <Link {...analysisLink(savedWorkOf(analysis), roles.isExpert)}>{content}</Link>
            )}
          />
        )}
      </main>
    </>
  );
}
