import { useLayoutEffect, useState } from "preact/hooks";

export interface Loaded<T> {
  readonly value: T | null;
  readonly error: unknown;
  readonly busy: boolean;
  /** The key of the value or error; that of an earlier one while the next loads. */
  readonly key: string;
}

/**
 * Loads a value when key changes, and drops answers that are no longer wanted. The value of the last
 * key stays until the next one is there.
 */
export function useLoad<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> & { again: () => void } {
  const [state, set] = useState<Loaded<T>>({ value: null, error: null, busy: true, key: "" });
  const [count, again] = useState(0);
  // Not an effect that waits for the browser to paint: what it shows takes longer to load than to paint.
  useLayoutEffect(() => {
    const stop = new AbortController();
    set((s) => ({ ...s, busy: true }));
    load(stop.signal).then(
      (value) => !stop.signal.aborted && set({ value, error: null, busy: false, key }),
      (error: unknown) => !stop.signal.aborted && set((s) => ({ ...s, error, busy: false, key })),
    );
    return () => stop.abort();
  }, [key, count]);
  return { ...state, again: () => again((n) => n + 1) };
}
