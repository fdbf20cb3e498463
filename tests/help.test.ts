import { describe } from 'vitest'
import { run, runWhole, test } from './support/program-test.ts'

const usage = 'Usage: card-switch-conformance'

describe.concurrent('help', () => {
  test.for([
    ['--help', `${usage} [options] [command]`],
    ['help', `${usage} [options] [command]`],
    ['help help', `${usage} [options] [command]`],
    ['help --help', `${usage} [options] [command]`],
    ['run --help', `${usage} run [options]`],
    ['help run', `${usage} run [options]`],
    ['run help', `${usage} run [options]`],
    ['rules help', `${usage} rules [options]`],
    ['help replay', `${usage} replay [options] <case>`],
    ['endpoints --help', `${usage} endpoints [options] [command]`],
    ['endpoints help', `${usage} endpoints [options] [command]`],
    ['help endpoints import', `${usage} endpoints import [options] <file>`],
    ['endpoints help import', `${usage} endpoints import [options] <file>`],
    ['endpoints import --help', `${usage} endpoints import [options] <file>`],
  ] as const)('%s prints it and ends in 0', async ([words, begins], { expect }) => {
    const { code, stdout, stderr } = await run(words.split(' '))

    expect(stdout.split('\n')[0]).toBe(begins)
    expect(stderr).toBe('')
    expect(code).toBe(0)
  })

  // The process sets an exit code of its own before it begins, which a run within the tests does not show.
  test.for([
    ['help', 0],
    ['hlep', 2],
  ] as const)('as a process, %s ends in %d', async ([words, expected], { expect }) => {
    const { code, stderr } = await runWhole(words.split(' '))

    expect([code, stderr === '']).toEqual([expected, expected === 0])
  })

  test('a command that needs another behind it prints its help on standard error, and ends in 2', async ({
    expect,
  }) => {
    const { code, stdout, stderr } = await run(['endpoints'])

    expect(stderr).toMatch(/^endpoints needs a command behind it: import\n\nUsage: .* endpoints /)
    expect([code, stdout]).toEqual([2, ''])
  })

  test.for([
    ['help nonsense', 'given     nonsense\n', 'hint      see --help'],
    ['help rep', 'given     rep\n', 'did you mean replay or report?'],
    ['help run nonsense', 'no further word', 'see run --help'],
    ['help endpoints imprt', 'one of the commands import', 'did you mean import?'],
    ['endpoints nonsense', "unknown command 'nonsense'", 'see endpoints --help'],
    ['endpoints import', "missing required argument 'file'", 'see endpoints import --help'],
    ['serve --prt 1', "unknown option '--prt' (Did you mean --port?)", 'see serve --help'],
    ['hlep', 'a command that this program has', 'did you mean help?'],
    // A folder may be called so.
    ['report help', 'verdict.json cannot be read', 'help'],
  ] as const)('%s ends in 2 and says what is wrong', async ([words, ...says], { expect }) => {
    const { code, stderr } = await run(words.split(' '))

    for (const text of says) expect(stderr).toContain(text)
    expect(stderr).not.toMatch(/outputHelp|\\n/)
    expect(code).toBe(2)
  })
})
