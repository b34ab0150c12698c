import styles from './CustodyLegend.module.css';

/** The head of a list whose rows end in custody lights and a sign: what a row is, and what the lights stand for. For the eye alone: each light has its own name. */
export function CustodyLegend({ of }: { readonly of: string }) {
  return (
    <div className={styles.legend} aria-hidden="true">
      <span>{of}</span>
      <span className={styles.columns}>
        <span>Tablet</span>
        <span>Box</span>
        <span>Shore</span>
      </span>
    </div>
  );
}
