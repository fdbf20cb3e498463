import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { beforeAll, expect, it } from 'vitest'
import { settingsOf } from '../../lib/doors/cli/serve-command.ts'
import { describeIssues, judge, readSettings, type Settings } from '../../lib/doors/library/library.ts'
import type { Exchange } from '../../lib/http/exchange.ts'
import { allowed } from '../../lib/judge/facts.ts'
import type { TestRequest } from '../../lib/run/plan/suite-context.ts'
import { success, type Answer } from '../../lib/specification/answers.ts'
import type { Facts } from '../../lib/specification/flaws.ts'
import { emptyFolder } from '../../tests/support/program.ts'
import { startService } from '../service/start.ts'
import { figuresOf, firstOpinion, listener, openLines, bothJudges, type Situations } from './comparison.ts'

/** All exchanges of a gate with two services: a correct one, and one that serves clients it should refuse. */
const recorded: (readonly [Settings, TestRequest, Exchange])[] = []

beforeAll(async () => {
  const faults = ['missing-version-defaults-to-one', 'missing-api-key-found-by-secret']
  for (const fault of [null, ...faults, 'undocumented-code-for-invalid-api-key']) {
    const service = await startService({ faults: fault === null ? [] : [fault] })
    try {
      const read = await readSettings({ env: settingsOf(service) })
      if (read.kind === 'issues') throw new Error(describeIssues(read.issues))
      const { settings, suites } = read
      await judge(settings, suites, {
        onEvent: (event) => {
          if (event.kind === 'answered') recorded.push([settings, event.request, event.exchange])
        },
      })
    } finally {
      await service.close()
    }
  }
})

/** The opinions of both judges about all exchanges. One judge may have a mistake. */
function askedOf(judges: typeof bothJudges): Situations {
  const met: Situations = new Map()
  for (const [settings, request, exchange] of recorded) listener(settings, met, judges)(request, exchange)
  return met
}

const disagreements = (judges: typeof bothJudges): readonly string[] => openLines(askedOf(judges))

it('both judges agree unless one is silent', () => {
  expect(disagreements(bothJudges)).toEqual([])
  const { agree, exchanges } = figuresOf(askedOf(bothJudges))
  expect(exchanges).toBeGreaterThan(1_400)
  // A judge that fell silent would agree about fewer.
  expect(agree).toBeGreaterThanOrEqual(85)
})

const without = (code: string) => (all: readonly Answer[]) => all.filter((one) => one.errorCode !== code)
const when =
  (is: (facts: Facts) => boolean, change: (answers: readonly Answer[]) => readonly Answer[]) =>
  (facts: Facts): readonly Answer[] =>
    is(facts) ? change(allowed(facts)) : allowed(facts)
const orSuccess = (answers: readonly Answer[]): readonly Answer[] => [success, ...answers]

/** Mistakes of the suite's oracle. */
const ofFirst: Readonly<Record<string, (facts: Facts) => readonly Answer[]>> = {
  'an absent key may succeed': when(({ apiKey }) => apiKey === 'absent', orSuccess),
  'an absent key never gets 1001': when(({ apiKey }) => apiKey === 'absent', without('1001')),
  'a wrong key never gets 1006': when(({ apiKey }) => apiKey === 'invalid', without('1006')),
  'a wrong secret never gets 1007': when(({ secretKey }) => secretKey === 'nobodys', without('1007')),
  'an absent secret never gets 1002': when(({ secretKey }) => secretKey === 'absent', without('1002')),
  'an absent version may succeed': when(({ version }) => version === 'absent', orSuccess),
  'an unsupported version never gets 1010': when(({ version }) => version === 'unsupported', without('1010')),
  'an unknown endpoint never gets 1010': when(({ endpoint }) => endpoint === 'unknown', without('1010')),
  'a missing customer never gets 1012': when(({ customer }) => customer === 'none', without('1012')),
  'an inactive client never gets 1011': when(({ state }) => state === 'inactive', without('1011')),
  'a denied client never gets 1013': when(({ permission }) => permission === 'denied', without('1013')),
  'a used-up quota never gets 1020': when(({ quota }) => quota === 'used-up', without('1020')),
  'invalid input never gets 1030': when(({ input }) => input === 'invalid', without('1030')),
  'a valid request may not succeed': when(
    ({ apiKey, secretKey, version }) => apiKey === 'valid' && secretKey === 'valid' && version === 'served',
    (answers) => answers.filter(({ errorCode }) => errorCode !== null),
  ),
}

it.each(Object.entries(ofFirst))(
  'a mistake in the suite’s oracle is found by the second judge: %s',
  (_, allowedBy) => {
    const first: typeof firstOpinion = (request, exchange, known) =>
      firstOpinion(request, exchange, known, allowedBy)
    expect(disagreements({ ...bothJudges, first })).not.toEqual([])
  },
)

/** Mistakes in the second judge: a piece of its source, and the replacement. */
const ofSecond: Readonly<Record<string, readonly [piece: string, mistake: string]>> = {
  '1001 has status 401': ["1001: [400, 'A2", "1001: [401, 'A2"],
  '1006 has status 400': ["1006: [401, 'A5", "1006: [400, 'A5"],
  '1020 has status 400': ["1020: [429, 'E3", "1020: [400, 'E3"],
  'an absent key gets 1006': ["'holds', '1001'", "'holds', '1006'"],
  'an absent secret is not a flaw': ["'holds', '1002'", "'fails', '1002'"],
  'an absent version is not a flaw': ["'holds', '1003'", "'free', '1003'"],
  'an unknown endpoint is not a flaw': ["'endpoint unknown', 'holds'", "'endpoint unknown', 'fails'"],
  'invalid input is not a flaw': ["'holds', '1030'", "'fails', '1030'"],
  'clients that are not permitted get 1011': ["unauthorized: '1013'", "unauthorized: '1011'"],
  'field names differ by letter case': ['names.includes(n.toLowerCase())', 'names.includes(n)'],
  'an undocumented code is allowed': ['if (!rule) return forbidden(', 'if (!rule) return allowed('],
}

const folder = await emptyFolder()
const source = readFileSync(fileURLToPath(new URL('second-judge.ts', import.meta.url)), 'utf8')

it.each(Object.entries(ofSecond))(
  'a mistake in the second judge is found by the suite’s oracle: %s',
  async (name, [piece, mistake]) => {
    expect(source).toContain(piece)
    const file = join(folder, `${name.replaceAll(/\W/g, '-')}.ts`)
    writeFileSync(file, source.replaceAll(piece, mistake))
    const wrong: typeof import('./second-judge.ts') = await import(pathToFileURL(file).href)
    expect(disagreements({ ...bothJudges, second: wrong.secondOpinion })).not.toEqual([])
  },
)
