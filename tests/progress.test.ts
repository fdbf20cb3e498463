import { describe, expect, test } from 'vitest'
import { reference, run } from './support/program-test.ts'
import { folderWith, settingsFor } from './support/program.ts'

/** Connects standard output and error to one terminal, which util-linux provides. */
const onTerminal = ['bash', '-c', 'exec script -qec "$(printf "%q " "$@")" /dev/null', 'bash']

/** The final screen of a terminal after a text. Supports only carriage returns and erasing to the end of a line. */
function screen(text: string): string {
  return text
    .split('\n')
    .map((line) =>
      line.split('\r').reduce((shown, part) => {
        const [before = '', ...after] = part.split('\u001B[K')
        const over = before + (after.length > 0 ? '' : shown.slice(before.length))
        return over + after.join('')
      }, ''),
    )
    .join('\n')
}

const line = /(?:[a-z-]+|beginning): [\d,]+ of [\d,]+ cases, [\d,]+ of at most [\d,]+ requests/

describe('progress', () => {
  test('is one line on a terminal, rewritten in place and removed before the verdict', async () => {
    const service = await reference({ latencyMs: 50 })

    const { code, stdout } = await run([], {
      env: { ...settingsFor(service), RUN_QUIET: 'false', TERM: 'xterm' },
      through: onTerminal,
    })

    const rewritten = stdout.match(new RegExp(`\\r${line.source}[^\\r\\n]*\\u001B\\[K`, 'g')) ?? []
    expect(rewritten.length).toBeGreaterThan(2)
    expect(new Set(rewritten).size).toBe(rewritten.length)
    const done = rewritten.map((text) => Number(/: ([\d,]+) of/.exec(text)?.[1]?.replaceAll(',', '')))
    expect(done).toEqual(done.toSorted((a, b) => a - b))
    expect(done.at(-1)).toBeGreaterThan(done[0] ?? Infinity)
    expect(screen(stdout)).toContain('CONFORMANT')
    expect(screen(stdout)).not.toMatch(line)
    expect(code).toBe(0)
  })

  test('shows how many rules of a large endpoints file are planned', async () => {
    const entries = Array.from({ length: 120 }, (_, index) => ({
      method: 'GET',
      path: `/api/cards-${index}`,
    }))
    const cwd = await folderWith({ 'endpoints.json': JSON.stringify(entries) })
    const env = {
      TARGET_BASE_URL: 'http://127.0.0.1:9',
      TARGET_API_KEY: 'ak_live_93hTqLw0',
      TARGET_SECRET_KEY: 'sk_live_51HzYq8Lk2',
      TARGET_ENDPOINTS: 'endpoints.json',
      RUN_PROFILE: 'acceptance',
      RUN_QUIET: 'false',
      TERM: 'xterm',
    }
    const planned = (args: readonly string[]) => run(['plan', ...args], { cwd, env, through: onTerminal })
    const [loud, quiet] = [await planned([]), await planned(['--quiet'])]

    expect([loud.code, quiet.code]).toEqual([0, 0])
    expect(loud.stdout).toMatch(/\rplanning: \d+ of \d+ rules/)
    expect(quiet.stdout).not.toContain('planning: ')
    expect(screen(loud.stdout).replaceAll('\r', '')).toContain('DOES NOT FIT')
    expect(screen(loud.stdout)).not.toContain('planning: ')
  })

  test('is not shown with --quiet or on a terminal that cannot rewrite a line', async () => {
    const service = await reference()
    const shown = async (args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> => {
      const settings = { ...settingsFor(service), RUN_QUIET: 'false', ...env }
      const { stdout } = await run(['--only', 'endpoints/*', ...args], { env: settings, through: onTerminal })
      return stdout.replaceAll('\r\n', '\n')
    }

    for (const text of [await shown(['--quiet'], { TERM: 'xterm' }), await shown([], { TERM: 'dumb' })]) {
      expect(text).not.toMatch(line)
      expect(text).not.toContain('\r')
    }
  })
})
