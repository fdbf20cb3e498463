import { expect, test } from 'vitest'
import { against, expectEnds } from './support/program-test.ts'

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

type Loud = Parameters<typeof against>[0] & { TERM?: string }

/** Runs the program on a terminal, loudly. */
async function loudly(words: string, { TERM = 'xterm', ...more }: Loud = {}) {
  const { run } = await against(more)
  return run(words, { env: { RUN_QUIET: 'false', TERM }, through: onTerminal })
}

test('progress is one line on a terminal, rewritten in place and removed before the verdict', async () => {
  const { code, stdout } = await loudly('', { latencyMs: 50 })

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

test('progress shows how many rules of a large endpoints file are planned, unless --quiet is set', async () => {
  const entries = Array.from({ length: 120 }, (_, at) => ({ method: 'GET', path: `/api/cards-${at}` }))
  const files = { 'endpoints.json': JSON.stringify(entries) }
  const plan = 'plan --profile acceptance --endpoints endpoints.json'
  const [loud, quiet] = [await loudly(plan, { files }), await loudly(`${plan} --quiet`, { files })]

  expectEnds(loud, 0, /\rplanning: \d+ of \d+ rules/)
  expectEnds(quiet, 0)
  expect(screen(loud.stdout).replaceAll('\r', '')).toContain('DOES NOT FIT')
  for (const text of [screen(loud.stdout), quiet.stdout]) expect(text).not.toContain('planning: ')
})

test.for([
  ['with --quiet', '--quiet', 'xterm'],
  ['on a terminal that cannot rewrite a line', '', 'dumb'],
] as const)('progress is not shown %s', async ([, words, TERM]) => {
  const { stdout } = await loudly(`--only endpoints/* ${words}`, { TERM })
  const text = stdout.replaceAll('\r\n', '\n')

  expect(text).not.toMatch(line)
  expect(text).not.toContain('\r')
})
