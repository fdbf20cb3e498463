import { describe, expect, it } from 'vitest'
import { profiles } from '../../settings/profiles.ts'
import { documentedPairs } from '../../specification/answers.ts'
import { rules } from '../../specification/rules.ts'
import { historyLine } from '../../verdict/history-line.ts'
import { verdictMistakes } from '../../verdict/read-verdict.ts'
import {
  findingWith,
  ruleWith,
  rulesWith,
  targetWith,
  verdictWith,
  waiver,
} from '../../verdict/verdict.testing.ts'
import { statuses, type Verdict, type VerdictWaiver } from '../../verdict/verdict.ts'
import { htmlPage } from '../page/html-page.ts'
import { terminalSummary } from '../render/terminal-summary.ts'
import { view } from '../view.ts'
import { withCodeNames } from './codes.ts'
import { askedAddress, connectionTexts, headlineWord, verdictSentence } from './headline.ts'
import { legend } from './legend.ts'

const reason = 'mended in the next release (Kim, until 2027-01-31)'
const findings = [findingWith({ fingerprint: 'aaaabbbbccccdddd', waived: reason })]
const waivedRule = ruleWith('authentication/no-side-door', { status: 'waived', because: reason, findings })
const inPart = ruleWith('conventions/json-content-type', {
  status: 'warned',
  findings: [findingWith(), ...findings],
})
const used = { ...waiver, used: true }
const one = verdictWith({ rules: rulesWith([waivedRule]), waivers: [used] })
const two = verdictWith({ rules: rulesWith([waivedRule, inPart]), waivers: [used, used] })
const some = { selection: { only: ['endpoints/*'] } }
const incomplete = { verdict: 'incomplete', exitCode: 3 } as const
const conformant = verdictWith()
const partial = { ...conformant, ...some }
const terminal = (verdict: Verdict, colour: boolean): string =>
  terminalSummary(view(verdict), { colour, width: 400, reportsDir: '/reports' })

it.each([
  // The golden texts show the words of verdicts without exceptions or of a part.
  ['partial, conformant with 1 agreed exception', { ...one, ...some }],
  // Exceptions are counted by waivers that cover something, not by rules. The history counts the same way.
  ['conformant with 1 agreed exception', { ...two, waivers: [used, waiver] }],
  ['conformant with 2 agreed exceptions', { ...one, waivers: [used, used] }],
  ['conformant with 1 agreed exception', historyLine({ ...two, waivers: [used] })],
  ['conformant', historyLine(conformant)],
] as const)('a headline says %s', (word, verdict) => {
  expect(headlineWord(verdict)).toBe(word)
})

it.each([
  [true, conformant],
  [false, partial],
])('a headline has a tick and is green only for a complete selection: %s', (isGreen, verdict) => {
  const page = htmlPage(view(verdict))
  const hero = /<section class="hero[\s\S]*?<\/h1>/.exec(page)?.[0] ?? ''

  expect(hero.toLowerCase()).toContain('conformant')
  expect(hero.includes('class="icon passed"')).toBe(isGreen)
  expect(terminal(verdict, true).includes('\u001B[32m')).toBe(isGreen)
})

const asked = 'https://a.example/prefix/api/customizations/list'
const paths = ['/api/customizations/list', '/api/b', '/api/c', '/api/d', '/api/e']

it.each([
  [paths.slice(0, 1), asked],
  [paths.slice(0, 2), `${asked}, /api/b`],
  [paths, `${asked}, /api/b, /api/c and 2 more endpoints`],
  [[], 'https://a.example/prefix'],
  [['POST /api/b', 'PUT /api/b'], 'POST https://a.example/prefix/api/b, PUT /api/b'],
])('the address in a headline for %j is %s', (endpoints, expected) => {
  for (const baseUrl of ['https://a.example/prefix', 'https://a.example/prefix/'])
    expect(askedAddress(targetWith({ baseUrl, label: null, endpoints }))).toBe(expected)
})

it.each([
  [{ proxy: 'http://a:1', caFiles: [] }, 'through the proxy http://a:1'],
  [{ proxy: null, caFiles: ['/a.pem', '/b.pem'] }, 'trusting the certificates of /a.pem and /b.pem'],
  [{ proxy: null, caFiles: [], certFile: '/c.pem' }, 'with the client certificate /c.pem'],
  [{ proxy: null, caFiles: [], fromEnvFile: ['HTTPS_PROXY'] }, 'proxy from .env'],
  [
    { proxy: null, caFiles: [], fromEnvFile: ['TARGET_BASE_URL', 'HTTPS_PROXY', 'RUN_CA_FILE'] },
    'address, proxy and certificate authority from .env',
  ],
] as const)('the connection %j is described as: %s', (connection, says) => {
  expect(connectionTexts({ connection })).toEqual([says])
  expect(verdictMistakes({ ...conformant, connection })).toEqual([])
})

it('the one-sentence verdict never claims that enough was judged', () => {
  expect(verdictSentence({ ...conformant, ...incomplete, rules: [] })).toBe('no rule was judged')
})

describe('a waiver', () => {
  const untested = ruleWith('quota/exhausted', { status: 'untested', because: 'no budget' })
  const other = { rule: null, fingerprint: 'abcdef12' }
  const goneFingerprints = ['abcd', 'abcf']
  const unjudged = 'what it covers was not judged'

  it.each<[Partial<VerdictWaiver>, alarm: string, state: string, Partial<Verdict>?]>([
    [{}, 'COVERED NOTHING in this run', 'remove it from the RUN_WAIVERS file if its fault is fixed'],
    [other, 'abcdef12', 'COVERED NOTHING in this run'],
    [{ gone: true }, 'its fault is gone: remove it', 'its fault is gone: remove it'],
    [{ gone: true }, 'acceptance fails until then', '', { profile: 'acceptance' }],
    [{ goneFingerprints }, 'remove the fingerprints abcd, abcf from it', 'NAMES FAULTS THAT ARE GONE'],
    // The run did not judge what the waiver covers.
    [{}, '', unjudged, { rules: [untested] }],
    [{}, '', unjudged, { rules: [ruleWith('fuzz/query')] }],
    [{}, '', unjudged, { rules: [] }],
    [other, '', unjudged, { selection: { only: ['errors/*'] } }],
  ])('with %j raises an alarm if somebody must act, and shows its state', (changes, alarm, state, of) => {
    const verdict = verdictWith({ ...of, waivers: [{ ...waiver, ...changes }] })

    const { alarms, waivers } = view(verdict)
    expect(alarms).toHaveLength(alarm === '' ? 0 : 1)
    expect(alarms.join()).toContain(alarm)
    expect(waivers.map((row) => Object.values(row).join(' | ')).join()).toContain(state)
  })
})

it.each([
  [
    'answered 401 / 1006 where 400 / 1001 is documented',
    'answered 401 / 1006 (invalid api key) where 400 / 1001 (api key header is missing) is documented',
  ],
  ['is refused with 429 and 1020', 'is refused with 429 and 1020 (daily quota limit exceeded)'],
  ['400 / 1001, then 400 / 1001', '400 / 1001 (api key header is missing), then 400 / 1001'],
  ['400 / 1001 (api key header is missing)', '400 / 1001 (api key header is missing)'],
  ['400 / 1006 and 400 / 1999', '400 / 1006 and 400 / 1999'],
])('code names are added where they are missing in %j', (text, named) => {
  expect(withCodeNames(text)).toBe(named)
})

const all = legend.flatMap(({ facts }) => facts)

it('the legend explains every status, level, verdict, profile, code and term once, in one short line', () => {
  const words = all.map(({ label }) => label)
  const wanted = [
    ...statuses,
    ...new Set(Object.values(rules).map(({ level }) => level)),
    ...Object.keys(profiles),
    ...documentedPairs.map(({ status, errorCode }) => `${status} / ${errorCode}`),
    ...'conformant nonconformant incomplete error partial violated cause fingerprint seed'.split(' '),
    ...'counterexample waiver finding case baseline'.split(' '),
  ]

  expect(wanted.filter((word) => !words.includes(word))).toEqual([])
  expect(new Set(words).size).toBe(words.length)
  for (const { value } of all) expect(value.length).toBeLessThan(110)
})
