import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from 'vitest'
import { verdictWith } from '../lib/verdict/verdict.testing.ts'
import { folderWith, type ProgramOptions, type ProgramResult } from './support/program.ts'
import { run, test } from './support/program-test.ts'

/** Nobody listens there, and nobody must be asked. */
const target = {
  TARGET_BASE_URL: 'http://127.0.0.1:9',
  TARGET_API_KEY: 'pk_9fQ2mLx7Tzv4Rk1wYc83',
  TARGET_SECRET_KEY: 'sk_Jd7Wq0Bn5Xe2Hs9Vt6Pa41GuKm',
}

const deep = '['.repeat(100_000) + ']'.repeat(100_000)

/** Each way to name a file; `it` is the file. */
const ways: readonly (readonly [what: string, args: readonly string[], env?: ProgramOptions['env']])[] = [
  ['an env file', ['plan', '--settings-file', 'it']],
  ['an endpoints file', ['plan', '--endpoints', 'it']],
  ['waivers', ['plan', '--waivers', 'it']],
  ['certificates', ['plan', '--ca-file', 'it']],
  ['a baseline', ['run', '--baseline', 'it', '--quiet']],
  ['a verdict to compare with', ['compare', 'it', 'good.json']],
  ['a verdict to compare', ['compare', 'good.json', 'it']],
  ['a key that signs', ['run', '--signing-key-file', 'it', '--quiet']],
  ['a key that signs, in the environment', ['run', '--quiet'], { RUN_SIGNING_KEY_FILE: 'it' }],
  ['a key that is trusted', ['verify', 'good.json', '--key', 'it']],
  ['an archive', ['verify', 'it']],
]

async function refused(
  args: readonly string[],
  env: ProgramOptions['env'],
  make: (file: string) => unknown,
): Promise<ProgramResult> {
  const cwd = await folderWith({ 'good.json': JSON.stringify(verdictWith()) })
  await mkdir(join(cwd, 'reports'))
  await writeFile(join(cwd, 'reports', 'verdict.json'), JSON.stringify(verdictWith()))
  await make(join(cwd, 'it'))
  return run(args, { cwd, env: { ...target, ...env } })
}

describe.concurrent('a file that is none ends in 2, and is not waited for:', () => {
  test.for(ways)('a pipe as %s', async ([, args, env], { expect }) => {
    const { code, stderr } = await refused(args, env, (file) => execFileSync('mkfifo', [file]))

    expect([code, stderr]).toEqual([2, expect.stringContaining('no plain file, but a pipe or a device')])
  })

  test('a pipe in the place of verdict.json, of which reports are made again', async ({ expect }) => {
    const { code, stderr } = await refused(['report', 'again'], {}, async (file) => {
      await mkdir(join(file, '..', 'again'))
      execFileSync('mkfifo', [join(file, '..', 'again', 'verdict.json')])
    })

    expect([code, stderr]).toEqual([2, expect.stringContaining('no plain file, but a pipe or a device')])
  })
})

describe.concurrent('JSON that is nested without end is refused in a sentence:', () => {
  test.for(ways.filter(([what]) => /endpoints|waivers|verdict/.test(what)))(
    '%s',
    async ([, args, env], { expect }) => {
      const { code, stderr } = await refused(args, env, (file) => writeFile(file, deep))

      expect([code, stderr]).toEqual([2, expect.stringMatching(/nested (?:at most|deeper than) 200 levels/)])
    },
  )

  test('a success schema in an endpoints file', async ({ expect }) => {
    const schema = '{"properties":{"a":'.repeat(5_000) + '{}' + '}}'.repeat(5_000)
    const { code, stderr } = await refused(['plan', '--endpoints', 'it'], {}, (file) =>
      writeFile(file, `[{"method":"GET","path":"/api/cards","success":${schema}}]`),
    )

    expect([code, stderr]).toEqual([2, expect.stringContaining('nested at most 200 levels deep')])
  })
})

describe.concurrent('a file that is too large is refused in a sentence:', () => {
  test.for(ways.filter(([what]) => !/archive/.test(what)))('%s', async ([, args, env], { expect }) => {
    // Takes no room on the disk.
    const { code, stderr } = await refused(args, env, (file) =>
      execFileSync('truncate', ['--size', '65M', file]),
    )

    expect([code, stderr]).toEqual([2, expect.stringMatching(/larger than \d+ [KM]iB, and no more is read/)])
  })
})
