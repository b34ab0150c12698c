import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { formatCount } from '../../../base/plural';
import type { ConflictView, Repositories } from '../../../data/repositories';
import type { OpKind } from '../../../domain/op/op';
import { Note } from '../../../ui/feedback/Note';
import { BackLink, PageFooter, PageHeader, useObservable } from '../../shell';
import { Conflict } from './Conflict';
import styles from './ConflictsPage.module.css';

interface Props {
  readonly repositories: Pick<Repositories, 'census' | 'account' | 'edge'>;
}

const KIND_LABELS: Readonly<Record<OpKind, string>> = {
  profile: 'A person',
  survey: 'Survey',
  image: 'Photograph',
  analysis: 'Analysis',
};

/** All conflicts on this tablet, to settle. */
export function ConflictsPage({ repositories }: Props) {
  const { conflicts } = repositories.census;
  const { people } = repositories.account;
  const read = useObservable(conflicts.all);
  const me = useObservable(people.current)?.uid ?? null;
  const names = new Map(useObservable(conflicts.names).items.map(({ uid, name }) => [uid, name]));
  const open = read.items.length;
  return (
    <>
      <PageHeader
        title="Conflicting edits"
        back={<BackLink to="/surveys" name="Back to the surveys" />}
        sub={
          open === 0
            ? read.status === 'ready'
              ? 'Nothing to resolve.'
              : 'Loading from this tablet.'
            : `${formatCount(open, 'value')} to resolve. Nothing is lost.`
        }
      />
      <main className={styles.page}>
        {read.status === 'error' && (
          <Note tone="look" icon="alert" title="The conflicts could not be read" role="status">
            {read.error.message} Everything saved is still on this tablet.
          </Note>
        )}
        {open === 0 && read.status === 'ready' && (
          <Note icon="check" title="No conflicting edits">
            If two people edit the same field on two tablets, both values are saved and shown here.
          </Note>
        )}
        {read.items.map((conflict) => (
          <Conflict
            key={`${conflict.kind}/${conflict.docId}/${conflict.field}`}
            conflict={conflict}
            me={me}
            names={names}
            about={aboutText(conflict)}
            onSettle={(value) => conflicts.resolve(conflict, value)}
          />
        ))}
        {read.status !== 'stale' && <PageFooter repositories={repositories} />}
      </main>
    </>
  );
}

function aboutText({ kind, about: { name, surveyId } }: ConflictView): ReactNode {
  const words = name === '' ? KIND_LABELS[kind] : `${KIND_LABELS[kind]} ${name}`;
  return surveyId === null ? (
    words
  ) : (
    <Link to="/surveys/$surveyId" params={{ surveyId }}>
      {words}
    </Link>
  );
}
