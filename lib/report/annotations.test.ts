import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { annotations, appendStepSummary, withoutCommands } from './annotations.ts'
import { hostileText, hostileVerdict } from './hostile.testing.ts'
import {
  errorVerdict,
  findingWith,
  nonconformantVerdict,
  ruleWith,
  verdictWith,
} from '../verdict/verdict.testing.ts'

describe('workflow commands', () => {
  it('are an error for each violated rule, and a warning for each that is warned of', () => {
    const lines = annotations(nonconformantVerdict())

    expect(lines[0]).toBe(
      '::error title=authentication/api-key-missing is violated::a request without x-api-key is refused with 400 and 1001: answered 401 / 1006 where 400 / 1001 is documented (3 of 3); again: npx card-switch-conformance replay authentication/api-key-missing:20260101:absent',
    )
    expect(lines.map((line) => line.split('::')[1])).toEqual([
      'error title=authentication/api-key-missing is violated',
      'error title=versioning/unknown-endpoint is violated',
      'warning title=conformance%3A incomplete',
      'warning title=conventions/json-content-type warns',
    ])
  })

  it('are an error for a run that came to nothing, and a warning for one that is incomplete', () => {
    expect(annotations(errorVerdict())).toEqual([
      '::error title=conformance%3A error::TARGET_BASE_URL: given nothing, expected an address',
    ])
    const because = ['the quota ran out', 'and more, at 100%']
    expect(annotations(verdictWith({ verdict: 'incomplete', exitCode: 3, because }))).toEqual([
      '::warning title=conformance%3A incomplete::the quota ran out; and more, at 100%25',
    ])
    expect(annotations(verdictWith())).toEqual([])
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
      '::warning title=waiver%3A idle COVERED NOTHING in this run: remove it from the file of RUN_WAIVERS if its fault is mended',
      '::warning title=waiver%3A gone COVERED NOTHING, and its fault is gone: remove it from the file of RUN_WAIVERS',
    ])
  })

  it('are ten of a kind at most, the last of which names the others', () => {
    const rules = verdictWith().rules.map(({ id }) =>
      ruleWith(id, { status: 'failed', findings: [findingWith()] }),
    )
    const lines = annotations(verdictWith({ rules, verdict: 'nonconformant', exitCode: 1, because: [] }))

    expect(lines).toHaveLength(10)
    expect(lines[9]).toMatch(/^::error title=conformance%3A 32 more\b/)
    expect(lines[9]).toContain(`${rules[9]?.id} is violated; ${rules[10]?.id} is violated`)
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
