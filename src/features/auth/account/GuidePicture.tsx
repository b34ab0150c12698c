import type { ReactNode } from 'react';
import type { GuideStepPicture } from './guide-text';
import styles from './GuideCard.module.css';

/** Picture of a step: a small scene in the colours of the census. It says nothing that the sentence does not. */
export function GuidePicture({ picture }: { readonly picture: GuideStepPicture }) {
  return (
    <svg className={styles.picture} viewBox="0 0 120 80" aria-hidden="true">
      <rect className={styles.sky} width="120" height="80" />
      <path className={styles.sea} d="M0 52q15-7 30 0t30 0 30 0 30 0V80H0Z" />
      <path className={styles.deep} d="M0 66q15-6 30 0t30 0 30 0 30 0V80H0Z" />
      {SCENES[picture]}
    </svg>
  );
}

const tablet = (content: ReactNode): ReactNode => (
  <>
    <rect className={styles.body} x="30" y="14" width="60" height="46" rx="5" />
    <rect className={styles.screen} x="35" y="19" width="50" height="36" rx="2" />
    {content}
  </>
);
const reef = (
  <>
    <path className={styles.sand} d="M35 48q12-5 25 0t25-2v9H35Z" />
    <path className={styles.coral} d="M46 50v-9m0 4l-5-5m5 3l5-6M66 50V38m0 6l-6-5m6 2l6-6" />
  </>
);
const tick = <path className={styles.tick} d="M48 38l8 8 16-18" />;
const person = (x: number): ReactNode => (
  <>
    <circle className={styles.face} cx={x} cy="30" r="7" />
    <path className={styles.face} d={`M${x - 12} 54q0-14 12-14t12 14Z`} />
  </>
);
const box = (x: number): ReactNode => (
  <>
    <rect className={styles.body} x={x} y="36" width="26" height="18" rx="3" />
    <circle className={styles.on} cx={x + 7} cy="45" r="3" />
    <path className={styles.line} d={`M${x + 13} 45h8`} />
  </>
);
const row = (y: number): ReactNode => <path className={styles.line} d={`M42 ${y}h36`} />;

const SCENES: Readonly<Record<GuideStepPicture, ReactNode>> = {
  code: (
    <>
      {tablet(
        <path className={styles.dark} d="M48 25h9v9h-9ZM63 25h9v9h-9ZM48 40h9v9h-9ZM63 40h4v4h-4ZM68 45h4v4h-4Z" />,
      )}
      <path className={styles.glow} d="M92 24l10-6M92 37h12M92 50l10 6" />
    </>
  ),
  survey: tablet(
    <>
      {row(27)}
      {row(36)}
      <circle className={styles.on} cx="60" cy="46" r="5" />
      <path className={styles.glow} d="M60 43v6M57 46h6" />
    </>,
  ),
  photographs: tablet(
    <>
      <rect className={styles.photo} x="38" y="23" width="20" height="13" />
      <rect className={styles.photo} x="62" y="23" width="20" height="13" />
      <rect className={styles.photo} x="38" y="39" width="20" height="13" />
      <rect className={styles.photo} x="62" y="39" width="20" height="13" />
    </>,
  ),
  lights: (
    <>
      <rect className={styles.on} x="18" y="28" width="16" height="24" rx="3" />
      <path className={styles.on} d="M48 34h26l-5 16H53Z" />
      <path className={styles.on} d="M84 52q4-22 12-22t12 22Z" />
    </>
  ),
  card: (
    <>
      <path className={styles.body} d="M40 16h28l12 12v34H40Z" />
      {tick}
    </>
  ),
  training: tablet(
    <>
      {reef}
      <path className={styles.glow} d="M60 21l3 6 7 1-5 5 1 7-6-3-6 3 1-7-5-5 7-1Z" />
    </>,
  ),
  class: tablet(
    <>
      <rect className={styles.sandFill} x="40" y="24" width="12" height="8" />
      <path className={styles.line} d="M57 28h22" />
      <rect className={styles.coralFill} x="40" y="36" width="12" height="8" />
      <path className={styles.line} d="M57 40h22" />
    </>,
  ),
  paint: tablet(
    <>
      {reef}
      <path className={styles.stroke} d="M40 44q10-12 20-4t20-6" />
      <path className={styles.body} d="M80 34l16-16 5 5-16 16-7 2Z" />
    </>,
  ),
  save: tablet(tick),
  again: tablet(
    <>
      <rect className={styles.photo} x="40" y="25" width="24" height="17" />
      <path className={styles.line} d="M69 29h10M69 36h10" />
      <path className={styles.glow} d="M52 48h20m-6-5l6 5-6 5" />
    </>,
  ),
  people: (
    <>
      {person(42)}
      {person(78)}
    </>
  ),
  link: (
    <>
      {person(30)}
      <path className={styles.glow} d="M46 40h26" />
      <path className={styles.body} d="M76 56V22l26 8-26 8" />
    </>
  ),
  log: (
    <>
      <rect className={styles.body} x="34" y="12" width="52" height="56" rx="3" />
      {row(26)}
      {row(38)}
      {row(50)}
    </>
  ),
  boxes: (
    <>
      {box(14)}
      {box(47)}
      {box(80)}
    </>
  ),
  held: (
    <>
      <rect className={styles.body} x="42" y="34" width="36" height="28" rx="4" />
      <path className={styles.lock} d="M50 34v-8q0-10 10-10t10 10v8" />
      <circle className={styles.on} cx="60" cy="48" r="4" />
    </>
  ),
};
