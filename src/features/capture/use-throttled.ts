import { useEffect, useRef, useState } from 'react';

/** How old a value may be while much goes on, ms. */
const THROTTLE_MS = 3000;

/**
 * A value that may wait: while `isBusy` it is renewed every few seconds only, so that what is drawn from it does not take the
 * thread from the work. Otherwise it is the value itself.
 */
export function useThrottled<Value>(value: Value, isBusy: boolean): Value {
  const [throttled, setThrottled] = useState(value);
  const latest = useRef(value);
  useEffect(() => {
    latest.current = value;
    if (!isBusy) setThrottled(value);
  }, [value, isBusy]);
  useEffect(() => {
    if (!isBusy) return undefined;
    const timer = setInterval(() => setThrottled(latest.current), THROTTLE_MS);
    return () => clearInterval(timer);
  }, [isBusy]);
  return isBusy ? throttled : value;
}
