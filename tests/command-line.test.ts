import { expect, test } from 'vitest'
import { run, runWhole } from './support/program-test.ts'
import { emptyFolder } from './support/program.ts'

const usage = 'Usage: card-switch-conformance'

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
] as const)('%s prints the usage and exits 0', async ([words, begins]) => {
  const { code, stdout, stderr } = await run(words.split(' '))

  expect(stdout.split('\n')[0]).toBe(begins)
  expect([code, stderr]).toEqual([0, ''])
})

// The process sets its own exit code at the start, which a run within the test process does not show.
test.for([
  ['help', 0],
  ['hlep', 2],
] as const)('%s exits %d as a separate process', async ([words, expected]) => {
  const { code, stderr } = await runWhole(words.split(' '))

  expect([code, stderr === '']).toEqual([expected, expected === 0])
})

// lib/doors/cli/terminal.test.ts covers the other variables of the environment.
test.for([
  [{}, false],
  [{ FORCE_COLOR: '1' }, true],
  [{ FORCE_COLOR: 'true', NO_COLOR: '1' }, true],
] as const)('a run and a comparison without a terminal have colour with %j: %s', async ([env, coloured]) => {
  const cwd = await emptyFolder()
  const comparing = ['compare', 'reports', 'reports']
  const judged = await run(['--base-url', 'embedded', '--only', 'authentication/api-key-missing'], {
    cwd,
    env,
  })
  const compared = await run(comparing, { cwd, env })
  const json = await run([...comparing, '--format', 'json'], { cwd, env })
  const asProcess = await runWhole(comparing, { cwd, env })

  const isColoured = (text: string): boolean => text.includes('\u001B[')
  expect([judged.stdout, compared.stdout].map(isColoured)).toEqual([coloured, coloured])
  expect(asProcess.stdout).toBe(compared.stdout)
  expect([json.stdout, judged.stderr].map(isColoured)).toEqual([false, false])
  expect([judged.code, compared.code, json.code]).toEqual([0, 0, 0])
})
