import { useState } from 'react';
import { Chips } from '../../../ui/controls/Chips';
import { GUIDES, type GuideRole } from './guide-text';
import { GuidePicture } from './GuidePicture';
import card from './YouPage.module.css';
import styles from './GuideCard.module.css';

const ROLES = [
  { value: 'deck', label: 'Crew' },
  { value: 'volunteer', label: 'Volunteer' },
  { value: 'staff', label: 'Staff' },
] as const satisfies readonly { readonly value: GuideRole; readonly label: string }[];

/** Short guide: five pictures with a sentence each, for one role at a time. */
export default function GuideCard() {
  const [role, setRole] = useState<GuideRole>('deck');
  return (
    <section className={card.card} id="guide" aria-labelledby="guide-title" tabIndex={-1}>
      <h2 id="guide-title">In five steps</h2>
      <Chips label="Your part" options={ROLES} value={role} onChange={setRole} />
      <ol className={styles.steps}>
        {GUIDES[role].map(({ picture, text }) => (
          <li key={text} className={styles.step}>
            <GuidePicture picture={picture} />
            <p>{text}</p>
          </li>
        ))}
      </ol>
    </section>
  );
}
