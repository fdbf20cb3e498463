import { built } from '../../bin/build.mjs'

/** Builds the package before the tests: they run the program in its installed form. */
export function setup(): void {
  built()
}
