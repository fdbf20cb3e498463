import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { built } from '../../bin/build.mjs'

/**
 * Gives all test files one folder for temporary files and removes it after them. A worker that is stopped removes nothing itself.
 * Builds the package, because the tests run the program in its installed form.
 */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 't-'))
  // Some tests run the program as another user.
  chmodSync(folder, 0o755)
  process.env['TMPDIR'] = process.env['TESTS_FOLDER'] = folder
  // `npm run check` checks the types at the same time.
  built({ checksTypes: false })
  return () => rmSync(folder, { recursive: true, force: true })
}
