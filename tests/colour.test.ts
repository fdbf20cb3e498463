import { describe, expect, test } from 'vitest'
import { run, runWhole } from './support/program-test.ts'
import { emptyFolder } from './support/program.ts'

const escape = '\u001B['
const args = ['--base-url', 'embedded', '--only', 'authentication/api-key-missing']
const comparing = ['compare', 'reports', 'reports']

// lib/doors/cli/console.test.ts covers the other variables of the environment.
describe('colour without a terminal', () => {
  test.for([
    [{}, false],
    [{ FORCE_COLOR: '1' }, true],
    [{ FORCE_COLOR: 'true', NO_COLOR: '1' }, true],
  ] as const)('with %j appears in the summary of a run and in a comparison: %s', async ([env, coloured]) => {
    const cwd = await emptyFolder()
    const judged = await run(args, { cwd, env })
    const compared = await run(comparing, { cwd, env })
    const json = await run([...comparing, '--format', 'json'], { cwd, env })
    const asProcess = await runWhole(comparing, { cwd, env })

    expect(judged.stdout.includes(escape)).toBe(coloured)
    expect(compared.stdout.includes(escape)).toBe(coloured)
    expect(asProcess.stdout).toBe(compared.stdout)
    expect([json.stdout.includes(escape), judged.stderr.includes(escape)]).toEqual([false, false])
    expect([judged.code, compared.code, json.code]).toEqual([0, 0, 0])
  })
})
