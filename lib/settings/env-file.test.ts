import { parse } from 'dotenv'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseEnv } from './env-file.ts'
import { issuesOf, read, settingsOf, target, temporaryFolder } from './testing/read.ts'

const secret = 'sk_Jd7Wq0Bn5Xe2Hs9Vt6'
const { TARGET_BASE_URL, TARGET_API_KEY } = target
const others = { TARGET_BASE_URL, TARGET_API_KEY }

describe('a quote that is not closed is a mistake, with file, line and name, and never its value:', () => {
  test.each([
    ['a double one', `TARGET_SECRET_KEY="${secret}`, 'a " that is not closed'],
    ['a single one', `TARGET_SECRET_KEY='${secret}`, "a ' that is not closed"],
    ['a backtick', `TARGET_SECRET_KEY=\`${secret}`, 'a ` that is not closed'],
    ['closed by one of another kind', `TARGET_SECRET_KEY="${secret}'`, 'a " that is not closed'],
    ['behind white space', `  TARGET_SECRET_KEY =  "${secret}  `, 'a " that is not closed'],
    ['behind export', `export TARGET_SECRET_KEY="${secret}`, 'a " that is not closed'],
    ['behind a colon', `TARGET_SECRET_KEY: "${secret}`, 'a " that is not closed'],
    ['before a comment', `TARGET_SECRET_KEY="${secret} # "mine" of today`, 'a " that is not closed'],
    ['before other quotes', `TARGET_SECRET_KEY="${secret}\nRUN_ONLY="quota/*"`, 'a " that is not closed'],
    ['alone', `TARGET_SECRET_KEY="\nRUN_SEED=1`, 'a " that is not closed'],
    ['in a file of Windows', `TARGET_SECRET_KEY="${secret}\r\nRUN_SEED=1\r\n`, 'a " that is not closed'],
  ])('%s', async (_, line, given) => {
    const cwd = temporaryFolder({ '.env': `# mine\n\n${line}\n` })
    const issues = issuesOf(await read(others, { cwd }))

    expect(issues).toEqual([
      {
        setting: 'TARGET_SECRET_KEY',
        given: `${given}, in line 3 of .env`,
        expected: 'a quote at both ends of the value, of the same kind, or none',
        hint: expect.stringContaining('quotes of another kind'),
      },
    ])
    expect(JSON.stringify(issues)).not.toContain(secret)
  })

  const swallows = `TARGET_API_KEY="pk_9fQ2mLx7\nTARGET_SECRET_KEY=${secret}\nRUN_SEED=7"\nRUN_CONCURRENCY=x\n`
  const several = `TARGET_SECRET_KEY="${secret}\nTARGET_LABEL='vendor\nRUN_WAIVERS=${secret}\nRUN_SEED=x\n`
  const swallowed = {
    setting: 'TARGET_API_KEY',
    given: 'a " that is not closed before line 3 of the value, in line 1 of .env',
    hint: 'what is set between would be a part of the value: TARGET_SECRET_KEY, RUN_SEED',
  }
  const wrong = ['RUN_WAIVERS', 'TARGET_LABEL', 'TARGET_SECRET_KEY', 'RUN_SEED']

  test.each<[string, Readonly<Record<string, string>>, string, readonly object[]]>([
    // The settings between are not called missing.
    [
      'closed only in a later line',
      { TARGET_BASE_URL },
      swallows,
      [swallowed, { setting: 'RUN_CONCURRENCY' }],
    ],
    [
      'of the file of a secret',
      others,
      `TARGET_SECRET_KEY_FILE="key`,
      [{ setting: 'TARGET_SECRET_KEY_FILE' }],
    ],
    ['of several at once, beside what else is wrong', others, several, wrong.map((setting) => ({ setting }))],
  ])('%s', async (_, env, text, issues) => {
    const result = await read(env, { cwd: temporaryFolder({ '.env': text }) })

    expect(issuesOf(result)).toHaveLength(issues.length)
    expect(issuesOf(result)).toEqual(
      expect.arrayContaining(issues.map((one) => expect.objectContaining(one))),
    )
    expect(JSON.stringify(result)).not.toContain(secret)
  })
})

describe('what dotenv reads as it is meant is none:', () => {
  const settings = (text: string) => read(target, { cwd: temporaryFolder({ '.env': text }) })

  test.each([
    ['quotes of each kind', `TARGET_LABEL="a"\n`, 'a'],
    ['quotes of each kind', `TARGET_LABEL='a'\n`, 'a'],
    ['quotes of each kind', 'TARGET_LABEL=`a`\n', 'a'],
    ['a quote of another kind inside', `TARGET_LABEL="it's"`, "it's"],
    ['a quote of the same kind inside', `TARGET_LABEL="say "yes""`, 'say "yes"'],
    ['an escaped one inside', String.raw`TARGET_LABEL="say \"yes"`, String.raw`say \"yes`],
    ['one in the middle', `TARGET_LABEL=it's`, "it's"],
    ['one at the end', `TARGET_LABEL=14"`, '14"'],
    ['words behind quotes', `TARGET_LABEL="a" b`, '"a" b'],
    ['a comment behind quotes', `TARGET_LABEL="a" # it's "mine"`, 'a'],
    ['one in a comment', `TARGET_LABEL=a # it's "mine`, 'a'],
    ['one in a line of comment', `# TARGET_LABEL="a\nTARGET_LABEL=b`, 'b'],
    ['a comment in the next line', `TARGET_LABEL=a\n# it's mine\n\n#TARGET_LABEL=b\n`, 'a'],
    ['a comment behind nothing', `TARGET_LABEL=#it's mine\nTARGET_LABEL=a`, 'a'],
    ['a # in quotes', `TARGET_LABEL='a#b'#c`, 'a#b'],
    ['two quotes in a row', `TARGET_LABEL=""\nTARGET_LABEL='a'`, 'a'],
  ])('%s: %j', async (_, text, label) => {
    expect(settingsOf(await settings(text)).target.label).toBe(label)
  })

  test('a value of several lines', async () => {
    const { run } = settingsOf(await settings(`RUN_ONLY="quota/*,\n  fuzz/path,\n"\nRUN_SEED=7\n`))

    expect([run.only, run.seed]).toEqual([['quota/*', 'fuzz/path'], 7])
  })

  test('settings of other programs, whatever they hold', async () => {
    const text = `GREETING='tis\nSCRIPT="\nTARGET_LABEL=x\nRUN_SEED=1\n"\nHASH=a#b\nPEM="-----BEGIN\nx\n-----END"\nRUN_SEED=9`

    expect(settingsOf(await settings(text)).run.seed).toBe(9)
  })
})

test('of any file, what is not refused is what dotenv reads', async () => {
  const name = fc.constantFrom('TARGET_LABEL', 'RUN_ONLY', 'TARGET_API_KEY', 'OTHER', 'export RUN_SEED')
  const piece = fc.constantFrom('a', '"', "'", '`', '#', ' ', '\\', '\n', 'b c', '=', 'RUN_SEED=1')
  const line = fc
    .tuple(name, fc.constantFrom('=', ' = ', ': '), fc.array(piece, { maxLength: 7 }))
    .map(([left, sign, right]) => `${left}${sign}${right.join('')}\n`)
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 5 }), async (lines) => {
      const text = lines.join('')
      const { value, issues } = await parseEnv(text, '.env')

      const plain: Readonly<Record<string, string>> = parse(text)
      for (const [one, given] of Object.entries(value.variables)) expect(given).toBe(plain[one])
      for (const one of Object.keys(plain)) expect(one in value.variables).toBe(!(one in value.misread))
      expect(Object.keys(value.misread).length > 0).toBe(issues.length > 0)
    }),
  )
})

test('nothing of a well-formed file is refused', async () => {
  const name = fc.constantFrom('TARGET_LABEL', 'RUN_ONLY', 'export TARGET_API_KEY', 'OTHER')
  const values = ['', 'a', 'a b', `"a # b"`, `'it"s'`, '`a\'"b`', `"say "yes""`, `"a\n b"`, `""`]
  const value = fc.constantFrom(...values)
  const comment = fc.constantFrom('', ' # it\'s "mine', `\n# TARGET_LABEL="x`, '\n\n#', `\n \n# a`)
  const line = fc.tuple(name, value, comment).map(([left, right, behind]) => `${left}=${right}${behind}`)
  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.constantFrom('\n', '\r\n', '\r'), async (lines, end) => {
      expect((await parseEnv(lines.join('\n').replaceAll('\n', end), '.env')).issues).toEqual([])
    }),
  )
})
