import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Reporter } from 'vitest/node'
import { writeChecksums } from '../../report/evidence/run-folder.ts'

/** Writes `run.sha256` of a whole run once more at the end, behind Allure's reporter, whose results it covers, too. */
export class ChecksumsReporter implements Reporter {
  readonly #folder: string
  readonly #startedMs = Date.now()

  constructor(folder: string) {
    this.#folder = resolve(folder)
  }

  async onTestRunEnd(): Promise<void> {
    const written = await stat(join(this.#folder, 'run.sha256')).catch(() => null)
    // A selection leaves no reports: what is there is of an earlier run.
    if (written === null || written.mtimeMs < this.#startedMs) return
    await writeChecksums(this.#folder)
  }
}
