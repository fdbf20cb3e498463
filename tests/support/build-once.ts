import { built } from '../../bin/build.mjs'

/** Builds the package before the tests, which run the program as it is installed. */
export function setup(): void {
  built()
}
