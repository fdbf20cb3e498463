import { groupBy } from '../../text/members.ts'
import { plural, beginning, printable, printableLines } from '../../text/printable.ts'
import { findingLines } from '../model/finding-view.ts'
import type { RuleView, View } from '../view.ts'

const longestMessage = 1_000
/** Maximum number of findings per rule, so that pipelines accept the file. */
const mostFindings = 10

/**
 * A test case in JUnit and Allure: a rule about the service, or the run itself, whose `rule` is null. `story` is the statement that
 * holds or does not hold, `message` why it did not pass, or passed with a warning; otherwise null. `output` has the findings, one
 * fact per line. Invisible and control characters are escaped.
 */
type TestCase = ReturnType<typeof testCases>[number]

/**
 * A case for each counted rule, and one for the run if the rules do not show everything, so that a run without a verdict is never
 * all green. Unjudged and waived rules are skipped. Waivers to review are a skipped case, which never stops a pipeline.
 */
export function testCases({ alarms, word, rules, stops, sentence, reasons }: View) {
  const why = reasons.length === 0 ? [sentence] : reasons
  const broken = rules.filter(({ isCounted }) => !isCounted).map(findingsText)
  const unfinished = {
    id: 'run/verdict',
    story: 'the run comes to a verdict',
    outcome: 'error',
    message: shortened(`${word}: ${why.join('; ')}`),
    output: [...why.map(printable), ...broken].join('\n'),
  } as const
  const waivers = {
    id: 'run/waivers',
    story: 'every waiver is still needed',
    outcome: 'skipped',
    message: shortened(alarms.join('; ')),
    output: alarms.map(printable).join('\n'),
  } as const
  const ofRun = [...(stops ? [unfinished] : []), ...(alarms.length === 0 ? [] : [waivers])]
  return [
    ...rules.filter(({ isCounted }) => isCounted).map(ruleCase),
    ...ofRun.map((one) => ({ ...one, area: 'run', ms: 0, rule: null })),
  ]
}

function ruleCase(rule: RuleView) {
  const { id, area, says: story, status, because, findings, durationMs: ms } = rule
  const isBreach = status === 'failed' || status === 'warned'
  const open = findings.filter(({ state }) => state !== 'waived')
  const more = open.length > 1 ? ` (and ${plural(open.length - 1, 'further finding')})` : ''
  const why = isBreach
    ? `${open[0]?.summary ?? 'violated'}${more}`
    : `${status}: ${because ?? 'no reason was given'}`
  const outcome = status === 'failed' ? 'failure' : status === 'passed' || isBreach ? 'passed' : 'skipped'
  const message = status === 'passed' ? null : shortened(why)
  const output = status !== 'passed' && (isBreach || findings.length > 0) ? findingsText(rule) : ''
  return { id, area, story, outcome, message, output, ms, rule } as const
}

function shortened(text: string) {
  return printable(beginning(text, longestMessage))
}

function findingsText({ id, level, section, says, findings }: RuleView) {
  const more = findings.length - mostFindings
  return [
    printable(`${id} (${level}; ${section}): ${says}`),
    ...findings.slice(0, mostFindings).map((one) => findingLines(one).map(printable).join('\n')),
    ...(more > 0 ? [`… and ${more} more in verdict.json`] : []),
  ].join('\n\n')
}

/** JUnit XML for a verdict, for Jenkins and GitLab, with a suite for each area and a case for each rule; other cases are in the suite `run`. */
export function junitXml(view: View) {
  const { of, notice, word } = view
  const cases = testCases(view)
  // In Jenkins' schema, the root has all the other counts.
  const { skipped: _, ...sums } = counts(cases)
  const named = [notice, word === of.verdict ? null : word].filter((one) => one !== null)
  return xmlDocument({
    name: 'testsuites',
    attributes: {
      name: ['card-switch-conformance', ...named].join(': '),
      ...sums,
      time: of.durationMs / 1_000,
    },
    content: [...groupBy(cases, ({ area }) => area)].map(([area, own]) => suiteElement(area, own, view)),
  })
}

function suiteElement(name: string, cases: readonly TestCase[], view: View) {
  const time = cases.reduce((sum, { ms }) => sum + ms, 0) / 1_000
  const properties = Object.entries(view.properties).map(([key, value]) => {
    return { name: 'property', attributes: { name: key, value } }
  })
  // The schema requires a start time without a time zone or fractional seconds.
  const timestamp = view.of.startedAt.slice(0, 19)
  return {
    name: 'testsuite',
    attributes: { name, ...counts(cases), time, timestamp },
    content: [
      { name: 'properties', content: properties },
      ...cases.map((one) => caseElement(one, view.of.exitCode)),
    ],
  }
}

function caseElement(one: TestCase, exitCode: number) {
  const { id, area, story, outcome, message, output, ms, rule } = one
  const said = { message: message ?? '' }
  const type = rule?.level ?? `exit ${exitCode}`
  const breach = {
    name: outcome,
    attributes: { ...said, type },
    content: output,
  }
  const skipped = outcome === 'skipped' ? [{ name: outcome, attributes: said }] : []
  const systemOut = output === '' ? [] : [{ name: 'system-out', content: output }]
  const isBreach = outcome === 'failure' || outcome === 'error'
  return {
    name: 'testcase',
    attributes: { name: `${rule === null ? area : id}: ${story}`, classname: area, time: ms / 1_000 },
    content: isBreach ? [breach] : [...skipped, ...systemOut],
  }
}

function counts(cases: readonly TestCase[]) {
  const count = (wanted: TestCase['outcome']) => cases.filter(({ outcome }) => outcome === wanted).length
  return {
    tests: cases.length,
    failures: count('failure'),
    errors: count('error'),
    skipped: count('skipped'),
  }
}

/** Non-characters that count as printable but that XML 1.0 forbids even as references. Source: XML 1.0, 2.2. */
const forbidden = /[\uFFFE\uFFFF]/g

const references: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
}

/** An element with a name, attributes, and either text or child elements. */
type Element = Readonly<{
  name: string
  attributes?: Readonly<Record<string, string | number>>
  content?: string | readonly Element[]
}>

/** Writes well-formed XML 1.0. Invisible characters are escaped, and white space is preserved. */
function xmlDocument(root: Element) {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${elementText(root, '')}\n`
}

function elementText({ name, attributes = {}, content = '' }: Element, indent: string): string {
  const given = Object.entries(attributes).map(([key, value]) => ` ${key}="${attributeText(`${value}`)}"`)
  const open = `${indent}<${name}${given.join('')}`
  if (content.length === 0) return `${open}/>`
  if (typeof content === 'string')
    return `${open}>${wellFormed(content).replace(/[&<>\r]/g, reference)}</${name}>`

  const children = content.map((child) => elementText(child, `${indent}  `))
  return `${open}>\n${children.join('\n')}\n${indent}</${name}>`
}

/** Writes white space as character references, because a parser would turn it into spaces. */
function attributeText(text: string) {
  return wellFormed(text).replace(/[&<>"'\t\n\r]/g, reference)
}

function wellFormed(text: string) {
  return text.split('\r').map(printableLines).join('\r').replace(forbidden, '')
}

function reference(character: string) {
  return references[character] ?? ''
}
