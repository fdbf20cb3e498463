import { describe } from 'vitest'
import { emptyFolder } from './support/program.ts'
import { runWhole, test } from './support/program-test.ts'

const escape = '\u001B['

describe.concurrent('colour where no terminal is', () => {
  test.for([
    [{}, false],
    [{ FORCE_COLOR: '1' }, true],
    [{ FORCE_COLOR: '' }, true],
    [{ FORCE_COLOR: '0' }, false],
    [{ FORCE_COLOR: 'true', NO_COLOR: '1' }, true],
  ] as const)('%j: %s, in the summary of a run and in a comparison', async ([env, coloured], { expect }) => {
    const cwd = await emptyFolder()
    const judged = await runWhole(['--base-url', 'embedded', '--only', 'authentication/api-key-missing'], {
      cwd,
      env,
    })
    const compared = await runWhole(['compare', 'reports', 'reports'], { cwd, env })
    const json = await runWhole(['compare', 'reports', 'reports', '--format', 'json'], { cwd, env })

    expect(judged.stdout.includes(escape)).toBe(coloured)
    expect(compared.stdout.includes(escape)).toBe(coloured)
    expect([json.stdout.includes(escape), judged.stderr.includes(escape)]).toEqual([false, false])
    expect([judged.code, compared.code, json.code]).toEqual([0, 0, 0])
  })
})
