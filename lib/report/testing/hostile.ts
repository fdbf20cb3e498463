import * as fc from 'fast-check'
import { waiverReason } from '../../settings/waivers.ts'
import { anyText } from '../../text/properties.testing.ts'
import { concluded, exchange, findingWith, ruleWith, rulesWith } from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'

/** Text that a hostile service may send: any code units, and many sequences that terminals, parsers, Markdown and pipelines interpret. */
export const hostileText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      anyText({ maxLength: 40 }),
      fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
      fc.constantFrom(
        '\u001B[2J\u001B]0;owned\u0007',
        '\u009B31m',
        '\u202E\u2066\u200B\uFEFF\u2028',
        '\u{E0041}\uD800\uFFFF',
        ']]>',
        '</failure><script>&#0;"\'',
        '\r\n\t\0\u007F',
        '\n::set-output name=x::y\r\n::stop-commands::x\n',
        '##[add-path]/tmp ##vso[task.complete]',
        '%0A::error::x',
        '`',
        '```js ``',
        '\n\n# x\n- [ ] <b>x</b> | [x](https://evil.example) ![x](//evil.example)',
        '@someone www.evil.example https://evil.example someone@evil.example #1 &lt; *x* _x_ ~~x~~ :+1:',
      ),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''))

/** A verdict with the same text everywhere that a service, a vendor or a user can supply it. */
export function hostileVerdict(text: string): Verdict {
  const baseUrl = `https://staging.example.com/${text}`
  const agreed = { fingerprint: null, reason: text, owner: text, expires: '2027-01-31', used: true }
  const waived = waiverReason(agreed)
  const short = text.slice(0, 200)
  const named = { version: short, label: short, build: short }
  const notJudged = [
    { endpoint: `/api/${text}`, because: `as ${text}`, fingerprint: `f3c44f9c9425884c${text}` },
    { endpoint: `PUT ${text}`, because: `as ${text}`, fingerprint: 'f3c44f9c9425884c', waived },
  ]
  const ofWaiver = { status: 'waived', because: waived } as const
  const headers = [[text, text]] as const
  const request = { method: 'GET', url: `${baseUrl}/api?${text}`, headers }
  const response = { status: 401, reason: text, headers, trailers: headers, body: text, bodyCut: 0 }
  const finding = findingWith({
    summary: `answered ${text}`,
    case: text,
    curl: `curl '${text}'`,
    replay: `replay ${text}`,
    examples: [{ case: text, summary: text }],
    answered: { status: 401, errorCode: text },
    exchange: { ...exchange, request, response },
  })
  return concluded({
    target: { baseUrl, embedded: false, ...named, endpoints: [text, text], notJudged },
    connection: { proxy: text, caFiles: [text] },
    selection: { only: [text] },
    rules: rulesWith([
      ruleWith('errors/body-shape', { status: 'failed', findings: [finding], section: text, says: text }),
      ruleWith('conventions/json-content-type', { status: 'warned', findings: [finding] }),
      ruleWith('authentication/no-bypass', { ...ofWaiver, findings: [{ ...finding, waived }] }),
      ruleWith('quota/exhausted', { status: 'untested', because: text }),
    ]).map((rule) => ({ ...rule, sample: finding.exchange })),
    waivers: [
      { ...agreed, rule: 'authentication/no-bypass', expired: false },
      { ...agreed, rule: null, fingerprint: 'f3c44f9c9425884c', expired: false },
      { rule: text, fingerprint: text, reason: text, owner: text, expires: text, expired: true, used: false },
    ],
    notCovered: [text],
  })
}

/** The verdict with only one rule per status, which is far less work. */
export function oneOfEachStatus(verdict: Verdict): Verdict {
  const statuses = new Set(verdict.rules.map(({ status }) => status))
  const rules = [...statuses].flatMap((one) => verdict.rules.find(({ status }) => status === one) ?? [])
  return { ...verdict, rules }
}
