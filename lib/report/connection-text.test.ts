import { describe, expect, it } from 'vitest'
import { allureEnvironment } from './allure-about.ts'
import { htmlPage } from './html/page.ts'
import { junitXml } from './junit.ts'
import { summaryMarkdown } from './summary.ts'
import { terminalSummary } from './terminal.ts'
import { verdictMistakes } from '../verdict/validate-verdict.ts'
import type { Connection, Verdict } from '../verdict/verdict.ts'
import { errorVerdict, verdictWith } from '../verdict/verdict.testing.ts'

const connection: Connection = {
  proxy: 'http://proxy.example:3128',
  caFiles: ['/etc/own-ca.pem', '/etc/extra.pem'],
}
const says = [
  'through the proxy http://proxy.example:3128',
  'trusting the certificates of /etc/own-ca.pem and /etc/extra.pem',
]

/** The report as a person reads its headline: without tags, marks of Markdown and line breaks. */
const reports: Readonly<Record<string, (verdict: Verdict) => string>> = {
  'the terminal': (verdict) =>
    terminalSummary(verdict, { colour: false, width: 400, reportsDir: 'reports/' }).split('\n')[0] ?? '',
  'the terminal, of a run that came to nothing': (verdict) =>
    terminalSummary(
      { ...errorVerdict(), connection: verdict.connection ?? { proxy: null, caFiles: [] } },
      { colour: false, width: 400, reportsDir: 'reports/' },
    ).split('\n')[0] ?? '',
  'summary.md': (verdict) =>
    (summaryMarkdown(verdict, null).split('\n')[0] ?? '').replaceAll(/\\|`|&#\d+;|<[^>]*>/g, ''),
  'index.html': (verdict) =>
    (/<section class="hero.*?<\/section>/s.exec(htmlPage(verdict, []))?.[0] ?? '').replaceAll(/<[^>]*>/g, ''),
}

describe('the proxy and the certificate authorities in use', () => {
  it.each(Object.entries(reports))('stand in the headline of %s', (_, report) => {
    const headline = report(verdictWith({ connection }))

    for (const text of says) expect(headline).toContain(text)
  })

  it.each(Object.entries(reports))('are not mentioned by %s where there are none', (_, report) => {
    expect(report(verdictWith())).not.toMatch(/proxy|trusting/)
  })

  it('are each named alone', () => {
    const { 'the terminal': terminal = () => '' } = reports
    const [proxy = '', authorities = ''] = says

    expect(terminal(verdictWith({ connection: { ...connection, caFiles: [] } }))).toContain(
      `(vendor build 42), ${proxy}, profile gate`,
    )
    expect(terminal(verdictWith({ connection: { ...connection, proxy: null } }))).toContain(
      `(vendor build 42), ${authorities}, profile gate`,
    )
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
