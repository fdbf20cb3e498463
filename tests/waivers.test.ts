import { expect, test } from 'vitest'
import { against, expectEnds, inOneLine } from './support/program-test.ts'
import { ruleIn, rulesThat, type Texts } from './support/program.ts'

const waive = '--out waivers.json --reason agreed --owner Kim'
const waived = { env: { RUN_WAIVERS: 'waivers.json' } }
const acceptance = { RUN_PROFILE: 'acceptance', RUN_FUZZ_CASES: '2' }

interface Entry {
  readonly fingerprint?: string
  readonly fingerprints?: readonly string[]
}

/** Every entry that a summary offers for pasting, completed with a reason and an owner. */
function offeredIn(summary: string): readonly Entry[] {
  return summary.split('\n').flatMap((line) => {
    const text = line.trim().replace(/,$/, '')
    return text.startsWith('{"') ? [{ ...JSON.parse(text), reason: 'agreed', owner: 'Kim' }] : []
  })
}

const sorted = (entries: readonly Entry[]) => entries.map((entry) => JSON.stringify(entry)).toSorted()

test.each<readonly [string, string, Texts]>([
  ['a wrong status for 1013, in acceptance', 'unauthorized-client-forbidden', acceptance],
  ['text instead of error objects', 'errors-in-plain-text', {}],
  ['errors labelled as text, in a strict run', 'errors-labelled-text', { RUN_STRICT: 'true' }],
  ['a quota that does not end', 'disposable-client-never-refused', {}],
])('run, waive and run again exits 0 for %s', async (_, fault, env) => {
  const { run, read } = await against({ faults: [fault], env })
  const before = await run()
  expectEnds(before, 1)

  expectEnds(await run(`waive reports ${waive}`), 0)
  const entries: readonly Entry[] = JSON.parse(await read('waivers.json'))
  const causes = (before.verdict?.causes ?? []).filter(({ warning }) => !warning)
  const offered = offeredIn(await read('reports/summary.md'))
  expect(sorted(offered), 'the entries in the summary').toEqual(sorted(entries))
  const covered = entries.map(({ fingerprint, fingerprints = [] }) => [fingerprint ?? fingerprints].flat())
  expect(covered).toEqual(causes.map(({ fingerprints }) => fingerprints))

  const after = await run('', waived)
  expect(after.verdict?.because, 'no reason is left').toEqual([])
  expect(rulesThat(after.verdict, 'failed')).toEqual([])
  const exceptions = entries.length === 1 ? 'EXCEPTION' : 'EXCEPTIONS'
  expectEnds(after, 0, `CONFORMANT WITH ${entries.length} AGREED ${exceptions}: `)
  expect(after.verdict?.waivers.every(({ used }) => used)).toBe(true)
})

test('every report shows what is waived with a served client without permission', async () => {
  const { run, read } = await against({ faults: ['unauthorized-client-served'] })
  await run('--reports-dir before')
  await run(`waive before ${waive}`)
  const after = await run('', waived)
  const says =
    'the client of FIXTURE_UNAUTHORIZED_API_KEY is not refused as expected; follows from authentication/endpoint-unauthorized, waived: agreed (Kim, until '

  expect([after.code, after.verdict?.because]).toEqual([0, []])
  const rule = ruleIn(after.verdict, 'authentication/stays-refused')
  const follows = [{ rule: 'authentication/endpoint-unauthorized' }]
  const because = expect.stringContaining(says)
  expect(rule).toMatchObject({ status: 'waived', because, findings: [], follows })
  const breach =
    /A request from a client without permission was accepted|answered 200 with JSON where 401 \/ 1013/
  for (const name of ['summary.md', 'junit.xml']) {
    expect(await read(`reports/${name}`), name).toContain(says)
    expect(await read(`reports/${name}`), 'the security breach itself').toMatch(breach)
  }
  const page = await read('reports/index.html')
  expect(inOneLine(page.replaceAll(/<[^>]*>/g, ''))).toContain(says)

  const none = 'an earlier run in which a selected rule failed or was inconclusive'
  expectEnds(await run('--failed', waived), 2, none)
})
