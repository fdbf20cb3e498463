import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Gives all test files one folder for temporary files and removes it after them. A worker that is stopped removes nothing itself. */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-tests-'))
  process.env['TMPDIR'] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}
