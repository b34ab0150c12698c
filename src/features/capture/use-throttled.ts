import { useEffect, useRef, useState } from 'react';

/** Largest age of a value while busy, ms. */
const THROTTLE_MS = 3000;

/** Value that updates only every few seconds while `isBusy`, so that rendering does not slow the work. */
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
