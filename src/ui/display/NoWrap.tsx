import styles from './NoWrap.module.css';

/** Longer words may need the break: `16-071`, `IMG-2041.jpg` do not. */
const NO_WRAP_MAX = 20;

export function NoWrap({ children }: { readonly children: string }) {
  return children.split(/(\s+)/).map((part, i) =>
    part.includes('-') && part.length <= NO_WRAP_MAX ? (
      <span key={i} className={styles.whole}>
        {part}
      </span>
    ) : (
      part
    ),
  );
}
