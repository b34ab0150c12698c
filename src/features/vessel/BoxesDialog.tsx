import { useState } from 'react';
import { formatBytes } from '../../base/format-bytes';
import type { Repositories } from '../../data/repositories';
import { Button } from '../../ui/controls/Button';
import { Dialog } from '../../ui/controls/Dialog';
import { HoldButton } from '../../ui/controls/HoldButton';
import { Switch } from '../../ui/controls/Switch';
import { NoWrap } from '../../ui/display/NoWrap';
import { useObservable } from '../shell';
import styles from './BoxesDialog.module.css';
import { PairForm } from './pairing/PairForm';
import { useNow } from './use-now';
import { formatSince } from './vessel-text';

interface Props {
  readonly repositories: Pick<Repositories, 'edge'>;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly servedBy: string;
}

export function BoxesDialog({
  repositories: {
    edge,
    edge: { packs },
  },
  isOpen,
  onClose,
  servedBy,
}: Props) {
  const paired = useObservable(edge.link.paired).items;
  const link = useObservable(edge.link.state);
  const { offlineByChoice } = useObservable(edge.link.connectivity);
  const land = useObservable(packs.land);
  const now = useNow();
  const [isAdding, setIsAdding] = useState(false);
  const currentNodeId = link.status === 'unpaired' ? null : link.edge.nodeId;
  const cached = 'cached' in land ? land.cached : null;
  return (
    <Dialog title="Boxes of this tablet" isOpen={isOpen} onClose={onClose}>
      <ul className={styles.list}>
        {paired.map((box) => (
          <li key={box.nodeId}>
            <span className={styles.grow}>
              <b>{box.name}</b>
              <span className={styles.quiet}>
                <NoWrap>{box.origin.replace(/^https:\/\//, '')}</NoWrap>
              </span>
              <span className={styles.quiet}>
                {box.nodeId === currentNodeId && link.status === 'connected' ? 'in reach now, ' : ''}paired{' '}
                {formatSince(Date.parse(box.pairedAt), now)}
              </span>
            </span>
            <HoldButton holdLabel="Hold to forget" variant="line" onHeld={() => void edge.link.forget(box.nodeId)}>
              Forget
            </HoldButton>
          </li>
        ))}
      </ul>
      <p className={styles.quiet}>
        When you forget a box, everything it gave a receipt for stays safe. Anything still to send goes to the next box.
      </p>
      {isAdding ? (
        <PairForm
          edge={edge}
          servedBy={paired.some(({ origin }) => origin === servedBy) ? '' : servedBy}
          title="Pair with another box"
          onPaired={() => setIsAdding(false)}
        />
      ) : (
        <Button icon="plus" onPress={() => setIsAdding(true)}>
          Pair with another box
        </Button>
      )}
      <Switch
        label="Stay offline"
        help="This tablet looks for no box and sends nothing until you turn this off. Everything is saved here."
        isOn={offlineByChoice}
        onChange={(isOn) => void edge.link.setOfflineByChoice(isOn)}
      />
      <div className={styles.row}>
        <span className={styles.grow}>
          <b>Chart</b>
          <span className={styles.quiet}>
            {cached === null
              ? 'Not on this tablet yet.'
              : `${formatBytes(cached.bytes)}, downloaded ${formatSince(cached.at, now)}. It works without the box.`}
          </span>
        </span>
        <Button
          isDisabled={land.status === 'fetching' || link.status !== 'connected'}
          onPress={() => void packs.refreshLand()}
        >
          {land.status === 'fetching' ? 'Downloading' : cached === null ? 'Download chart' : 'Check for a newer chart'}
        </Button>
      </div>
    </Dialog>
  );
}
