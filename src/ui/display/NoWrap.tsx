import styles from './NoWrap.module.css';

/** Words with a hyphen up to this length stand in one line: `16-071`, `IMG-2041.jpg`. A longer one may need the break. */
const NO_WRAP_MAX = 20;

/** A name whose parts with a hyphen are not broken there: a reef's number reads as one. */
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
