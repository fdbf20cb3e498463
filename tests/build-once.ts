import { buildWhenStale } from '../lib/cli/build-when-stale.mjs'

/** Builds the package before the tests, which run the program as it is installed. */
export function setup(): void {
  buildWhenStale()
}
