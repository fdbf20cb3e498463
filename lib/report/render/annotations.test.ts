import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { folderWith } from '../../text/folder.testing.ts'
import { findingWith, nonconformantVerdict, verdictWith, found } from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { hostileText, hostileVerdict } from '../testing/hostile.ts'
import { failing, violated } from '../testing/verdicts.ts'
import { view } from '../view.ts'
import { annotations, appendStepSummary, withoutCommands } from './annotations.ts'

it('workflow commands are warnings if the step passes, and an error if no reason is given', () => {
  const passes = { verdict: 'conformant', exitCode: 0, because: ['a rule was not judged'] } as const
  const fails = { verdict: 'incomplete', exitCode: 3, because: [] } as const
  const kinds = (verdict: Verdict) => annotations(view(verdict)).map((line) => line.split(' ')[0])
  const warning = '::warning'

  expect(kinds({ ...nonconformantVerdict(), ...passes })).toEqual([...Array(4).fill(warning), '::notice'])
  expect(kinds(verdictWith(fails))).toEqual(['::error'])
})

it('workflow commands never cut the replay line, however long the request is', () => {
  const long = 'x'.repeat(3_000)
  const { exchange } = findingWith()
  const request = { ...exchange.request, url: long, headers: [[long, long]] } as const
  const replay = `npx card-switch-conformance replay '${long}'`
  const finding = found('a', {}, { replay, exchange: { ...exchange, request } })
  const [line] = annotations(view(violated(failing('fuzz/path', finding))))

  expect(line?.endsWith(`%0AReplay: ${replay}`)).toBe(true)
})

it('workflow commands are one command per line, whatever a service answers', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      for (const line of annotations(view(hostileVerdict(text)))) {
        expect(line).toMatch(/^::(?:error|warning|notice) title=[^:,\r\n]*::[^\r\n]*$/)
        // The text decoded by the runner contains no line end either.
        expect(line.replaceAll(/%(?:25|3A|2C|0A)/g, '')).not.toContain('%')
        expect(line).not.toMatch(/##[a-z]*\[/i)
      }
    }),
  )
})

it('workflow commands are wrapped so that the runner ignores them', () => {
  const text = '::stop-commands::token\na\n::error::b\n::token::\n'

  expect(withoutCommands('a\n::error::b', 'token')).toBe(text)
})

const most = 1024 * 1024
const full = 'x'.repeat(most - 10_000)
const many = 'line\n'.repeat(10_000)

// GitHub shows no summary above 1 MiB.
it.each<[string, string | null, string, RegExp, RegExp?]>([
  ['creates a missing file', null, '## new\n', /^## new\n$/],
  ['is appended to existing text', 'before\n', '## new\n', /^before\n\n## new\n$/],
  ['is cut at the size limit', full, many, /line\n.*cut here/, /GITHUB_STEP_SUMMARY.*full/],
])('the step summary %s', async (_, before, text, after, next) => {
  const file = join(await folderWith(before === null ? {} : { summary: before }), 'summary')

  expect(await appendStepSummary(file, text)).toBeNull()
  expect(await readFile(file, 'utf8')).toMatch(after)
  expect((await stat(file)).size).toBeLessThanOrEqual(most)
  if (next !== undefined) expect(await appendStepSummary(file, text)).toMatch(next)
  expect(await appendStepSummary(join(file, 'below'), 'x')).toMatch(/below \(GITHUB_STEP_SUMMARY\): ENOTDIR/)
})
