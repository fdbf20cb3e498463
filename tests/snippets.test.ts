import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { emptyFolder, settingsFor } from './program.ts'
import { test } from './program-test.ts'
import { textOf } from './syntax.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The steps of the pipeline in the README, without the comments. */
function stepsOfPipeline(): readonly string[] {
  const [, script = ''] = /^ {2}script:\n([^]*?)^ {2}\w/m.exec(textOf('README.md')) ?? []
  return [...script.matchAll(/^ {4}- (.+)$/gm)].map(([, step = '']) => step)
}

test.skipIf(!existsSync(join(root, '.git')))(
  'the pipeline of the README judges a service from a clone, and leaves the reports that it collects',
  async ({ reference, expect }) => {
    const service = await reference()
    const cwd = await emptyFolder()
    const quiet = {
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      npm_config_update_notifier: 'false',
    }
    const env = {
      ...process.env,
      ...quiet,
      ...settingsFor(service),
      CONFORMANCE_REPOSITORY: `file://${root}`,
      CI: 'true',
    }

    expect(stepsOfPipeline()).toHaveLength(3)
    await promisify(execFile)('bash', ['-euc', stepsOfPipeline().join('\n')], { cwd, env })

    const verdict: unknown = JSON.parse(await readFile(join(cwd, 'reports/verdict.json'), 'utf8'))
    expect(verdict).toMatchObject({ verdict: 'conformant', target: { baseUrl: service.baseUrl } })
    expect(existsSync(join(cwd, 'reports/junit.xml'))).toBe(true)
  },
)
