import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { annotations, appendStepSummary, withoutCommands } from './annotations.ts'
import { hostileText, hostileVerdict } from '../testing/hostile.ts'
import type { JudgedRule } from '../../explain/causes.ts'
import type { Finding } from '../../judge/record.ts'
import { failed, found, served } from '../../explain/testing/causes.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import {
  errorVerdict,
  findingWith,
  nonconformantVerdict,
  ruleWith,
  rulesWith,
  verdictWith,
} from '../../verdict/verdict.testing.ts'

/** A verdict in which these rules fail. */
function violated(...rules: readonly JudgedRule[]): Verdict {
  return verdictWith({
    rules: rulesWith(rules.map((rule) => ruleWith(rule.id, { ...rule, sample: null }))),
    verdict: 'nonconformant',
    exitCode: 1,
  })
}

describe('workflow commands', () => {
  it.each([
    [3, []],
    [
      20,
      [
        '::warning title=conformance%3A requests without an answer::20 of 400 requests (5 %25) got no answer of the service: 20 × 503 (a 503 may be a rate limit: try --max-rps)',
      ],
    ],
  ] as const)('warn of %i requests of 400 without an answer, or do not', (count, expected) => {
    const { requests } = verdictWith()
    const lines = annotations(
      verdictWith({ requests: { ...requests, sent: 400, retriedFor: { '503': count } } }),
    )

    expect(lines.filter((line) => line.includes('::warning'))).toEqual(expected)
  })

  it('are one for all rules that one cause breaks, gravest first', () => {
    const absent = { flaws: ['apiKey absent'] }
    const invalid = { flaws: ['apiKey invalid'] }
    const lines = annotations(
      violated(
        failed('authentication/api-key-missing', found('a', absent)),
        failed('authentication/no-bypass', found('b', absent), found('c', invalid, served)),
        failed('authentication/not-cached', found('d', absent)),
        failed('errors/documented-pairs', found('e', absent)),
      ),
    )

    expect(lines.map((line) => line.split(' | ').slice(0, 2))).toEqual([
      [
        '::error title=A request with a wrong API key was let in::severity security',
        'authentication/no-bypass',
      ],
      [
        '::error title=A request without x-api-key%3A 422 / 1001%2C documented 400 / 1001 (api key header is missing)::severity code',
        '4 findings of 4 rules: authentication/api-key-missing, authentication/no-bypass, authentication/not-cached and 1 more',
      ],
    ])
  })

  it('never cut the line that sends a case again, however long what was sent is', () => {
    const long = 'x'.repeat(3_000)
    const { exchange } = findingWith()
    const request = { ...exchange.request, url: long, headers: [[long, long]] } as const
    const replay = `npx card-switch-conformance replay '${long}'`
    const of = (changes: Partial<Finding>): string =>
      annotations(violated(failed('fuzz/path', found('a', {}, changes))))[0] ?? ''

    expect(of({ replay, exchange: { ...exchange, request } }).endsWith(` | again: ${replay}`)).toBe(true)
    expect(of({ replay: `${replay}\n` }).endsWith(' | again: see verdict.json')).toBe(true)
    expect(of({ replay: null })).not.toContain('again')
  })

  it('are an error for a run without a verdict, since the step is red', () => {
    expect(annotations(errorVerdict())).toEqual([
      '::error title=conformance%3A error::TARGET_BASE_URL: given nothing, expected an address',
    ])
    const because = ['the quota ran out', 'and more, at 100%']
    expect(annotations(verdictWith({ verdict: 'incomplete', exitCode: 3, because }))).toEqual([
      '::error title=conformance%3A incomplete::the quota ran out; and more, at 100%25',
    ])
    expect(annotations(verdictWith({ verdict: 'incomplete', exitCode: 3, because: [] }))).toHaveLength(1)
    expect(annotations(verdictWith())).toEqual([])
  })

  it('are never an error where the step is green', () => {
    const because = ['a rule was not judged']
    const green = { ...nonconformantVerdict(), verdict: 'conformant', exitCode: 0, because } as const

    const lines = annotations(green)

    expect(lines.filter((line) => line.startsWith('::error'))).toEqual([])
    expect(lines.filter((line) => line.startsWith('::warning'))).toHaveLength(4)
  })

  it('warn of waivers that expired or are not needed', () => {
    const waiver = {
      rule: 'quota/exhausted',
      fingerprint: null,
      reason: 'agreed',
      owner: 'Kim',
      expires: '2026-01-31',
      used: false,
    }
    const lines = annotations(
      verdictWith({
        waivers: [
          { ...waiver, expired: true },
          { ...waiver, expired: false },
          { ...waiver, expired: false, gone: true },
        ],
      }),
    )

    expect(
      lines.map((line) => line.replace(/::the waiver for quota\/exhausted \(agreed; Kim\)/, '')),
    ).toEqual([
      '::warning title=waiver%3A expired EXPIRED on 2026-01-31 and covers nothing any more',
      '::warning title=waiver%3A idle COVERED NOTHING in this run: remove it from the file of RUN_WAIVERS if its fault is fixed',
      '::warning title=waiver%3A gone COVERED NOTHING, and its fault is gone: remove it from the file of RUN_WAIVERS',
    ])
  })

  it('are ten of a kind at most, the last of which names the others', () => {
    const of = (count: number): readonly string[] =>
      annotations(
        violated(
          failed(
            'errors/documented-pairs',
            ...Array.from({ length: count }, (_, at) =>
              found(`case ${at}`, {}, { answered: { status: 500 + at, errorCode: null } }),
            ),
          ),
        ),
      )

    expect(
      of(10).map((line) => /: (5\d\d),/.exec(line.replaceAll(/%3A|%2C/g, decodeURIComponent))?.[1]),
    ).toEqual(Array.from({ length: 10 }, (_, at) => `${500 + at}`))
    const lines = of(12)
    expect(lines).toHaveLength(10)
    expect(lines[9]).toMatch(/^::error title=conformance%3A 3 more%2C see summary\.md::/)
    for (const status of [509, 510, 511]) expect(lines[9]).toContain(`: ${status}, documented`)
  })

  it('are one command a line, whatever a service answers', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        for (const line of annotations(hostileVerdict(text))) {
          expect(line).toMatch(/^::(?:error|warning|notice) title=[^:,\r\n]*::[^\r\n]*$/)
          // What the runner makes of it holds no line end either.
          expect(line.replaceAll(/%(?:25|3A|2C)/g, '')).not.toContain('%')
          expect(line).not.toMatch(/##[a-z]*\[/i)
        }
      }),
    )
  })
})

describe('a text in which no command counts', () => {
  it('stands between the words that stop them and let them go on', () => {
    expect(withoutCommands('a\n::error::b', 'token')).toBe(
      '::stop-commands::token\na\n::error::b\n::token::\n',
    )
  })
})

async function fileWith(text: string | null): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'step-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'summary')
  if (text !== null) await writeFile(file, text)
  return file
}

describe('the summary of a step', () => {
  it('appends to what is there, and makes the file where it is missing', async () => {
    const [missing, full] = [await fileWith(null), await fileWith('before\n')]

    expect(await appendStepSummary(missing, '## new\n')).toBeNull()
    expect(await appendStepSummary(full, '## new\n')).toBeNull()
    expect(await readFile(missing, 'utf8')).toBe('## new\n')
    expect(await readFile(full, 'utf8')).toBe('before\n\n## new\n')
  })

  it('keeps the file within 1 MiB, above which GitHub shows nothing of it', async () => {
    const file = await fileWith('x'.repeat(1024 * 1024 - 10_000))

    expect(await appendStepSummary(file, 'line\n'.repeat(10_000))).toBeNull()
    expect((await stat(file)).size).toBeLessThanOrEqual(1024 * 1024)
    expect(await readFile(file, 'utf8')).toContain('cut here')
    expect(await appendStepSummary(file, 'line\n'.repeat(10_000))).toMatch(/GITHUB_STEP_SUMMARY.*full/)
  })

  it('says why it could not', async () => {
    const file = join(await fileWith('a file'), 'below')

    expect(await appendStepSummary(file, 'x')).toMatch(/below \(GITHUB_STEP_SUMMARY\): ENOTDIR/)
  })
})
