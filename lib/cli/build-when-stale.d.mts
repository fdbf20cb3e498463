/** Compiles `lib/` and `suites/` into `dist/` where a source is newer than what was compiled last. */
export function buildWhenStale(): void
