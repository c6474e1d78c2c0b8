/** Does a task, and tells when a signal aborts meanwhile, or has aborted already. */
export async function heeding<T>(
  signal: AbortSignal | undefined,
  onAbort: () => void,
  task: () => Promise<T>,
): Promise<T> {
  if (signal?.aborted) onAbort();
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    return await task();
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
}
