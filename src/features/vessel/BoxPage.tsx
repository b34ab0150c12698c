import { useState, type FormEvent } from 'react';
import type { EdgeLink, EdgeMeta, PairedEdge, Repositories } from '../../data/repositories';
import { ReefError } from '../../domain/errors';
import { Button } from '../../ui/Button';
import { Note } from '../../ui/Note';
import { TextField } from '../../ui/TextField';
import { PageHead, useLive } from '../shell';
import { bytesWords, ConnectionFacts, count, plain } from '../sync-status';
import styles from './BoxPage.module.css';

interface Props {
  readonly repositories: Pick<Repositories, 'edge'>;
  /** The box that served this page, or empty. */
  readonly servedBy: string;
}

/** The boxes of this tablet: pair one, see what it holds. */
export function BoxPage({ repositories: { edge }, servedBy }: Props) {
  const paired = useLive(edge.paired);
  const link = useLive(edge.link);
  const connectivity = useLive(edge.connectivity);
  return (
    <>
      <PageHead title="Box" sub="The box aboard takes the photographs, checks each and gives a receipt." facts={<ConnectionFacts edge={edge} />} />
      <main className={styles.page}>
        {link.status === 'refused' && (
          <Note tone="look" icon="alert" title="The box takes nothing from this tablet now" role="status">
            {plain(link.why)} All photographs stay safe on this tablet.
          </Note>
        )}
        {connectivity.impostor && (
          <Note tone="look" icon="alert" title="Another server answers in the box’s place" role="status">
            It cannot sign as the box that this tablet was paired with, so nothing is sent to it. All photographs stay safe on this tablet.
          </Note>
        )}
        {paired.items.map((box) => (
          <PairedBox key={box.nodeId} box={box} repositories={{ edge }} link={link} />
        ))}
        {(paired.items.length === 0 || link.status === 'refused') && paired.status !== 'stale' && <PairForm repositories={{ edge }} servedBy={servedBy} />}
      </main>
    </>
  );
}

function PairedBox({ box, repositories: { edge }, link }: { readonly box: PairedEdge; readonly repositories: Pick<Repositories, 'edge'>; readonly link: EdgeLink }) {
  const meta = useLive(edge.meta).items[0];
  const here = link.status === 'connected' && link.edge.nodeId === box.nodeId;
  return (
    <section className={styles.card} aria-label={box.name}>
      <div className={styles.row}>
        <div className={styles.grow}>
          <h2>{box.name}</h2>
          <p className={styles.quiet}>{box.origin}</p>
        </div>
        {!here && <Button onPress={() => void edge.check()}>Try now</Button>}
      </div>
      {here && meta !== undefined && <Totals meta={meta} />}
    </section>
  );
}

function Totals({ meta }: { readonly meta: EdgeMeta }) {
  return (
    <dl className={styles.totals}>
      <div>
        <dt>photographs</dt>
        <dd>{meta.totals.images.toLocaleString('en')}</dd>
      </div>
      <div>
        <dt>surveys</dt>
        <dd>{meta.totals.surveys.toLocaleString('en')}</dd>
      </div>
      <div>
        <dt>in all</dt>
        <dd>{bytesWords(meta.totals.bytes)}</dd>
      </div>
      <div>
        <dt>free of {bytesWords(meta.disk.size)}</dt>
        <dd>{bytesWords(meta.disk.free)}</dd>
      </div>
      <div>
        <dt>owed to the shore</dt>
        <dd>{count(meta.owed, 'record')}</dd>
      </div>
    </dl>
  );
}

type State = { readonly status: 'writing' } | { readonly status: 'pairing' } | { readonly status: 'wrong'; readonly field: 'address' | 'code'; readonly words: string };

/** The codes that concern what was typed as the pairing code. */
const CODE_ERRORS: readonly string[] = ['pairing-required', 'pairing-wrong', 'rate-limited'];

function PairForm({ repositories: { edge }, servedBy }: Props) {
  const [origin, setOrigin] = useState(servedBy);
  const [code, setCode] = useState('');
  const [state, setState] = useState<State>({ status: 'writing' });
  const wrong = (field: 'address' | 'code') => (state.status === 'wrong' && state.field === field ? state.words : undefined);

  async function pair(event: FormEvent) {
    event.preventDefault();
    const address = readOrigin(origin);
    if (address === undefined) {
      setState({ status: 'wrong', field: 'address', words: 'An address looks like https://reef-box.local' });
      return;
    }
    setState({ status: 'pairing' });
    try {
      const typed = code.replaceAll(/[\s-]/g, '').toUpperCase();
      await edge.pair(address, ...(typed === '' ? [] : [typed]));
      setState({ status: 'writing' });
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      setState({ status: 'wrong', field: error instanceof ReefError && CODE_ERRORS.includes(error.code) ? 'code' : 'address', words });
    }
  }

  return (
    <form className={styles.card} onSubmit={(event) => void pair(event)} noValidate aria-label="Pair with a box">
      <h2>Pair this tablet with a box</h2>
      <p className={styles.quiet}>The box shows its address and a code of eight characters. Pairing is done once; after that photographs are sent by themselves.</p>
      <TextField label="Address of the box" name="address" inputMode="url" value={origin} onChange={setOrigin} error={wrong('address')} />
      <TextField label="Code" name="code" code autoComplete="off" value={code} onChange={setCode} error={wrong('code')} help="Leave it empty where the box shows none." />
      <Button type="submit" look="primary" isDisabled={state.status === 'pairing'}>
        {state.status === 'pairing' ? 'Pairing' : 'Pair'}
      </Button>
    </form>
  );
}

/** The origin of what was typed; `https://` may be left out. */
function readOrigin(typed: string): string | undefined {
  const text = typed.trim();
  const url = URL.parse(/^https?:\/\//.test(text) ? text : `https://${text}`);
  return text === '' || url === null ? undefined : url.origin;
}
