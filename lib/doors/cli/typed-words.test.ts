import { readdir } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { reported, runIn } from './bundle.testing.ts'

const secret = 'sk_9fQ2mLx7Tzv4Rk1wYc83'
const env = { TARGET_API_KEY: 'pk_7Hd0Ks3Vn6Bq1Xz8', TARGET_SECRET_KEY: secret }

const spellings: Readonly<Record<string, (text: string) => string>> = {
  'as is': (text) => text,
  'in upper case': (text) => text.toUpperCase(),
  'in base64': (text) => Buffer.from(text).toString('base64url'),
  'in hexadecimal': (text) => Buffer.from(text).toString('hex'),
}
const texts = Object.entries(spellings).flatMap(([name, spell]) => [
  [name, spell(secret)] as const,
  [`${name}, without its last character`, spell(secret.slice(0, -1))] as const,
])

describe('a credential in the arguments of a command', () => {
  test.for(texts)('is refused and named, but not shown: %s', async ([, text]) => {
    const cwd = await reported()
    const before = await readdir(cwd)
    for (const args of [
      ['init', '--label', `build of ${text}`],
      ['init', '--base-url', `https://staging.example/${text}`],
      ['waive', 'reports', '--out', 'w.json', '--reason', `as ${text}`],
      ['waive', 'reports', '--out', 'w.json', '--owner', text],
      ['waive', 'reports', '--out', `${text}.json`],
      ['proxy', '--base-url', `https://staging.example/${text}`],
    ]) {
      const { code, stdout, stderr } = await runIn(cwd, args, env)

      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toContain('contains TARGET_SECRET_KEY or most of it')
      expect(stderr).toContain(args.at(-2))
      expect(stderr).not.toContain(text)
    }

    expect(await readdir(cwd)).toEqual(before)
  })

  test.for(texts.map(([, text]) => text))('is not shown if the argument is unknown: %s', async (text) => {
    const cwd = await reported()
    for (const args of [
      [text],
      ['run', text],
      ['plan', '--seed', text],
      ['plan', `--${text}`],
      ['rules', '--format', text],
    ]) {
      const { code, stdout, stderr } = await runIn(cwd, args, env)

      expect(code).toBe(2)
      expect(`${stdout}${stderr}`).not.toContain(text)
    }
  })
})
