import styles from './CustodyLegend.module.css';

/**
 * Header of a list whose rows end in custody lights and an icon. Visual only: each light has its own accessible name.
 */
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
