import { describe } from 'vitest'
import { run, runWhole, test } from './support/program-test.ts'

const usage = 'Usage: card-switch-conformance'

describe.concurrent('help', () => {
  test.for([
    ['--help', `${usage} [options] [command]`],
    ['help', `${usage} [options] [command]`],
    ['run --help', `${usage} run [options]`],
    ['--quiet --help', `${usage} run [options]`],
    ['help run', `${usage} run [options]`],
    ['help replay', `${usage} replay [options] <case>`],
    ['endpoints --help', `${usage} endpoints [options] [command]`],
    ['endpoints help', `${usage} endpoints [options] [command]`],
    ['help endpoints', `${usage} endpoints [options] [command]`],
    ['endpoints help import', `${usage} endpoints import [options] <file>`],
    ['endpoints import --help', `${usage} endpoints import [options] <file>`],
  ] as const)('%s prints it and ends in 0', async ([words, begins], { expect }) => {
    const { code, stdout, stderr } = await run(words.split(' '))

    expect(stdout.split('\n')[0]).toBe(begins)
    expect([code, stderr]).toEqual([0, ''])
  })

  // The process sets an exit code of its own before it begins, which a run within the tests does not show.
  test.for([
    ['help', 0],
    ['hlep', 2],
  ] as const)('as a process, %s ends in %d', async ([words, expected], { expect }) => {
    const { code, stderr } = await runWhole(words.split(' '))

    expect([code, stderr === '']).toEqual([expected, expected === 0])
  })
})

describe.concurrent('words that no command takes end in 2, are named, and touch nothing:', () => {
  test.for([
    ['hlep', "unknown command 'hlep'", 'Did you mean help?'],
    ['rnu', "unknown command 'rnu'", 'Did you mean run?'],
    ['rum nonsense --profile gat', "unknown command 'rum'", 'Did you mean run?'],
    ['help nonsense', `${usage} [options] [command]`],
    ['endpoints', `${usage} endpoints [options] [command]`],
    ['endpoints nonsense', "unknown command 'nonsense'"],
    ['endpoints imprt', 'Did you mean import?'],
    ['endpoints import', "missing required argument 'file'"],
    ['serve --prt 1', "unknown option '--prt'", 'Did you mean --port?'],
    ['--nonsense', "unknown option '--nonsense'", 'See --help'],
    ['--bas-url http://127.0.0.1:1', 'Did you mean --base-url?'],
    ['--strict=no', "unknown option '--strict…'", 'Did you mean --strict?'],
    ['--only', "option '--only <rules>' argument missing"],
    ['--profile gate plan', "too many arguments for 'run'"],
    ['run nonsense', "too many arguments for 'run'"],
    ['rules --format xml', 'Allowed choices are text, json, markdown'],
    ['--env-file staging.env', "unknown option '--env-file'", 'by --settings-file'],
    ['--env-file=staging.env', "unknown option '--env-file…'", 'by --settings-file'],
    ['plan --env-file-if-exists x', "unknown option '--env-file-if-exists'", 'by --settings-file'],
    // A folder may be called so.
    ['report help', 'verdict.json cannot be read'],
  ] as const)('%s', async ([words, ...says], { expect }) => {
    const { code, stdout, stderr, verdict } = await run(words.split(' '), { env: { RUN_FORMAT: 'json' } })

    for (const text of says) expect(stderr).toContain(text)
    expect([code, stdout, verdict]).toEqual([2, '', null])
  })
})
