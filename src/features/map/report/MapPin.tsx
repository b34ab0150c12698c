import styles from './ReportMap.module.css';

/** Pin whose point is its place: with a number inside or a name next to it. */
export function MapPin({ name, isNumber = false }: { readonly name: string; readonly isNumber?: boolean }) {
  return (
    <span className={styles.pin}>
      <svg viewBox="0 0 44 56" width="44" height="56" aria-hidden="true">
        <path d="M22 54C17 44 3 35 3 21a19 19 0 0 1 38 0c0 14-14 23-19 33Z" />
        {isNumber ? (
          <text x="22" y="27" textAnchor="middle">
            {name}
          </text>
        ) : (
          <circle cx="22" cy="21" r="6" />
        )}
      </svg>
      {!isNumber && name !== '' && <b>{name}</b>}
    </span>
  );
}
