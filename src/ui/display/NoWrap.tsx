import styles from './NoWrap.module.css';

/** Longer words may need the break: `16-071`, `IMG-2041.jpg`, `127.0.0.1:4200` do not. */
const NO_WRAP_MAX = 20;
/** Port of an address, with what the sentence puts behind it. */
const PORT = /(?<=[\p{L}\].-]|\.\d{1,3}):\d{2,5}[).,;”]*$/u;

/** Text in which no short word breaks at its hyphen, and no address in its port. */
export function NoWrap({ children }: { readonly children: string }) {
  return children.split(/(\s+)/).map((part, i) => {
    const port = PORT.exec(part);
    const isWhole = part.length <= NO_WRAP_MAX;
    if (isWhole ? port !== null || part.includes('-') : port !== null) {
      const at = isWhole || port === null ? 0 : port.index;
      return (
        <span key={i}>
          {part.slice(0, at)}
          <span className={styles.whole}>{part.slice(at)}</span>
        </span>
      );
    }
    return part;
  });
}
