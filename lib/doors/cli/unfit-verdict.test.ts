import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { nonconformantVerdict } from '../../verdict/verdict.testing.ts'
import { reported, runIn } from './bundle.testing.ts'

const commands = [
  ['report', 'reports'],
  ['compare', 'reports', 'reports'],
  ['waive', 'reports', '--out', 'waivers.json'],
  ['bundle', 'reports', '--out', 'evidence.tar.gz'],
] as const

describe('what is no exchange, example or waiver in a verdict ends in 2, and the place is named', () => {
  test.for([
    ['an empty exchange', /"exchange": \{[^]*?(?=,\s*"curl")/, '"exchange": {}', '/exchange must have'],
    ['an exchange without headers', /"headers": \[/, '"head": [', "must have required property 'headers'"],
    ['a header without a value', /"headers": \[\s*\[[^\]]*\]/, '"headers": [["a"]', '/headers/0 must NOT'],
    ['an empty example', /"examples": \[\s*\{[^}]*\}/, '"examples": [{}', '/examples/0 must have'],
    ['an empty waiver', /"waivers": \[\s*\{[^}]*\}/, '"waivers": [{}', '/waivers/0 must have'],
  ] as const)('%s', async ([, from, to, says]) => {
    const cwd = await reported(nonconformantVerdict())
    const file = join(cwd, 'reports/verdict.json')
    const text = await readFile(file, 'utf8')
    expect(text).toMatch(from)
    await writeFile(file, text.replace(from, to))

    for (const args of commands) {
      const { code, stderr } = await runIn(cwd, args)

      expect([args[0], code]).toEqual([args[0], 2])
      if (args[0] !== 'bundle') expect(stderr).toContain(says)
    }
  })
})
