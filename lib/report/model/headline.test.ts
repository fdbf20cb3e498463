import { describe, expect, it } from 'vitest'
import { serviceRules } from '../../specification/testing/rule-counts.ts'
import { verdictMistakes } from '../../verdict/read-verdict.ts'
import {
  errorVerdict,
  findingWith,
  nonconformantVerdict,
  ruleWith,
  rulesWith,
  targetWith,
  verdictWith,
} from '../../verdict/verdict.testing.ts'
import { historyLine } from '../../verdict/history-line.ts'
import type { TargetConnection, Verdict, VerdictWaiver } from '../../verdict/verdict.ts'
import { allureEnvironment } from '../allure/allure-run.ts'
import { annotations } from '../render/annotations.ts'
import { reportsOf } from '../testing/every-report.ts'
import { askedAddress, headlineWord, verdictSentence, waiverNotes } from './headline.ts'
import { junitXml } from '../render/junit.ts'
import { htmlPage } from '../page/html-page.ts'
import { summaryMarkdown, terminalSummary } from '../render/summaries.ts'

const reason = 'mended in the next release (Kim, until 2027-01-31)'
const waivedRule = ruleWith('authentication/no-side-door', {
  status: 'waived',
  because: reason,
  findings: [findingWith({ waived: reason })],
})
const inPart = ruleWith('conventions/json-content-type', {
  status: 'warned',
  findings: [findingWith(), findingWith({ fingerprint: 'aaaabbbbccccdddd', waived: reason })],
})
const waiver: VerdictWaiver = {
  rule: 'quota/exhausted',
  fingerprint: null,
  reason: 'agreed',
  owner: 'Kim',
  expires: '2027-01-31',
  expired: false,
  used: false,
}
const used = { ...waiver, used: true }
const one = verdictWith({ rules: rulesWith([waivedRule]), waivers: [used] })
const two = verdictWith({ rules: rulesWith([waivedRule, inPart]), waivers: [used, used] })
const some = { selection: { only: ['endpoints/*'] } }
const [conformant, nonconformant] = [verdictWith(), nonconformantVerdict()]
const partial = [verdictWith(some), { ...one, ...some }, { ...nonconformant, ...some }]
const withExceptions: readonly Verdict[] = [
  one,
  two,
  { ...one, ...some },
  { ...one, verdict: 'incomplete', exitCode: 3 },
]

describe('a headline', () => {
  it.each([
    ['conformant', verdictWith()],
    ['conformant with 1 agreed exception', one],
    ['conformant with 2 agreed exceptions', two],
    ['partial, conformant', verdictWith(some)],
    ['partial, conformant', verdictWith({ selection: { only: null, essential: true } })],
    ['partial, conformant with 1 agreed exception', { ...one, ...some }],
    ['nonconformant', nonconformantVerdict()],
    ['partial, nonconformant', { ...nonconformantVerdict(), ...some }],
    ['partial, incomplete', verdictWith({ ...some, verdict: 'incomplete', exitCode: 3 })],
    ['error', errorVerdict()],
  ] as const)('says %s', (word, verdict) => {
    expect(headlineWord(verdict)).toBe(word)
  })

  it.each(Object.keys(reportsOf(one)))('names the exceptions and the part: %s', (name) => {
    expect(reportsOf(one)[name]).toContain('conformant with 1 agreed exception')
    expect(reportsOf(two)[name]).toContain('conformant with 2 agreed exceptions')
    for (const verdict of partial) {
      expect(reportsOf(verdict)[name]).toContain('partial')
    }
    for (const verdict of [conformant, nonconformant]) {
      expect(reportsOf(verdict)[name]).not.toMatch(/agreed exception|partial/)
    }
  })

  it.each(Object.keys(reportsOf(one)))('never says of a waived violation that none is there: %s', (name) => {
    for (const verdict of withExceptions) {
      expect(reportsOf(verdict)[name]).not.toMatch(/none is violated|nothing is violated|: nothing violated/)
    }
  })

  it('is a notice on GitHub where the verdict alone would say too much', () => {
    expect(annotations(one)).toEqual([
      `::notice title=conformance%3A conformant with 1 agreed exception::1 agreed exception, nothing else is violated, ${serviceRules - 1} rules passed; waived: authentication/no-side-door`,
    ])
    expect(annotations(verdictWith(some))).toEqual([
      `::notice title=conformance%3A partial%2C conformant::nothing is violated, ${serviceRules} rules passed (only endpoints/*)`,
    ])
    expect(annotations({ ...nonconformantVerdict(), ...some }).at(-1)).toMatch(
      /^::notice title=conformance%3A partial%2C nonconformant::/,
    )
  })

  it('about a part of the rules has no tick, and is not green', () => {
    const tick = 'class="icon passed"'
    const hero = (verdict: Verdict): string =>
      /<section class="hero[\s\S]*?<\/h1>/.exec(htmlPage(verdict))?.[0] ?? ''
    const green = '\u001B[32m'
    const coloured = (verdict: Verdict): string =>
      terminalSummary(verdict, { colour: true, width: 200, reportsDir: '/reports' })

    expect(hero(verdictWith())).toContain(tick)
    expect(coloured(verdictWith())).toContain(green)
    expect(hero(verdictWith(some))).toContain('Partial, conformant')
    expect(hero(verdictWith(some))).not.toContain(tick)
    expect(coloured(verdictWith(some))).not.toContain(green)
    const tabOf = (verdict: Verdict): string => /<link rel="icon"[^>]*>/.exec(htmlPage(verdict))?.[0] ?? ''
    expect(tabOf(verdictWith(some))).not.toContain('12693c')
    expect(tabOf(verdictWith())).toContain('12693c')
  })
})

describe('the address of a headline', () => {
  const target = targetWith({ baseUrl: 'https://a.example/prefix', label: null })
  const paths = ['/api/customizations/list', '/api/b', '/api/c', '/api/d', '/api/e']

  it.each([
    ['with one endpoint', paths.slice(0, 1), 'https://a.example/prefix/api/customizations/list'],
    ['with two', paths.slice(0, 2), 'https://a.example/prefix/api/customizations/list, /api/b'],
    [
      'with five',
      paths,
      'https://a.example/prefix/api/customizations/list, /api/b, /api/c and 2 more endpoints',
    ],
    ['with none that was judged', [], 'https://a.example/prefix'],
    ['with other methods', ['POST /api/b', 'PUT /api/b'], 'POST https://a.example/prefix/api/b, PUT /api/b'],
  ])('is the URL asked: %s', (_, endpoints, expected) => {
    const asked = { ...target, endpoints }

    expect(askedAddress(asked)).toBe(expected)
    expect(askedAddress({ ...asked, baseUrl: `${target.baseUrl}/` })).toBe(expected)
  })

  it('is none without a target', () => {
    expect(askedAddress(errorVerdict().target)).toBe('no target')
  })

  it.each(Object.keys(reportsOf(one)).filter((name) => !name.startsWith('comparison')))(
    'stands in every report: %s',
    (name) => {
      const asked = 'https://staging.example.com/cards/api/customizations/list'

      expect(reportsOf(verdictWith())[name]?.replaceAll('&#47;', '/')).toContain(asked)
    },
  )
})

const connection: TargetConnection = {
  proxy: 'http://proxy.example:3128',
  caFiles: ['/etc/own-ca.pem', '/etc/extra.pem'],
}
const proxy = 'through the proxy http://proxy.example:3128'
const authorities = 'trusting the certificates of /etc/own-ca.pem and /etc/extra.pem'

/** The first line of the terminal. */
function terminalLine(verdict: Verdict): string {
  return terminalSummary(verdict, { colour: false, width: 400, reportsDir: '/r' }).split('\n')[0] ?? ''
}

/** The report as a person reads its headline: without tags, marks of Markdown and line breaks. */
const headlines: Readonly<Record<string, (verdict: Verdict) => string>> = {
  'the terminal': terminalLine,
  'the terminal, of a run that came to nothing': ({ connection: given }) =>
    terminalLine({ ...errorVerdict(), connection: given ?? { proxy: null, caFiles: [] } }),
  'summary.md': (verdict) => (summaryMarkdown(verdict).split('\n')[0] ?? '').replaceAll('`', ''),
  'index.html': (verdict) =>
    (/<section class="hero.*?<\/section>/s.exec(htmlPage(verdict))?.[0] ?? '').replaceAll(/<[^>]*>/g, ''),
}

describe('the proxy and the certificate authorities in use', () => {
  it.each(Object.entries(headlines))('stand in the headline of %s, if there are any', (_, headline) => {
    for (const text of [proxy, authorities]) expect(headline(verdictWith({ connection }))).toContain(text)
    expect(headline(verdictWith())).not.toMatch(/proxy|trusting/)
  })

  it.each([
    [proxy, { ...connection, caFiles: [] }],
    [authorities, { ...connection, proxy: null }],
  ])('are each named alone: %s', (text, alone) => {
    expect(terminalLine(verdictWith({ connection: alone }))).toContain(
      `(vendor, build 42), ${text}, profile gate`,
    )
  })

  it.each(Object.entries(headlines))('came from .env, which the headline of %s says', (_, headline) => {
    const given = verdictWith({ connection: { ...connection, fromEnvFile: ['HTTPS_PROXY', 'RUN_CA_FILE'] } })
    expect(headline(given)).toContain('proxy and certificate authority from .env')
    expect(headline(verdictWith({ connection }))).not.toContain('.env')
  })

  it('are properties of every suite in junit.xml, and facts of Allure', () => {
    const xml = junitXml(verdictWith({ connection }))
    const plain = junitXml(verdictWith())

    expect(xml).toContain('<property name="proxy" value="http://proxy.example:3128"/>')
    expect(xml).toContain('<property name="caFiles" value="/etc/own-ca.pem, /etc/extra.pem"/>')
    expect(plain).not.toMatch(/name="(?:proxy|caFiles)"/)
    expect(allureEnvironment(verdictWith({ connection }))).toMatchObject({
      proxy: 'http://proxy.example:3128',
      'certificate authorities': '/etc/own-ca.pem, /etc/extra.pem',
    })
    expect(Object.keys(allureEnvironment(verdictWith()))).not.toContain('proxy')
  })

  it('fit the schema, which earlier verdicts without them fit, too', () => {
    expect(verdictMistakes(verdictWith({ connection }))).toEqual([])
    expect(verdictMistakes(verdictWith())).toEqual([])
    expect(verdictMistakes({ ...verdictWith(), connection: { proxy: 7, caFiles: null } })).toHaveLength(2)
  })
})

describe('the verdict in one sentence', () => {
  it('never says of an incomplete run that it is enough', () => {
    expect(verdictSentence(verdictWith({ verdict: 'incomplete', exitCode: 3, rules: [] }))).toBe(
      'no rule was judged',
    )
    expect(verdictSentence(verdictWith({ verdict: 'incomplete', exitCode: 3 }))).toBe(
      'what was judged is not enough for a verdict',
    )
  })

  it('tells a mistake of the user from one of the suite', () => {
    expect(verdictSentence(errorVerdict())).toContain("the user's files are wrong")
    expect(verdictSentence({ ...errorVerdict(), exitCode: 4 })).toContain('the suite itself failed')
  })
})

function kinds(changes: Partial<VerdictWaiver>, verdict: Partial<Verdict> = {}): readonly string[] {
  return waiverNotes(verdictWith({ ...verdict, waivers: [{ ...waiver, ...changes }] })).map(
    ({ kind }) => kind,
  )
}

describe('agreed exceptions', () => {
  it('are the waivers that cover anything, whatever the number of rules', () => {
    expect(headlineWord({ ...two, waivers: [used, waiver] })).toBe('conformant with 1 agreed exception')
    expect(headlineWord({ ...one, waivers: [used, used] })).toBe('conformant with 2 agreed exceptions')
    expect(verdictSentence({ ...two, waivers: [used] })).toMatch(/^1 agreed exception, nothing else /)
  })

  it('are counted alike in the history', () => {
    expect(headlineWord(historyLine({ ...two, waivers: [used] }))).toBe('conformant with 1 agreed exception')
    expect(headlineWord(historyLine(verdictWith()))).toBe('conformant')
  })
})

describe('waivers to look at', () => {
  it('are those that expired, whose fault is gone, or that covered nothing', () => {
    expect(kinds({ used: true })).toEqual([])
    expect(kinds({ expired: true })).toEqual(['expired'])
    expect(kinds({ gone: true })).toEqual(['gone'])
    expect(kinds({})).toEqual(['idle'])
    expect(kinds({ goneFingerprints: ['abcd'], used: true })).toEqual(['partly'])
    expect(kinds({ goneFingerprints: ['abcd'] })).toEqual(['partly'])
  })

  it('name the fingerprints whose fault is gone, on every report', () => {
    const partly = { ...waiver, rule: null, fingerprints: ['abcd', 'abce', 'abcf'], used: true }
    const verdict = { ...one, waivers: [{ ...partly, goneFingerprints: ['abcd', 'abcf'] }] }

    for (const [name, report] of Object.entries(reportsOf(verdict))) {
      if (['terminal', 'summary', 'page', 'junit'].includes(name)) {
        expect(report.replaceAll(/\s+/g, ' '), name).toContain('remove the fingerprints abcd, abcf from it')
      }
    }
  })

  it('are not those of which the run could say nothing', () => {
    const rules = rulesWith([ruleWith('quota/exhausted', { status: 'untested', because: 'why' })])
    expect(kinds({}, { rules })).toEqual([])
    expect(kinds({}, { rules: [] })).toEqual([])
    const selection = { only: ['errors/*'] }
    expect(kinds({ rule: null, fingerprint: 'abcd' }, { selection })).toEqual([])
    expect(kinds({ rule: null, fingerprint: 'abcd' })).toEqual(['idle'])
  })

  it('say in acceptance what waits for them', () => {
    const verdict = verdictWith({ profile: 'acceptance', waivers: [{ ...waiver, gone: true }] })
    expect(waiverNotes(verdict)[0]?.says).toContain('acceptance waits for it')
  })
})
