import encodeQR from 'qr';
import { useMemo } from 'react';
import styles from './QrCode.module.css';

interface Props {
  readonly text: string;
  readonly label: string;
  /** Px, including the quiet border of four modules. */
  readonly size: number;
}

/** Border required by the standard, modules. */
const QUIET = 4;

export function QrCode({ text, label, size }: Props) {
  const { side, path } = useMemo(() => draw(text), [text]);
  return (
    <svg
      className={styles.code}
      width={size}
      height={size}
      viewBox={`0 0 ${side} ${side}`}
      role="img"
      aria-label={label}
    >
      <path className={styles.dark} d={path} />
    </svg>
  );
}

/** Each run of dark modules is one stroke; `side` includes the border. */
function draw(text: string): { readonly side: number; readonly path: string } {
  const lines = encodeQR(text, 'raw', { ecc: 'medium', border: QUIET });
  let path = '';
  lines.forEach((line, y) => {
    for (let x = 0; x < line.length; x++) {
      if (line[x] !== true) continue;
      const from = x;
      while (line[x + 1] === true) x++;
      path += `M${from} ${y}h${x - from + 1}v1h${from - x - 1}z`;
    }
  });
  return { side: lines.length, path };
}
