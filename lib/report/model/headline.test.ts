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
import type { Verdict, VerdictWaiver } from '../../verdict/verdict.ts'
import { allureEnvironment } from '../allure/allure-run.ts'
import { annotations } from '../render/annotations.ts'
import { reportsOf } from '../testing/every-report.ts'
import { waiver } from '../testing/verdicts.ts'
import { askedAddress, headlineWord, verdictSentence, waiverNotes } from './headline.ts'
import { junitXml } from '../render/junit.ts'
import { htmlPage } from '../page/html-page.ts'
import { summaryMarkdown } from '../render/summary.ts'
import { terminalSummary } from '../render/terminal-summary.ts'
import { view } from '../view.ts'

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
const [conformant, nonconformant] = [verdictWith(), nonconformantVerdict()]
const partial = { ...conformant, ...some }
const terminal = (verdict: Verdict, colour: boolean): string =>
  terminalSummary(view(verdict), { colour, width: 400, reportsDir: '/reports' })

describe('a headline', () => {
  it.each([
    ['conformant', conformant],
    ['conformant with 1 agreed exception', one],
    ['conformant with 2 agreed exceptions', two],
    ['partial, conformant', partial],
    ['partial, conformant', { ...conformant, selection: { only: null, essential: true } }],
    ['partial, conformant with 1 agreed exception', { ...one, ...some }],
    ['nonconformant', nonconformant],
    ['partial, nonconformant', { ...nonconformant, ...some }],
    ['partial, incomplete', { ...conformant, ...some, ...incomplete }],
    ['error', errorVerdict()],
    // Exceptions are the waivers that cover anything, whatever the number of rules; the history counts alike.
    ['conformant with 1 agreed exception', { ...two, waivers: [used, waiver] }],
    ['conformant with 2 agreed exceptions', { ...one, waivers: [used, used] }],
    ['conformant with 1 agreed exception', historyLine({ ...two, waivers: [used] })],
    ['conformant', historyLine(conformant)],
  ] as const)('says %s', (word, verdict) => {
    expect(headlineWord(verdict)).toBe(word)
  })

  it.each(Object.keys(reportsOf(one)))('names exceptions, a part and the address: %s', (name) => {
    const report = (verdict: Verdict): string | undefined => reportsOf(verdict)[name]

    expect(report(one)).toContain('conformant with 1 agreed exception')
    expect(report(two)).toContain('conformant with 2 agreed exceptions')
    for (const verdict of [partial, { ...one, ...some }, { ...nonconformant, ...some }])
      expect(report(verdict)).toContain('partial')
    for (const verdict of [conformant, nonconformant])
      expect(report(verdict)).not.toMatch(/agreed exception|partial/)
    for (const verdict of [one, two, { ...one, ...some }, { ...one, ...incomplete }])
      expect(report(verdict)).not.toMatch(/none is violated|nothing is violated|: nothing violated/)
    if (!name.startsWith('comparison'))
      expect(report(conformant)?.replaceAll('&#47;', '/')).toContain(
        'https://staging.example.com/cards/api/customizations/list',
      )
  })

  it('is a notice on GitHub where the verdict alone would say too much', () => {
    expect(annotations(view(one))).toEqual([
      `::notice title=conformance%3A conformant with 1 agreed exception::1 agreed exception, nothing else is violated, ${serviceRules - 1} rules passed; waived: authentication/no-side-door`,
    ])
    expect(annotations(view({ ...nonconformant, ...some })).at(-1)).toMatch(
      /^::notice title=conformance%3A partial%2C nonconformant::/,
    )
  })

  it.each([
    [true, conformant],
    [false, partial],
  ])('has a tick and is green: %s', (isGreen, verdict) => {
    const page = htmlPage(view(verdict))
    const hero = /<section class="hero[\s\S]*?<\/h1>/.exec(page)?.[0] ?? ''

    expect(hero.toLowerCase()).toContain('conformant')
    expect(hero.includes('class="icon passed"')).toBe(isGreen)
    expect(/<link rel="icon"[^>]*12693c/.test(page)).toBe(isGreen)
    expect(terminal(verdict, true).includes('\u001B[32m')).toBe(isGreen)
  })
})

describe('the address of a headline', () => {
  const asked = 'https://a.example/prefix/api/customizations/list'
  const paths = ['/api/customizations/list', '/api/b', '/api/c', '/api/d', '/api/e']

  it.each([
    [paths.slice(0, 1), asked],
    [paths.slice(0, 2), `${asked}, /api/b`],
    [paths, `${asked}, /api/b, /api/c and 2 more endpoints`],
    [[], 'https://a.example/prefix'],
    [['POST /api/b', 'PUT /api/b'], 'POST https://a.example/prefix/api/b, PUT /api/b'],
  ])('of %j is %s', (endpoints, expected) => {
    for (const baseUrl of ['https://a.example/prefix', 'https://a.example/prefix/'])
      expect(askedAddress(targetWith({ baseUrl, label: null, endpoints }))).toBe(expected)
  })
})

describe('the proxy and the certificate authorities in use', () => {
  const connection = { proxy: 'http://proxy.example:3128', caFiles: ['/etc/own-ca.pem', '/etc/extra.pem'] }
  const proxy = 'through the proxy http://proxy.example:3128'
  const authorities = 'trusting the certificates of /etc/own-ca.pem and /etc/extra.pem'
  const terminalLine = (verdict: Verdict): string => terminal(verdict, false).split('\n')[0] ?? ''

  /** The headline of each report as a person reads it: without tags, marks of Markdown and line breaks. */
  const headlines: Readonly<Record<string, (verdict: Verdict) => string>> = {
    'the terminal': terminalLine,
    'the terminal, of a run that came to nothing': ({ connection: given }) =>
      terminalLine({ ...errorVerdict(), connection: given ?? { proxy: null, caFiles: [] } }),
    'summary.md': (verdict) => (summaryMarkdown(view(verdict)).split('\n')[1] ?? '').replaceAll('`', ''),
    'index.html': (verdict) =>
      (/<section class="hero.*?<\/section>/s.exec(htmlPage(view(verdict)))?.[0] ?? '').replaceAll(
        /<[^>]*>/g,
        '',
      ),
  }

  it.each(Object.entries(headlines))(
    'stand in the headline of %s, and whether .env gave them',
    (_, headline) => {
      const fromEnvFile = ['HTTPS_PROXY', 'RUN_CA_FILE'] as const
      const given = headline(verdictWith({ connection }))

      expect(given).toContain(proxy)
      expect(given).toContain(authorities)
      expect(given).not.toContain('.env')
      expect(headline(verdictWith({ connection: { ...connection, fromEnvFile } }))).toContain(
        'proxy and certificate authority from .env',
      )
      expect(headline(conformant)).not.toMatch(/proxy|trusting/)
    },
  )

  it.each([
    [proxy, { ...connection, caFiles: [] }],
    [authorities, { ...connection, proxy: null }],
  ])('are each named alone: %s', (text, alone) => {
    expect(terminalLine(verdictWith({ connection: alone }))).toContain(
      `(vendor, build 42), ${text}, profile gate`,
    )
  })

  it('are properties of every suite in junit.xml, facts of Allure, and fit the schema', () => {
    const [verdict, both] = [verdictWith({ connection }), '/etc/own-ca.pem, /etc/extra.pem']

    expect(junitXml(view(verdict))).toContain(`<property name="proxy" value="${connection.proxy}"/>`)
    expect(junitXml(view(verdict))).toContain(`<property name="caFiles" value="${both}"/>`)
    expect(junitXml(view(conformant))).not.toMatch(/name="(?:proxy|caFiles)"/)
    expect(allureEnvironment(view(verdict))).toMatchObject({
      proxy: connection.proxy,
      'certificate authorities': both,
    })
    expect(Object.keys(allureEnvironment(view(conformant)))).not.toContain('proxy')
    for (const right of [verdict, conformant]) expect(verdictMistakes(right)).toEqual([])
    expect(verdictMistakes({ ...conformant, connection: { proxy: 7, caFiles: null } })).toHaveLength(2)
  })
})

it.each([
  // Never that it is enough.
  ['no rule was judged', { ...conformant, ...incomplete, rules: [] }],
  ['what was judged is not enough for a verdict', { ...conformant, ...incomplete }],
  ["the user's files are wrong", errorVerdict()],
  ['the suite itself failed', { ...errorVerdict(), exitCode: 4 } as const],
  ['1 agreed exception, nothing else ', { ...two, waivers: [used] }],
])('the verdict in one sentence says: %s', (says, verdict) => {
  expect(verdictSentence(verdict)).toContain(says)
})

describe('a waiver', () => {
  const untested = ruleWith('quota/exhausted', { status: 'untested', because: 'no budget' })
  const other = { rule: null, fingerprint: 'abcdef12' }
  const goneFingerprints = ['abcd', 'abcf']
  const unjudged = 'what it covers was not judged'
  const covered = 'quota/exhausted | agreed | Kim | 2027-01-31 | covers what was found'

  it.each<[kind: string, Partial<VerdictWaiver>, alarm: string, state: string, Partial<Verdict>?]>([
    ['idle', {}, 'COVERED NOTHING in this run', 'covered nothing: remove it if the fault is fixed'],
    ['idle', other, 'abcdef12', 'covered nothing: remove it if the fault is fixed'],
    ['gone', { gone: true }, 'its fault is gone: remove it', 'because the fault is gone: remove it'],
    ['expired', { expired: true }, 'EXPIRED on 2027-01-31', 'expired: covers nothing any more'],
    ['partly', { goneFingerprints, used: true }, 'remove the fingerprints abcd, abcf from it', ''],
    ['partly', { goneFingerprints }, 'remove the fingerprints abcd, abcf from it', ''],
    ['', { used: true }, '', covered],
    // The run could say nothing of it.
    ['', {}, '', unjudged, { rules: [untested] }],
    ['', {}, '', unjudged, { rules: [ruleWith('fuzz/query')] }],
    ['', {}, '', unjudged, { rules: [] }],
    ['', other, '', unjudged, { selection: { only: ['errors/*'] } }],
  ])(
    'that is "%s" (%j) is announced if somebody must act, and says its state',
    (kind, changes, alarm, state, of) => {
      const verdict = verdictWith({ ...of, waivers: [{ ...waiver, ...changes }] })

      expect(
        waiverNotes(verdict)
          .map((note) => note.kind)
          .join(),
      ).toBe(kind)
      const { alarms, waivers } = view(verdict)
      expect(alarms).toHaveLength(kind === '' ? 0 : 1)
      expect(alarms.join()).toContain(alarm)
      expect(waivers.map((row) => Object.values(row).join(' | ')).join()).toContain(state)
    },
  )

  it('names the fingerprints whose fault is gone, on every report, and in acceptance says what waits for it', () => {
    const partly = {
      ...waiver,
      rule: null,
      fingerprints: ['abcd', 'abce', 'abcf'],
      used: true,
      goneFingerprints,
    }
    const reports = reportsOf({ ...one, waivers: [partly] })

    for (const name of ['terminal', 'summary', 'page', 'junit'])
      expect(reports[name], name).toContain('remove the fingerprints abcd, abcf from it')
    const acceptance = verdictWith({ profile: 'acceptance', waivers: [{ ...waiver, gone: true }] })
    expect(waiverNotes(acceptance)[0]?.says).toContain('acceptance waits for it')
  })
})
