import { join } from 'node:path'
import { expect, test } from 'vitest'
import { against, expectEnds } from './support/program-test.ts'
import { instead, type Texts } from './support/program.ts'

/** Text from a service that tries to issue commands to the pipeline. */
const commanding = [
  '##[add-path]/owned',
  'x ##[set-env name=owned]owned ::set-output name=owned::owned',
  '::error::owned',
  '  ::stop-commands::owned',
  '`@owned` <img src=owned> https://owned.example',
].join('\n')

/** Runs the program against a service that commands. With `isGithub`, the summary of the step is `step.md`. */
async function hostile(words: string, isGithub: boolean, files: Texts = {}) {
  const body = JSON.stringify({ error_code: commanding, error_message: commanding })
  const { cwd, run, read } = await against({
    files,
    intervene: ({ headers }, response) =>
      headers['x-api-key'] === undefined && instead(response, 400, body, { 'x-owned': '::error::owned' }),
  })
  const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(cwd, 'step.md'), CI: 'true' }
  return { read, ...(await run(words, isGithub ? { env } : {})) }
}

const selected = '--only authentication/api-key-missing,endpoints/*,errors/*'

test('in a GitHub workflow violations are annotated, the summary is appended, and the target can issue no commands', async () => {
  const files = { 'step.md': 'of an earlier step\n' }
  const { read, ...ended } = await hostile(selected, true, files)

  const commands = commandsIn(ended.stdout)
  expectEnds(ended, 1, 'NONCONFORMANT')
  // Only some rules were selected.
  const errors = commands.slice(1, -1).map(() => 'error')
  expect(commands.map(({ name }) => name)).toEqual(['stop-commands', ...errors, 'notice'])
  const title = '^::error title=A request without x-api-key%3A wrong answer::Expected: 400 / 1001 .*'
  expect(commands[1]?.line).toMatch(new RegExp(`${title}%0ABreaks 2 rules: authentication/api-key-missing`))
  expect(commandsIn(ended.stderr)).toEqual([])
  const summary = await read('reports/summary.md')
  expect(await read('step.md')).toBe(`of an earlier step\n\n${summary}`)
  expect(summary).toContain('**Partial, nonconformant: 1 problem**')
})

test('in a GitHub workflow annotations go to standard error with --format json, and the verdict contains no command', async () => {
  const { code, verdict, stdout, stderr } = await hostile(`${selected} --format json`, true)

  expect(JSON.parse(stdout)).toEqual(verdict)
  expect(stdout).toContain(String.raw`#\u0023[add-path]/owned`)
  expect(commandsIn(stdout)).toEqual([])
  expect(new Set(commandsIn(stderr).map(({ name }) => name))).toEqual(new Set(['error', 'notice']))
  expect(code).toBe(1)
})

test('in a GitHub workflow a wrong setting is annotated, and an unwritable summary does not change the exit code', async () => {
  const ended = await hostile('--base-url staging', true, { 'step.md/is-a-folder': '' })

  expect(commandsIn(ended.stdout).map(({ name }) => name)).toEqual(['stop-commands', 'error'])
  expectEnds(ended, 2, /step\.md \(GITHUB_STEP_SUMMARY\): EISDIR/)
})

test('outside GitHub no workflow command is printed, and commands for other pipelines are escaped', async () => {
  const { stdout } = await hostile(selected, false)

  expect(stdout).not.toMatch(/^::/m)
  expect(stdout).toContain(String.raw`#\u0023[add-path]/owned`)
  expect(stdout).not.toContain('##[')
})

const current = /^\s*::(?<name>[^\s:]+)(?: [^\n]*?)?::(?<data>.*)$/
const former = /##\[(?<name>[^\s\]]+)[^\]]*\](?<data>.*)$/

/**
 * The commands that the runner reads from a log, line by line: `::name …::` at the beginning of a line, `##[name …]` anywhere in it,
 * nothing between `stop-commands` and its token. Source: ActionCommand.cs and ActionCommandManager.cs of actions/runner.
 */
function commandsIn(log: string) {
  const commands: { readonly name: string; readonly line: string }[] = []
  let token: string | null = null
  for (const line of log.split(/\r\n|\n|\r/)) {
    const { name, data } = (current.exec(line) ?? former.exec(line))?.groups ?? {}
    if (name === undefined) continue
    if (token !== null) {
      if (name === token) token = null
      continue
    }
    if (name === 'stop-commands') token = data ?? ''
    commands.push({ name, line })
  }
  return commands
}
