import { useEffect, useRef, useState } from 'react';

/** How old a value may be while much goes on, ms. */
const SELDOM_MS = 3000;

/**
 * A value that may wait: while `isBusy` it is renewed every few seconds only, so that what is drawn from it does not take the
 * thread from the work. Otherwise it is the value itself.
 */
export function useSeldom<Value>(value: Value, isBusy: boolean): Value {
  const [kept, keep] = useState(value);
  const latest = useRef(value);
  useEffect(() => {
    latest.current = value;
    if (!isBusy) keep(value);
  }, [value, isBusy]);
  useEffect(() => {
    if (!isBusy) return undefined;
    const timer = setInterval(() => keep(latest.current), SELDOM_MS);
    return () => clearInterval(timer);
  }, [isBusy]);
  return isBusy ? kept : value;
}
