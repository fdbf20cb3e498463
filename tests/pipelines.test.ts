import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ReferenceService } from '../lib/serve/reference/service.ts'
import { reference, run } from './support/program-test.ts'
import { emptyFolder, settingsFor } from './support/program.ts'

/** Text from a service that tries to issue commands to the pipeline. */
const commanding = [
  '##[add-path]/owned',
  'x ##[set-env name=owned]owned ::set-output name=owned::owned',
  '::error::owned',
  '  ::stop-commands::owned',
  '`@owned` <img src=owned> https://owned.example',
].join('\n')

function hostile(): Promise<ReferenceService> {
  const body = JSON.stringify({ error_code: commanding, error_message: commanding })
  return reference({
    intervene: ({ headers }, response) => {
      if (headers['x-api-key'] !== undefined) return false
      response.writeHead(400, { 'content-type': 'application/json', 'x-owned': '::error::owned' }).end(body)
      return true
    },
  })
}

const selected = ['--only', 'authentication/api-key-missing,endpoints/*,errors/*']

describe('in a GitHub workflow', () => {
  test('violations are annotated, the summary is appended, and the target can issue no commands', async () => {
    const service = await hostile()
    const cwd = await emptyFolder()
    const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(cwd, 'step.md'), CI: 'true' }
    await writeFile(env.GITHUB_STEP_SUMMARY, 'of an earlier step\n')

    const { code, stdout, stderr } = await run(selected, { cwd, env: { ...settingsFor(service), ...env } })

    const commands = commandsIn(stdout)
    expect(stdout).toContain('NONCONFORMANT')
    expect(commands.map(({ name }) => name)).toEqual([
      'stop-commands',
      ...commands.slice(1, -1).map(() => 'error'),
      // Only some rules were selected.
      'notice',
    ])
    expect(commands[1]?.line).toMatch(
      /^::error title=A request without x-api-key%3A wrong answer::Expected: 400 \/ 1001 .*%0ABreaks 2 rules: authentication\/api-key-missing/,
    )
    expect(commandsIn(stderr)).toEqual([])
    const summary = await readFile(join(cwd, 'reports', 'summary.md'), 'utf8')
    expect(await readFile(env.GITHUB_STEP_SUMMARY, 'utf8')).toBe(`of an earlier step\n\n${summary}`)
    expect(summary).toContain('**Partial: not conformant: 1 problem**')
    expect(code).toBe(1)
  })

  test('annotations go to standard error with --format json, and the verdict contains no command', async () => {
    const service = await hostile()
    const env = { ...settingsFor(service), GITHUB_ACTIONS: 'true' }

    const { code, verdict, stdout, stderr } = await run([...selected, '--format', 'json'], { env })

    expect(JSON.parse(stdout)).toEqual(verdict)
    expect(stdout).toContain(String.raw`#\u0023[add-path]/owned`)
    expect(commandsIn(stdout)).toEqual([])
    expect(new Set(commandsIn(stderr).map(({ name }) => name))).toEqual(new Set(['error', 'notice']))
    expect(code).toBe(1)
  })

  test('a wrong setting is annotated, and an unwritable summary changes no exit code', async () => {
    const cwd = await emptyFolder()
    await mkdir(join(cwd, 'step.md'))
    const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(cwd, 'step.md') }

    const { code, stdout, stderr } = await run(['--base-url', 'staging'], { cwd, env })

    expect(commandsIn(stdout).map(({ name }) => name)).toEqual(['stop-commands', 'error'])
    expect(stderr).toMatch(/step\.md \(GITHUB_STEP_SUMMARY\): EISDIR/)
    expect(code).toBe(2)
  })
})

describe('outside GitHub', () => {
  test('no workflow command is printed, and commands for other pipelines are escaped', async () => {
    const service = await hostile()

    const { stdout } = await run(selected, { env: settingsFor(service) })

    expect(stdout).not.toMatch(/^::/m)
    expect(stdout).toContain(String.raw`#\u0023[add-path]/owned`)
    expect(stdout).not.toContain('##[')
  })
})

/** A workflow command that GitHub's runner would execute. */
interface WorkflowCommand {
  readonly name: string
  readonly line: string
}

const current = /^\s*::(?<name>[^\s:]+)(?: [^\n]*?)?::(?<data>.*)$/
const former = /##\[(?<name>[^\s\]]+)[^\]]*\](?<data>.*)$/

/**
 * The commands that the runner reads from a log, line by line: `::name …::` at the beginning of a line, `##[name …]` anywhere in it,
 * nothing between `stop-commands` and its token. Source: ActionCommand.cs and ActionCommandManager.cs of actions/runner.
 */
function commandsIn(log: string): readonly WorkflowCommand[] {
  const commands: WorkflowCommand[] = []
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
