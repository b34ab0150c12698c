/** Logo: a coral over a swell. */
export function Logo() {
  return (
    <svg
      className="rail-mark"
      viewBox="0 0 40 40"
      role="img"
      aria-label="Great Reef Census"
      fill="none"
      strokeWidth="2.4"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <circle cx="20" cy="20" r="18.5" stroke="#4cc5c6" />
      <path d="M6 25c4-4 8-4 12 0s9 4 15 0" stroke="#fff" />
      <path d="M20 22V11M20 16l-5-4M20 14l5-4M15 12V8M25 10V7" stroke="#fc8cac" />
    </svg>
  );
}

export function Isobaths() {
  const lines = [0, 16, 32, 48, 64, 80, 96];
  const at = (value: number): string => String(Math.round(value * 10) / 10);
  return (
    <svg className="rail-lines" viewBox="0 0 88 820" preserveAspectRatio="none" aria-hidden="true">
      {lines.map((x) => (
        <path
          key={x}
          d={`M${x - 20} 820C${at(x * 0.8 + 20)} ${640 - x} ${at(x * 0.95 - 30)} ${470 + x / 2} ${at(x * 0.72 + 30)} ${at(300 + x * 0.85)}S${at(x * 1.1 - 10)} ${at(120 - x / 3)} ${at(x * 0.72 + 46)}-10`}
        />
      ))}
    </svg>
  );
}
