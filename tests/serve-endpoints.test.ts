import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'
import { describe, expect, test } from 'vitest'
import { expectConformant, run } from './support/program-test.ts'
import { folderWith, ruleIn, rulesThat, runProgram, type ProgramResult } from './support/program.ts'

const example = await readFile(
  fileURLToPath(new URL('../docs/examples/cards.openapi.yaml', import.meta.url)),
  'utf8',
)

/** Imports the example and permits creating cards. Serves the file as returned by `changed`, and judges that by the original file. */
async function bothSides(
  changed: (file: string) => string,
  flags: readonly string[],
): Promise<ProgramResult> {
  const cwd = await folderWith({ 'cards.yaml': example })
  const imported = await run(['endpoints', 'import', 'cards.yaml', '--out', 'cards.json'], { cwd })
  expect(imported.code).toBe(0)
  const file = (await readFile(join(cwd, 'cards.json'), 'utf8')).replace('"fuzz": false', '"fuzz": true')
  await writeFile(join(cwd, 'cards.json'), file)
  await writeFile(join(cwd, 'served.json'), changed(file))

  let judged: Promise<ProgramResult> | null = null
  // `run` would refuse the credentials in its output. They are public, and meant for another terminal.
  const served = await runProgram(['serve', '--port', '0', '--endpoints', 'served.json'], {
    cwd,
    started: (child) => {
      child.stdout?.once('data', (announced: Buffer) => {
        const env = { ...settingsIn(announced.toString()), TARGET_ENDPOINTS: 'cards.json' }
        judged = run(['run', ...flags], { cwd, env }).finally(() => child.kill('SIGINT'))
      })
    },
  })
  expect([served.code, served.stderr]).toEqual([0, ''])
  if (judged === null) throw new Error('serve announced nothing')
  return judged
}

function settingsIn(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(parseEnv(text)).map(([name, value]) => [name, value ?? '']))
}

const only = ['--only', 'fuzz/query,endpoints/*', '--fuzz-cases', '300', '--max-requests', '3000']

describe('serve --endpoints', () => {
  test('serves an imported file, and a run with the same file finds it conformant', async () => {
    expectConformant(await bothSides((file) => file, ['--max-requests', '2000']))
  })

  test.for([
    ['"maximum": 10000', '"maximum": 10001', 'body with limit 10001, must be <= 10000'],
    [
      '"maxLength": 60',
      '"maxLength": 61',
      'body with address.city 61 characters, must NOT have more than 60 characters',
    ],
  ] as const)(
    'serves %s as %s, which a run detects and reports in words of the file',
    async ([from, to, told]) => {
      const { code, verdict } = await bothSides((file) => file.replace(from, to), only)

      expect(rulesThat(verdict, 'failed')).toEqual(['fuzz/query'])
      expect(ruleIn(verdict, 'fuzz/query').findings.map(({ summary }) => summary)).toContainEqual(
        expect.stringContaining(`cards.json (entry 2: ${told})`),
      )
      expect(code).toBe(1)
    },
  )
})

describe('serve', () => {
  const served = async (args: readonly string[]): Promise<ProgramResult> =>
    runProgram(['serve', ...args], {
      started: (child) => void child.stdout?.once('data', () => child.kill('SIGINT')),
    })

  test.for(['0.0.0.0', '::', '0'])('warns that anyone can reach it at %s', async (host) => {
    const { code, stderr } = await served(['--host', host])

    expect(stderr).toBe(
      `WARNING: with --host ${host}, other machines on the network can reach the service, whose credentials are public\n`,
    )
    expect(code).toBe(0)
  })

  test.for(['127.0.0.1', 'localhost', '::1'])('does not warn at %s', async (host) => {
    expect(await served(['--host', host])).toMatchObject({ code: 0, stderr: '' })
  })
})
