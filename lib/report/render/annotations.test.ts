import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { found, served } from '../../verdict/testing/causes.ts'
import type { Finding } from '../../judge/record.ts'
import { findingWith, nonconformantVerdict, verdictWith } from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { hostileText, hostileVerdict } from '../testing/hostile.ts'
import { failing, violated, waiver } from '../testing/verdicts.ts'
import { annotations, appendStepSummary, withoutCommands } from './annotations.ts'
import { view } from '../view.ts'

describe('workflow commands', () => {
  const absent = ['apiKey absent']
  const { requests } = verdictWith()
  const without = (count: number): Verdict =>
    verdictWith({ requests: { ...requests, sent: 400, retriedFor: { '503': count } } })
  const incomplete = { verdict: 'incomplete', exitCode: 3 } as const
  const expired = { ...waiver, expires: '2026-01-31', expired: true }
  const ofWaiver = 'the waiver for quota/exhausted (agreed; Kim)'
  const ids = [
    'authentication/api-key-missing',
    'authentication/no-bypass',
    'authentication/not-cached',
  ] as const
  const why = ['the quota ran out', 'and more, at 100%']

  it.each<[string, Verdict, readonly string[]]>([
    ['none of few requests without an answer', without(3), []],
    [
      'a notice of many requests without an answer',
      without(20),
      [
        expect.stringMatching(
          /^::notice title=conformance%3A conformant::.*%0A20 of 400 requests \(5 %25\) had to be sent again: 20 × 503/,
        ),
      ],
    ],
    // The step is red.
    [
      'an error of a run without a verdict',
      verdictWith({ ...incomplete, because: why }),
      ['::error title=conformance%3A incomplete::the quota ran out%0Aand more, at 100%25'],
    ],
    [
      'an error without a reason',
      verdictWith({ ...incomplete, because: [] }),
      [expect.stringMatching(/^::error/)],
    ],
    ['none of a conformant run', verdictWith(), []],
    [
      'warnings of waivers that expired or are not needed',
      verdictWith({ waivers: [expired, waiver, { ...waiver, gone: true }] }),
      [
        `::warning title=conformance%3A a waiver to look at::${ofWaiver} EXPIRED on 2026-01-31 and covers nothing any more`,
        `::warning title=conformance%3A a waiver to look at::${ofWaiver} COVERED NOTHING in this run: remove it from the file of RUN_WAIVERS if its fault is fixed`,
        `::warning title=conformance%3A a waiver to look at::${ofWaiver} COVERED NOTHING, and its fault is gone: remove it from the file of RUN_WAIVERS`,
      ],
    ],
    // The step is green.
    [
      'warnings of a green step',
      { ...nonconformantVerdict(), verdict: 'conformant', exitCode: 0, because: ['a rule was not judged'] },
      ['warning', 'warning', 'warning', 'warning', 'notice'].map((kind) =>
        expect.stringMatching(`^::${kind}`),
      ),
    ],
    [
      'one for all rules that one cause breaks, gravest first',
      violated(
        failing(ids[0], found('a', absent)),
        failing(ids[1], found('b', absent), found('c', ['apiKey invalid'], served)),
        failing(ids[2], found('d', absent)),
        failing('errors/documented-pairs', found('e', absent)),
      ),
      [
        `A request with a wrong API key was let in::Expected: 400 / 1001 (api key header is missing)%0AGot: 200 application/json%0ABreaks 1 rule: ${ids[1]}%0AReplay: npx `,
        `A request without x-api-key%3A wrong answer::Expected: 400 / 1001 (api key header is missing)%0AGot: 422 / 1001%0ABreaks 4 rules: ${ids.join(', ')} and 1 more%0AReplay: npx `,
      ].map((one) => expect.stringContaining(`::error title=${one}`)),
    ],
  ])('are %s', (_, verdict, lines) => {
    expect(annotations(view(verdict))).toEqual(lines)
  })

  it('never cut the line that sends a case again, however long what was sent is', () => {
    const long = 'x'.repeat(3_000)
    const { exchange } = findingWith()
    const request = { ...exchange.request, url: long, headers: [[long, long]] } as const
    const replay = `npx card-switch-conformance replay '${long}'`
    const of = (changes: Partial<Finding>): string =>
      annotations(view(violated(failing('fuzz/path', found('a', {}, changes)))))[0] ?? ''

    expect(of({ replay, exchange: { ...exchange, request } }).endsWith(`%0AReplay: ${replay}`)).toBe(true)
    expect(
      of({ replay: `${replay}\n` }).endsWith('%0AReplay: it cannot be shown whole: see verdict.json'),
    ).toBe(true)
    expect(of({ replay: null })).toContain('%0AReplay: it was met across the whole run')
  })

  it('are ten of a kind at most, the last of which names the others', () => {
    const of = (count: number): readonly string[] => {
      const statuses = Array.from({ length: count }, (_, at) => ({ status: 500 + at, errorCode: null }))
      const findings = statuses.map((answered, at) => found(`case ${at}`, {}, { answered }))
      return annotations(view(violated(failing('errors/documented-pairs', ...findings))))
    }
    const statusIn = (line: string): string | undefined => /Got: (5\d\d) /.exec(line)?.[1]

    expect(of(10).map(statusIn)).toEqual(Array.from({ length: 10 }, (_, at) => `${500 + at}`))
    expect(of(12)).toHaveLength(10)
    expect(of(12)[9]).toMatch(/^::error title=conformance%3A 3 more%2C see summary\.md::./)
  })

  it('are one command a line, whatever a service answers', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        for (const line of annotations(view(hostileVerdict(text)))) {
          expect(line).toMatch(/^::(?:error|warning|notice) title=[^:,\r\n]*::[^\r\n]*$/)
          // What the runner makes of it holds no line end either.
          expect(line.replaceAll(/%(?:25|3A|2C|0A)/g, '')).not.toContain('%')
          expect(line).not.toMatch(/##[a-z]*\[/i)
        }
      }),
    )
  })

  it('do not count between the words that stop them and let them go on', () => {
    const text = '::stop-commands::token\na\n::error::b\n::token::\n'

    expect(withoutCommands('a\n::error::b', 'token')).toBe(text)
  })
})

describe('the summary of a step', () => {
  const most = 1024 * 1024

  // Above 1 MiB, GitHub shows nothing of it.
  it.each<[string, string | null, string, RegExp, RegExp | null]>([
    ['makes the file where it is missing', null, '## new\n', /^## new\n$/, null],
    ['appends to what is there', 'before\n', '## new\n', /^before\n\n## new\n$/, null],
    [
      'cuts',
      'x'.repeat(most - 10_000),
      'line\n'.repeat(10_000),
      /line\n.*cut here/,
      /GITHUB_STEP_SUMMARY.*full/,
    ],
  ])('%s', async (_, before, text, after, next) => {
    const folder = await mkdtemp(join(tmpdir(), 'step-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const file = join(folder, 'summary')
    if (before !== null) await writeFile(file, before)

    expect(await appendStepSummary(file, text)).toBeNull()
    expect(await readFile(file, 'utf8')).toMatch(after)
    expect((await stat(file)).size).toBeLessThanOrEqual(most)
    if (next !== null) expect(await appendStepSummary(file, text)).toMatch(next)
    expect(await appendStepSummary(join(file, 'below'), 'x')).toMatch(
      /below \(GITHUB_STEP_SUMMARY\): ENOTDIR/,
    )
  })
})
