/** The mark: a coral over a swell. */
export function Mark({ className }: { readonly className: string }) {
  return (
    <svg className={className} viewBox="0 0 40 40" role="img" aria-label="Great Reef Census" fill="none" strokeWidth="2.4" strokeLinecap="round" strokeLinejoin="round">
      <circle cx="20" cy="20" r="18.5" stroke="#4cc5c6" />
      <path d="M6 25c4-4 8-4 12 0s9 4 15 0" stroke="#fff" />
      <path d="M20 22V11M20 16l-5-4M20 14l5-4M15 12V8M25 10V7" stroke="#fc8cac" />
    </svg>
  );
}
